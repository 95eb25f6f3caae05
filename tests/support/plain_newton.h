// Newton's law in a few lines, for tests of what uses laws: one cone problem with (I + E) u_minus, solved to the last
// digits.
#pragma once

#include "engine/impact/impact_law.h"
#include "solvers/auto_solver.h"

namespace carom {

class PlainNewton : public ImpactLaw {
 public:
  std::string_view name() const override { return "plain newton"; }
  ImpactReport apply(const ImpactProblem& problem, VectorXd& p) override {
    check_impact(problem);
    ConeProblem cone;
    cone.W.assembled = problem.W;
    cone.cones = problem.cones;
    cone.q = problem.u_minus;
    for (int i = 0; i < problem.cones.count(); ++i) {
      const ImpactContact& contact = problem.contacts[static_cast<std::size_t>(i)];
      for (int k = 0; k < problem.cones.dim(i); ++k)
        cone.q[problem.cones.offset(i) + k] *= 1 + (k == 0 ? contact.restitution : contact.tangential_restitution);
    }
    p = VectorXd::Zero(problem.cones.rows());
    AutoOptions options;
    options.stop.tolerance = 1e-14;
    Auto solver(options);
    ImpactReport report;
    if (solver.solve(cone, p).residuals.natural_map > 1e-11) report.status = ImpactStatus::NotSolved;
    judge_impact(problem, p, report);
    return report;
  }
};

}  // namespace carom
