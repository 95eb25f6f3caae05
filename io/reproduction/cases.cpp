#include "io/reproduction/cases.h"

#include <cmath>

namespace carom {

namespace {

constexpr double kTouching = 1e-12;  // m

}  // namespace

SystemImpact touching(std::shared_ptr<const LagrangianSystem> system) {
  const LagrangianState start = system->initial_state();
  std::vector<int> closed = closed_contacts(*system, 0, start.q, kTouching);
  return impact_at(std::move(system), 0, start, std::move(closed));
}

ImpactOutcome strike_with(const SystemImpact& impact, const std::string& law, const OptionValues& options,
                          const MomentObserver& observer) {
  return strike(impact, *make_impact_law(law, options), observer);
}

SystemImpact struck_chain(const BallChainParameters& parameters) {
  return touching(std::make_shared<BallChain>(parameters));
}

LzbOutcome strike_with_lzb(const SystemImpact& impact, const LzbOptions& options, const MomentObserver& observer) {
  Lzb law(options);
  LzbOutcome result;
  result.outcome = strike(impact, law, observer);
  for (int i = 0; i < impact.problem.cones.count(); ++i) result.records.push_back(law.record(i));
  return result;
}

void ForceHistory::operator()(const ImpactMoment& moment) {
  if (moment.force.size() == 0 || (moment.time <= last_.time && moment.time > 0)) return;
  const Sample now{moment.time, moment.force[row]};
  if (last_.force > 0 && now.force <= 0 && std::isnan(first_separation)) first_separation = now.time;
  if (last_.force > before_.force && last_.force > now.force) maxima.push_back(last_.time);
  before_ = last_;
  last_ = now;
}

std::vector<double> to_list(VectorIn v) { return {v.begin(), v.end()}; }

}  // namespace carom
