#include <algorithm>
#include <cmath>

#include "engine/phases.h"

namespace carom {

std::string_view name_of(StepPhase phase) {
  switch (phase) {
    case StepPhase::Predict:
      return "predict";
    case StepPhase::Detect:
      return "detect";
    case StepPhase::Match:
      return "match";
    case StepPhase::FreeVelocity:
      return "free_velocity";
    case StepPhase::Assemble:
      return "assemble";
    case StepPhase::Impact:
      return "impact";
    case StepPhase::Solve:
      return "solve";
    case StepPhase::Apply:
      return "apply";
    case StepPhase::Advance:
      return "advance";
    case StepPhase::Project:
      return "project";
    case StepPhase::Report:
      return "report";
    case StepPhase::Count:
      break;
  }
  return "unknown";
}

std::string_view name_of(Activation activation) {
  return activation == Activation::Predicted ? "predicted" : "midpoint";
}

namespace {

double kinetic_energy(const Model& model, const BodyState& state, std::size_t i) {
  // 1/2 m v.v + 1/2 w.(I w); in planar mode w lies along the one axis left
  return 0.5 * (model.bodies.mass[i] * state.velocity[i].squaredNorm() +
                state.spin[i].dot(model.bodies.inertia[i] * state.spin[i]));
}

EnergyReport sum(const EnergyReport& x, const EnergyReport& y) {
  return {x.kinetic + y.kinetic,
          x.potential + y.potential,
          x.external_work + y.external_work,
          x.boundary_work + y.boundary_work,
          x.contact_work + y.contact_work,
          x.projection_work + y.projection_work,
          x.balance_error + y.balance_error,
          x.elastic + y.elastic,
          x.joint_work + y.joint_work};
}

// One body's part of the balance. Work is force times the mean velocity of the step; what the position
// update did beyond that is the projection's.
EnergyReport body_energy(const Model& model, const BodyState& before, const StepContext& c, std::size_t i, double t,
                         double h) {
  EnergyReport e;
  if (model.bodies.kind[i] != BodyKind::Dynamic) return e;
  const BodyState& after = c.next;
  const double m = model.bodies.mass[i];
  const Vec3 g_before = model.forces.gravity.at(t), g_after = model.forces.gravity.at(t + h);
  const Vec3 mean_velocity = 0.5 * (before.velocity[i] + after.velocity[i]);
  const Vec3 mean_spin = 0.5 * (c.mid.spin[i] + c.spin_plus[i]);
  const Vec3 moved = h * mean_velocity;

  e.kinetic = kinetic_energy(model, after, i);
  e.potential = -m * g_after.dot(after.position[i]);
  const Vec3 projected = after.position[i] - before.position[i] - moved;
  e.projection_work = -m * g_after.dot(projected);
  const double torque_work = h * (c.mid.rotation[i] * mean_spin).dot(c.torque[i]);
  // all forces, and what gravity's growth adds to the potential energy
  const double potential_change = -m * (g_after.dot(before.position[i] + moved) - g_before.dot(before.position[i]));
  e.external_work = moved.dot(c.force[i]) + torque_work + potential_change;
  e.balance_error = e.kinetic - kinetic_energy(model, before, i) - moved.dot(c.force[i]) - torque_work;
  return e;
}

// One contact's part: impulse times the mean relative velocity, and the work of bodies in prescribed motion.
EnergyReport contact_energy(const Model& model, const BodyState& before, const StepContext& c, std::size_t i) {
  EnergyReport e;
  const Cones& cones = c.problem.cones;
  const int offset = cones.offset(static_cast<int>(i)), dim = cones.dim(static_cast<int>(i));
  e.contact_work = 0.5 * c.impulse.segment(offset, dim).dot(c.u.segment(offset, dim) + c.u_minus.segment(offset, dim));
  if (!c.bonds.disc.empty() && c.bonds.disc[i] >= 0) {
    const int disc = c.found.size() + c.joint_blocks + c.bonds.disc[i], first = cones.offset(disc);
    for (int k = first + 1; k < first + cones.dim(disc); ++k)
      e.contact_work += 0.5 * c.impulse[k] * (c.u[k] + c.u_minus[k]);
  }

  const Vec3& impulse = c.impulse_world[i];
  const Vec3 moment = c.warm.moment.empty() ? Vec3::Zero() : c.warm.moment[i];
  const auto work_on = [&](int body, const Vec3& arm) {
    const auto k = static_cast<std::size_t>(body);
    if (model.bodies.kind[k] != BodyKind::Kinematic) return 0.0;
    const Vec3 v = 0.5 * (before.velocity[k] + c.next.velocity[k]);
    const Vec3 w = 0.5 * (c.mid.rotation[k] * (before.spin[k] + c.next.spin[k]));
    return impulse.dot(v + w.cross(arm)) + moment.dot(w);
  };
  e.boundary_work =
      work_on(c.active.bodies[i][1], c.active.arm_b[i]) - work_on(c.active.bodies[i][0], c.active.arm_a[i]);
  e.balance_error = -e.contact_work - e.boundary_work;
  return e;
}

}  // namespace

EnergyReport energies_of(const Model& model, const BodyState& state, double t) {
  EnergyReport e;
  const Vec3 g = model.forces.gravity.at(t);
  for (std::size_t i = 0; i < static_cast<std::size_t>(state.size()); ++i) {
    if (model.bodies.kind[i] != BodyKind::Dynamic) continue;
    e.kinetic += kinetic_energy(model, state, i);
    e.potential -= model.bodies.mass[i] * g.dot(state.position[i]);
  }
  return e;
}

// What fixed and driven bodies, and the world through joints, did to those that move; mean over the step, N.
static Vec3 support_reaction(const Model& model, double h, const StepContext& c) {
  const auto grounded = [&](int body) {
    return body < 0 || model.bodies.kind[static_cast<std::size_t>(body)] != BodyKind::Dynamic;
  };
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < c.impulse_world.size(); ++i) {
    if (grounded(c.active.bodies[i][1])) sum += c.impulse_world[i];
    if (grounded(c.active.bodies[i][0])) sum -= c.impulse_world[i];
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (!model.joints[j].alive) continue;
    const Eigen::Map<const Vec3> impulse(c.joints.memory[j].force.data());
    if (grounded(model.joints[j].bodies[1])) sum += impulse;
    if (grounded(model.joints[j].bodies[0])) sum -= impulse;
  }
  return sum / h;
}

