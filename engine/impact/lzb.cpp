#include "engine/impact/lzb.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace carom {

namespace {

constexpr double kLocalShare = 0.01;       // of the tolerance: error of one substep
constexpr double kQuietShare = 0.1;        // speed below which a contact is at rest
constexpr double kRestitutionShare = 0.1;  // least restitution told from 0
constexpr long kLeastLimit = 1000000;      // of substeps
constexpr long kSubstepsPerContact = 100;  // a pulse in a chain takes eight

void check_parameters(const ImpactProblem& problem) {
  check_impact(problem);
  for (int i = 0; i < problem.cones.count(); ++i) {
    const double e = problem.contacts[i].restitution;
    if (e > 1)
      throw InputError({"", 0, 0, fmt::format("contact {}", i)}, "energetic restitution must be in [0, 1]",
                       fmt::format("{}", e));
  }
  if (!is_symmetric(problem.W, problem.cones, 1e-9))
    throw InputError({"", 0, 0, "W"}, "lzb needs a symmetric Delassus matrix", "unsymmetric");
}

bool frictionless(const Cones& cones) {
  for (int i = 0; i < cones.count(); ++i)
    if (cones[i].kind == ConeKind::Coulomb && cones[i].mu > 0) return false;
  return true;
}

}  // namespace

std::string_view name_of(LzbModel model) { return model == LzbModel::BiStiffness ? "bi_stiffness" : "mono_stiffness"; }

ImpactReport Lzb::apply(const ImpactProblem& problem, VectorXd& p) {
  check_parameters(problem);
  ImpactReport report;
  p.setZero(problem.cones.rows());
  if (approach_speed(problem) <= 0) {
    report.status = ImpactStatus::NothingApproaches;
    state_.contacts.assign(problem.contacts.size(), LzbContact{});
    if (observer_)
      for (int end = 0; end < 2; ++end) observer_({0.0, problem.u_minus, p, VectorXd(), VectorXd()});
    judge_impact(problem, p, report);
    return report;
  }
  const double quiet = kQuietShare * options_.tolerance;
  start_state(problem, options_.model, kRestitutionShare * options_.tolerance, quiet, state_);
  LzbLimits limits;
  limits.local_tolerance = kLocalShare * options_.tolerance;
  limits.rest = options_.rest;
  limits.max_substeps = options_.max_substeps > 0 ? options_.max_substeps
                                                  : std::max(kLeastLimit, kSubstepsPerContact * problem.cones.count());
  limits.chatter = options_.chatter;
  if (observer_) limits.longest_step = 1.0 / options_.samples;
  if (observer_) sample();
  report.status = integrator_.run(state_, limits, observer_ ? [this] { sample(); } : std::function<void()>());
  p = state_.scales.impulse * state_.p;
  report.events = state_.compressions;
  report.substeps = state_.substeps;
  report.duration = state_.time * state_.scales.time;
  report.uniqueness = frictionless(problem.cones) ? Uniqueness::Unique : Uniqueness::NotKnown;
  if (report.status == ImpactStatus::EventLimit)
    report.message =
        fmt::format("stopped after {} substeps (max_substeps) at {:.3g} s", report.substeps, report.duration);
  if (report.status == ImpactStatus::NumericalError)
    report.message =
        fmt::format("no step could be taken after {} substeps at {:.3g} s", report.substeps, report.duration);
  if (state_.softened > 0)
    add_remark(report, fmt::format("contacts softened because they vibrated {} times (chatter): {}, at speeds up to "
                                   "{:.2g} m/s, about as far as velocities may be off",
                                   options_.chatter, state_.softened, state_.chatter_speed * state_.scales.velocity));
  judge_impact(problem, p, report);
  return report;
}

void Lzb::sample() {
  const LzbScales& scales = state_.scales;
  u_ = scales.velocity * state_.u;
  p_ = scales.impulse * state_.p;
  force_.setZero(u_.size());
  energy_.setZero(static_cast<Eigen::Index>(state_.contacts.size()));
  for (int i = 0; i < energy_.size(); ++i) {
    const LzbContact& contact = state_.contacts[i];
    force_[state_.problem->cones.offset(i)] = scales.force() * contact.spring.force(contact.x);
    energy_[i] = scales.energy() * contact.spring.energy(contact.x);
  }
  const LzbActive& active = integrator_.active();
  for (int r = active.count(); state_.substeps > 0 && r < active.rows(); ++r)
    force_[active.row[r]] = scales.force() * integrator_.force(r);
  observer_({state_.time * scales.time, u_, p_, force_, energy_});
}

}  // namespace carom
