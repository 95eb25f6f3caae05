// The proximal point method with newton inside (Rockafellar 1976; for Coulomb friction Acary, Bremond & Huber 2018):
// slow and sure, for problems on which newton and ipm get lost. Each step solves a problem that is easier than the one
// asked,
//
//     W <- W + eps D,    q <- q - eps D r_k,     D = trace(W_ii)/dim on block i,       r_{k+1} <- its solution
//
// because eps D makes redundant contacts share their load in one way only and keeps states from changing all at once;
// its solution solves the problem itself where it does not move any more. eps falls while newton finds its way easily,
// and rises when it does not.
//
//   cost of a step   a few to thirty iterations of newton
#pragma once

#include "solvers/newton.h"

namespace carom {

struct ProximalOptions {
  StopOptions stop{.max_iterations = 300};
  int start_sweeps = 30;       // of nsgs before the first step
  double weight = 1;           // first eps
  int newton_iterations = 30;  // of one step at most
  bool record_history = false;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    constexpr double kNoLimit = std::numeric_limits<double>::infinity();
    StopOptions::visit(o.stop, visit);
    visit("start_sweeps", o.start_sweeps, OptionRange{0, 1e6}, "sweeps", "of nsgs before the first step");
    visit("weight", o.weight, OptionRange{.low = 0, .high = kNoLimit, .open = true}, "trace(W_ii)/dim",
          "holds a step's impulses to the last ones, at first; adapted to newton's success");
    visit("newton_iterations", o.newton_iterations, OptionRange{1, 1e6}, "", "of one step at most");
    visit("record_history", o.record_history, OptionRange{}, "", "keep the residuals of every step");
  }
};

class Proximal : public Solver {
 public:
  using Options = ProximalOptions;
  static constexpr std::string_view kName = "proximal";
  static constexpr ConeKinds kTakes = kAllCones;

  explicit Proximal(const ProximalOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  ProximalOptions& options() { return options_; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  void prepare(const ConeProblem& problem);
  bool step(const ConeProblem& problem, double residual, VectorOut r);

  ProximalOptions options_;
  StopTest stop_;
  Nsgs sweeps_;
  Newton newton_;
  ConeProblem near_;  // prepare: cones and pattern; step: W + eps D, q - eps D r
  Vector mobility_;   // prepare: D, by rows
  Vector trial_;      // step: newton's answer
  double weight_ = 1;
  int failures_ = 0;  // steps in a row that newton did not solve
  int newton_iterations_ = 0;
};

}  // namespace carom
