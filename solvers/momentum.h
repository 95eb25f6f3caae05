// Nesterov's momentum on sweeps x = S(y) (Nesterov 1983), begun anew where it leads astray (O'Donoghue & Candes 2015):
//
//     t_k+1 = (1 + sqrt(1 + 4 t_k^2)) / 2,    y_k+1 = x_k + (t_k - 1) / t_k+1 (x_k - x_k-1)
//
// and t = 1 where (y - x) . (x - x_before) > 0: the sweep went back on the way that momentum took. What it
// saves, and where nsgs' own rule of beginning anew loses it again: docs/solvers.md.
#pragma once

#include <cmath>

#include "base/parallel.h"
#include "solvers/problem.h"

namespace carom {

// (t_k - 1) / t_k+1
class MomentumFactor {
 public:
  void restart() { t_ = 1; }
  // against: (y - x) . (x - x_before) of the last sweep, in any metric.
  double next(double against) {
    if (against > 0) t_ = 1;
    const double t = 0.5 * (1 + std::sqrt(1 + 4 * t_ * t_)), factor = (t_ - 1) / t;
    t_ = t;
    return factor;
  }

 private:
  double t_ = 1;
};

// For sweeps on r, and on v = M^-1 H^T r where W has factors.
class Momentum {
 public:
  void make_room(const ConeProblem& problem);
  // r: where the first sweep begins.
  void start(const ConeProblem& problem, Threads threads, VectorIn r, const std::vector<Twist>& v);
  // Before each sweep but the first: r = x becomes y.
  void extrapolate(const ConeProblem& problem, VectorOut r, std::vector<Twist>& v);

 private:
  double against(const ConeProblem& problem, VectorIn r);

  Threads threads_;
  MomentumFactor factor_;
  Vector y_, before_;  // where the last sweep began; x of the sweep before it
  std::vector<Twist> before_v_;
  std::vector<double> weight_;  // per block: trace(W_ii), so that all count alike
  ReduceScratch<double> scratch_;
};

}  // namespace carom
