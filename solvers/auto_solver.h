// The default: the fastest sure way by size and tolerance. Rules were measured on real problems (docs/solvers.md).
//
//   1. sweeps of nsgs while they promise to be the cheapest way to the tolerance: the rate of the last sweeps tells how
//      many are left, and counts of operations (not clocks, so that a run can be repeated) what each way costs
//   2. the problem falls into independent components; on each that is not solved yet newton, which then needs few and
//      small linear systems, after a few iterations of admm where the component is large: with nearly all contacts
//      sticking its one factorization is enough
//   3. where newton finds no way: ipm, whose last point newton finishes; then proximal points with newton inside; then
//      nsgs to the end
//
// The best iterate is kept throughout; the report tells what ran.
#pragma once

#include "solvers/admm.h"
#include "solvers/components.h"
#include "solvers/ipm.h"
#include "solvers/newton.h"
#include "solvers/proximal.h"

namespace carom {

struct AutoOptions {
  StopOptions stop{.max_iterations = 100000};
  bool record_history = false;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    StopOptions::visit(o.stop, visit);
    visit("record_history", o.record_history, OptionRange{}, "", "keep the residuals of every stage");
  }
};

class Auto : public Solver {
 public:
  using Options = AutoOptions;
  static constexpr std::string_view kName = "auto";
  static constexpr ConeKinds kTakes = kAllCones;

  explicit Auto(const AutoOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  AutoOptions& options() { return options_; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  // What ran, for the report.
  struct Tally {
    int sweeps = 0;
    int admm_parts = 0, admm_iterations = 0;
    int newton_parts = 0, newton_iterations = 0;
    int ipm_parts = 0, ipm_iterations = 0;
    int proximal_parts = 0, proximal_steps = 0;
    std::string text(int parts) const;
  };

  bool sweep(const ConeProblem& problem, VectorOut r);
  void solve_parts(const ConeProblem& problem, VectorOut r);
  void solve_part(double tolerance);
  double part_error(const ConeProblem& problem, int c, VectorIn r, VectorIn u) const;
  double seconds_left() const;

  AutoOptions options_;
  StopTest stop_;
  Nsgs nsgs_;
  Admm admm_;
  Newton newton_;
  Ipm ipm_;
  Proximal proximal_;
  ComponentFinder finder_;
  Components components_;
  BlockSparse storage_;
  const BlockSparse* W_ = nullptr;
  ConeProblem part_;  // one component as a problem of its own
  Vector r_part_;
  double norm_q_ = 1;
  Tally tally_;
};

}  // namespace carom
