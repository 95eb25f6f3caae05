#include "engine/system_impact.h"

#include "base/check.h"

namespace carom {

namespace {

// v = v_minus + M^-1 H^T p at a fixed position, factored once for all moments of an impact.
class Response {
 public:
  explicit Response(const SystemImpact& impact) : impact_(impact) {
    impact.system->mass_matrix(impact.q, M_);
    CAROM_CHECK(mass_.compute(M_), "impact_at has factored this matrix before");
    rows_.resize(impact.closed.size());
    for (std::size_t k = 0; k < rows_.size(); ++k)
      impact.system->contact_rows(impact.t, impact.q, impact.closed[k], rows_[k]);
  }

  VectorXd velocity(VectorIn p) const {
    VectorXd change = VectorXd::Zero(impact_.v.size());
    add_momentum(rows_, impact_.problem.cones, p, change);
    mass_.solve(change);
    return impact_.v + change;
  }
  double kinetic(VectorIn v) const { return 0.5 * v.dot(M_ * v); }

 private:
  const SystemImpact& impact_;
  SparseMatrix M_;
  MassFactor mass_;
  std::vector<ContactRows> rows_;
};

// Nobody listens any more, however the law ends.
struct Unobserve {
  ImpactLaw& law;
  ~Unobserve() { law.observe({}); }
};

}  // namespace

SystemImpact impact_at(std::shared_ptr<const LagrangianSystem> system, double t, const LagrangianState& state,
                       std::vector<int> closed, std::span<const double> preload) {
  SystemImpact impact{std::move(system), t, state.q, state.v, std::move(closed), {}};
  impact.problem = impact_of(*impact.system, t, impact.q, impact.v, impact.closed);
  for (std::size_t k = 0; k < impact.closed.size() && !preload.empty(); ++k)
    impact.problem.contacts[k].preload = preload[static_cast<std::size_t>(impact.closed[k])];
  return impact;
}

ImpactOutcome strike(const SystemImpact& impact, ImpactLaw& law, const MomentObserver& observer) {
  const Response response(impact);
  ImpactMoment moment;
  const Unobserve afterwards{law};
  if (observer)
    law.observe([&](const ImpactSample& sample) {
      moment.time = sample.time;
      moment.u = sample.u;
      moment.p = sample.p;
      moment.force = sample.force;
      moment.energy = sample.energy;
      moment.v = response.velocity(sample.p);
      moment.kinetic = response.kinetic(moment.v);
      moment.potential = moment.energy.size() > 0 ? moment.energy.sum() : 0.0;
      observer(moment);
    });

  ImpactOutcome outcome;
  outcome.report = law.apply(impact.problem, outcome.p);
  outcome.u = velocity_after(impact.problem, outcome.p);
  outcome.v = response.velocity(outcome.p);
  outcome.kinetic_before = response.kinetic(impact.v);
  outcome.kinetic_after = response.kinetic(outcome.v);
  outcome.body_energies = impact.system->body_energies(impact.q, outcome.v);
  outcome.dispersion = dispersion_index(outcome.body_energies);
  return outcome;
}

}  // namespace carom
