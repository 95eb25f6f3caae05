#include "engine/impact/newton.h"

namespace carom {

void apply_newton_law(std::span<const PairLaw> laws, const Cones& cones, VectorIn u_minus, VectorOut q) {
  for (int i = 0; i < cones.count(); ++i) {
    const PairLaw& law = laws[static_cast<std::size_t>(i)];
    const int k = cones.offset(i);
    q[k] += law.restitution * u_minus[k];
    for (int j = 1; j <= cones[i].tangents(); ++j) q[k + j] += law.tangential_restitution * u_minus[k + j];
  }
}

std::string_view name_of(NewtonPreset preset) {
  switch (preset) {
    case NewtonPreset::Contacts:
      return "contacts";
    case NewtonPreset::Moreau:
      return "moreau";
    case NewtonPreset::Fremond:
      return "fremond";
  }
  return "unknown";
}

double NewtonLaw::tangential(const ImpactContact& contact) const {
  switch (options_.preset) {
    case NewtonPreset::Moreau:
      return 0;
    case NewtonPreset::Fremond:
      return 1;
    case NewtonPreset::Contacts:
      break;
  }
  return contact.tangential_restitution;
}

ImpactReport NewtonLaw::apply(const ImpactProblem& problem, VectorXd& p) {
  ImpactReport report;
  if (!begin(problem, kMostRestitution, p, report)) return report;
  judge_parameters(problem, report);

  // q = (I + E) u_minus
  const Cones& cones = problem.cones;
  q_ = problem.u_minus;
  for (int i = 0; i < cones.count(); ++i) {
    const ImpactContact& contact = problem.contacts[static_cast<std::size_t>(i)];
    const int k = cones.offset(i);
    q_[k] *= 1 + contact.restitution;
    for (int j = 1; j < cones.dim(i); ++j) q_[k + j] *= 1 + tangential(contact);
  }
  // K* contains w + s(w), w = W p + q
  if (solver_.solve(problem.W, cones, q_, options_.solve, p, report)) {
    VectorXd w(q_.size());
    carom::apply(problem.W, cones, p, q_, w);
    report.uniqueness = uniqueness_of(problem.W, cones, w, approach_speed(problem));
  }
  end(problem, p, report);
  return report;
}

void NewtonLaw::judge_parameters(const ImpactProblem& problem, ImpactReport& report) const {
  bool one_e = true, none_separates = true, fremond = true, kinematic = true;
  const double e = problem.contacts[0].restitution;
  for (int i = 0; i < problem.cones.count(); ++i) {
    const ImpactContact& contact = problem.contacts[static_cast<std::size_t>(i)];
    const double e_t = tangential(contact);
    const bool friction = problem.cones[i].kind == ConeKind::Coulomb && problem.cones[i].mu > 0;
    const bool separates = problem.u_minus[problem.cones.offset(i)] > 0;
    one_e &= contact.restitution == e && (!friction || e_t == e);
    none_separates &= !separates;
    fremond &= !friction || e_t == 1;
    kinematic &= !separates || contact.restitution == 0;
  }
  if (!one_e && !(none_separates && fremond)) {
    report.admissible = false;
    add_remark(report, fremond ? "energy can grow: contacts of different e_n, of which some separate before the impact"
                               : "energy can grow: friction with e_t neither 1 nor equal to a common e_n");
  }
  if (!kinematic) add_remark(report, "a contact that separates before the impact may approach after it");
}

}  // namespace carom
