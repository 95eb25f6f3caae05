// Problems of Free blocks alone, W r + q = 0: linear, and solved by conjugate gradients with the inverses of the
// diagonal blocks as preconditioner. Redundant blocks (W singular) do no harm as long as q is in the range of W.
//
//   cost of an iteration   one product with W        memory   6 vectors and the diagonal blocks
//   iterations             with the square root of the condition: a chain of n joints takes about n, where sweeps of
//                          Gauss-Seidel take n^2
#pragma once

#include "solvers/problem.h"

namespace carom {

class BilateralSolver {
 public:
  // r: out. Stops when no |W r + q| is above the tolerance, or after so many iterations; returns how many there were.
  int solve(const ConeProblem& problem, double tolerance, int max_iterations, Vector& r);

 private:
  void precondition(const Cones& cones);  // z = P residual

  std::vector<double> inverse_;  // of the diagonal blocks, one after the other
  Vector residual_, z_, direction_, product_, zero_;
  std::vector<Twist> twists_;
};

}  // namespace carom
