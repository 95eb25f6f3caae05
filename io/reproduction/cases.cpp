#include "io/reproduction/cases.h"

namespace carom {

namespace {

constexpr double kTouching = 1e-12;  // m

std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

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

ForceHistory::ForceHistory(const SystemImpact& impact) : impact_(impact) {
  const std::size_t rows = at(impact.problem.u_minus.size()), contacts = impact.closed.size();
  peak.assign(rows, 0.0);
  first_separation.assign(rows, kNone);
  last_contact.assign(rows, 0.0);
  times_of_maxima.resize(rows);
  phases.assign(contacts, 0);
  before_.resize(rows);
  last_.resize(rows);
  compressing_.assign(contacts, false);
}

MomentObserver ForceHistory::observer() {
  return [this](const ImpactMoment& moment) {
    for (Eigen::Index i = 0; i < moment.force.size(); ++i) {
      const Sample now{moment.time, moment.force[i]};
      Sample &last = last_[at(i)], &before = before_[at(i)];
      peak[at(i)] = std::max(peak[at(i)], now.force);
      if (now.force > 0) last_contact[at(i)] = now.time;
      if (last.force > 0 && now.force <= 0 && std::isnan(first_separation[at(i)])) first_separation[at(i)] = now.time;
      if (last.force > before.force && last.force > now.force) times_of_maxima[at(i)].push_back(last.time);
      if (now.time > last.time) {
        before = last;
        last = now;
      }
    }
    const Cones& cones = impact_.problem.cones;
    for (int k = 0; k < cones.count(); ++k) {
      // A phase of compression begins where a contact that did not approach does.
      const bool approaches = moment.u[cones.offset(k)] < -1e-12;
      if (approaches && !compressing_[at(k)]) ++phases[at(k)];
      compressing_[at(k)] = approaches;
    }
  };
}

std::vector<double> to_list(VectorIn v) { return {v.begin(), v.end()}; }

}  // namespace carom
