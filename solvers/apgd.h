// APGD, accelerated projected gradients (Nesterov 1983; Mazhar, Heyn, Negrut & Tasora 2015): the whole vector of
// impulses steps down the gradient of r W r / 2 + q . r, is projected on the cones, and is extrapolated,
//
//     r+ = P_K(y - t D (u + s(u))),   u = W y + q            D = diag(dim/trace(W_ii)) per block
//     y  = r+ + beta (r+ - r)                                Nesterov's beta, back to 0 when it points uphill
//
// with the step t found by backtracking: dr . W dr <= dr . D^-1 dr / t for dr = r+ - y. One product with W per
// iteration, on either body of the operator.
//
// That is a descent method where the problem is convex (Free, Orthant and Associated blocks, symmetric W). Elsewhere it
// iterates on the natural map of the problem itself: De Saxce's shift is that of the present u, and where W is
// unsymmetric the step follows W y + q, not the gradient of the quadratic form, which would see the symmetric part
// alone. Both could be frozen in an outer fixed point around convex problems; that took two to ten times as many
// products on the FCLIB problems, and an inner tolerance to choose.
//
//   cost of an iteration   one product with W, seldom more; 12 passes over vectors
//   memory                 8 vectors
#pragma once

#include "solvers/stopping.h"

namespace carom {

struct ApgdOptions {
  StopOptions stop;
  double step_growth = 1.1;  // of t from one iteration to the next, >= 1; backtracking takes it back
  bool restart = true;
  CheckOptions check;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    StopOptions::visit(o.stop, visit);
    visit("step_growth", o.step_growth, OptionRange{1, 10}, "",
          "of the step between iterations; backtracking limits it");
    visit("restart", o.restart, OptionRange{}, "", "drop the momentum when it points uphill");
    CheckOptions::visit(o.check, visit);
  }
};

class Apgd : public Solver {
 public:
  using Options = ApgdOptions;
  static constexpr std::string_view kName = "apgd";
  static constexpr ConeKinds kTakes = kAllCones;

  explicit Apgd(const ApgdOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  ApgdOptions& options() { return options_; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  void prepare(const ConeProblem& problem, VectorIn r);
  double step(const ConeProblem& problem);
  void extrapolate(VectorOut r);

  ApgdOptions options_;
  StopTest stop_;
  std::vector<Twist> twists_;  // step: scratch of products
  double t_ = 1;               // step: length of steps, free of units
  double theta_ = 1;           // extrapolate: Nesterov's sequence

  // By rows
  Vector D_;              // prepare: dim/trace(W_ii)
  Vector y_, u_y_;        // extrapolate: where the gradient is taken, and W y + q
  Vector next_, u_next_;  // step: r+ and W r+ + q
  Vector u_;              // extrapolate: W r + q
  Vector gradient_;       // step: D (u_y + s(u_y))
};

}  // namespace carom
