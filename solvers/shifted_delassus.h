// W + R factored, R a positive number per block: one linear solve per iteration of an operator splitting. By tiles, so
// that an unsymmetric W is taken as it is.
#pragma once

#include "solvers/block_system.h"
#include "solvers/problem.h"

namespace carom {

class ShiftedDelassus {
 public:
  // Reads W and finds an elimination order. The problem must stay until the last solve.
  void prepare(const ConeProblem& problem);

  // Factors W + R, R given by rows (one number repeated within a block). False where that is singular to rounding.
  bool factor(VectorIn R);

  // x = (W + R)^-1 x, no allocation.
  void solve(VectorOut x) { system_.solve_once(x); }

 private:
  BlockSparse storage_;  // W where the problem has factors only
  const BlockSparse* W_ = nullptr;
  const Cones* cones_ = nullptr;
  BlockSystem system_;
  std::vector<char> all_;
};

}  // namespace carom
