// W + R factored, R a positive number per block: one linear solve per iteration of an operator splitting.
//
//   symmetric W     sparse Cholesky (CHOLMOD), blocks ordered by approximate minimum degree, then expanded
//   unsymmetric W   sparse LU (KLU) on the same order: the file's W defines the problem, it is not symmetrized
#pragma once

#include <memory>

#include "solvers/problem.h"

namespace carom {

class ShiftedDelassus {
 public:
  ShiftedDelassus();
  ~ShiftedDelassus();

  // Reads W and finds an elimination order. The problem must stay until the last solve.
  void prepare(const ConeProblem& problem);

  // Factors W + R, R given by rows (one number repeated within a block). False where that is singular to rounding.
  bool factor(VectorIn R);

  // x = (W + R)^-1 x, no allocation.
  void solve(VectorOut x);

  bool symmetric() const;  // W is, to 1e-12 of its largest entry

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace carom