void report_contacts(const ContactStep& c, StepReport& report) {
  report.contacts = c.problem.cones.count() - c.joint_blocks - c.disc_blocks;
  report.islands = c.islands.count();
  report.largest_island = c.islands.largest();
  report.impacts = c.impacts;
  report.failed_impacts = c.failed_impacts;
  report.status = c.solve.solved() && c.failed_impacts > 0 ? SolveStatus::Stalled : c.solve.status;
  report.iterations = c.solve.iterations;
  report.residuals = c.solve.residuals;
}

void report_step(const Model& model, const StepOptions& options, const BodyState& state, double t, double h,
                 StepContext& c, StepReport& report) {
  const EnergyReport bodies = parallel_reduce(
      options.threads, state.size(), EnergyReport{},
      [&](std::ptrdiff_t i) { return body_energy(model, state, c, static_cast<std::size_t>(i), t, h); }, sum,
      c.energy_scratch);
  const EnergyReport contacts = parallel_reduce(
      options.threads, c.found.size(), EnergyReport{},
      [&](std::ptrdiff_t i) { return contact_energy(model, state, c, static_cast<std::size_t>(i)); }, sum,
      c.energy_scratch);
  report.energy = sum(sum(bodies, contacts), report_joints(model, state, c));

  break_bonds(model, c);
  report.broken_bonds = c.bonds.broken_count;
  report.support_reaction = support_reaction(model, h, c);
  report.worst_joint_error = c.joints.worst_error;
  report_contacts(c, report);
  report.worst_penetration = 0;
  for (double gap : c.found.gap) report.worst_penetration = std::max(report.worst_penetration, -gap);
  // A state that stopped being finite is a failed step, whatever the solver thought.
  if (!std::isfinite(report.energy.kinetic) || !std::isfinite(report.energy.potential))
    report.status = SolveStatus::NumericalError;
}

}  // namespace carom
