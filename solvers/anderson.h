// Anderson acceleration of a fixed-point iteration v <- g(v) (Anderson 1965; Walker & Ni 2011, type II): with
// f = g - v at the last m + 1 points, the next point is
//
//     v = g - sum_k gamma_k dg_k,    gamma = argmin norm( f - sum_k gamma_k df_k )
//
// where df_k, dg_k are differences of successive f and g. Cost of a step: 2 m products of vectors; memory 2 m
// vectors.
#pragma once

#include "base/types.h"

namespace carom {

class Anderson {
 public:
  // Vectors of n entries, at most `memory` differences kept; 0 makes extrapolate() return g itself.
  void prepare(Eigen::Index n, int memory);
  void clear() { points_ = 0; }

  // v: g in, the accelerated point out. f: what the least squares weigh, in a norm in which all its entries count
  // alike.
  void extrapolate(VectorIn f, VectorOut v);

 private:
  int memory_ = 0;
  long points_ = 0;   // since clear()
  MatrixXd df_, dg_;  // column k % memory: difference k
  MatrixXd gram_;     // df^T df of the columns in use
  MatrixXd factor_;   // its Cholesky factorization
  VectorXd f_, g_;    // of the last point
  VectorXd gamma_;    // of the least squares
};

}  // namespace carom
