#include "engine/impact/impact_law.h"

#include <fmt/format.h>

#include "base/error.h"

namespace carom {

bool ImpactLaw::begin(const ImpactProblem& problem, double most_restitution, VectorXd& p, ImpactReport& report) const {
  check_impact(problem);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const double e = problem.contacts[i].restitution;
    if (e > most_restitution)
      throw InputError({"", 0, 0, fmt::format("contact {}", i)},
                       fmt::format("restitution must be in [0, {:g}] for the law {}", most_restitution, name()),
                       fmt::format("{}", e));
  }
  p.setZero(problem.cones.rows());
  report = ImpactReport();
  show(0, problem.u_minus, p);
  if (approach_speed(problem) > 0) return true;
  report.status = ImpactStatus::NothingApproaches;
  report.uniqueness = Uniqueness::Unique;
  end(problem, p, report);
  return false;
}

void ImpactLaw::end(const ImpactProblem& problem, VectorIn p, ImpactReport& report) const {
  judge_impact(problem, p, report);
  if (observer_) show(report.events + 1, velocity_after(problem, p), p);
}

void ImpactLaw::show(double time, VectorIn u, VectorIn p) const {
  static const VectorXd nothing;
  if (observer_) observer_({.time = time, .u = u, .p = p, .force = nothing, .energy = nothing});
}

}  // namespace carom
