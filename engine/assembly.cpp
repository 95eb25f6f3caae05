#include <algorithm>

#include "engine/phases.h"
#include "engine/rolling.h"

namespace carom {

namespace {

// Relative velocity of the contact points in the contact frame:
// u = frame (v_a + w_a x arm_a - v_b - w_b x arm_b), angular velocities in the world; then R (w_a - w_b) where rolling
// is resisted.
void relative_velocity(const ActiveContacts& active, const Cone& cone, std::size_t i, const BodyState& velocities,
                       const BodyState& mid, double* u) {
  const auto a = static_cast<std::size_t>(active.bodies[i][0]), b = static_cast<std::size_t>(active.bodies[i][1]);
  const Vec3 wa = mid.rotation[a] * velocities.spin[a], wb = mid.rotation[b] * velocities.spin[b];
  const Vec3 local = active.frame[i] * (velocities.velocity[a] + wa.cross(active.arm_a[i]) - velocities.velocity[b] -
                                        wb.cross(active.arm_b[i]));
  const int tangents = cone.tangents();
  for (int k = 0; k <= tangents; ++k) u[k] = local[k];
  if (cone.kind == ConeKind::Rolling) rolling_velocity(active, i, tangents, wa - wb, u + 1 + tangents);
}

}  // namespace

void assemble_problem(const Model& model, const StepOptions& options, StepContext& c) {
  const BodyState& mid = c.mid;
  const ActiveContacts& active = c.active;
  ConeProblem& problem = c.problem;
  if (!problem.W.factors) problem.W.factors.emplace();
  DelassusFactors& factors = *problem.W.factors;
  const Cones& cones = problem.cones;

  // M^-1 at the middle of the step: R I^-1 R^T
  factors.inverse_mass.resize(static_cast<std::size_t>(mid.size()));
  parallel_for(options.threads, mid.size(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    const Mat3 R = mid.rotation[i].toRotationMatrix();
    factors.inverse_mass[i].linear = model.bodies.inverse_mass[i];
    factors.inverse_mass[i].angular = R * model.bodies.inverse_inertia[i] * R.transpose();
  });

  // One row of H per direction d: (d, arm_a x d, -arm_b x d)
  factors.bodies.resize(static_cast<std::size_t>(cones.count()));
  factors.rows.resize(static_cast<std::size_t>(cones.rows()));
  problem.q.resize(cones.rows());
  c.u_minus.resize(cones.rows());
  parallel_for(options.threads, c.found.size(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    const Cone& cone = cones[static_cast<int>(index)];
    const int offset = cones.offset(static_cast<int>(index)), tangents = cone.tangents();
    FactorRow* H = factors.rows.data() + offset;
    factors.bodies[i] = active.movable[i];
    for (int k = 0; k <= tangents; ++k) {
      const Vec3 d = active.frame[i].row(k);
      H[k] = {d, active.arm_a[i].cross(d), d.cross(active.arm_b[i])};
    }
    if (cone.kind == ConeKind::Rolling) assemble_rolling(active, i, tangents, H + 1 + tangents);
    relative_velocity(active, cone, i, c.free, mid, problem.q.data() + offset);
    relative_velocity(active, cone, i, mid, mid, c.u_minus.data() + offset);
  });
  assemble_joints(model, options, c);
  assemble_bonds(c);
}

void apply_impulses(const Model& model, const StepOptions& options, double h, StepContext& c) {
  const BodyState &mid = c.mid, &free = c.free;
  const ActiveContacts& active = c.active;
  const Cones& cones = c.problem.cones;
  BodyState& next = c.next;
  WarmStart& warm = c.warm;
  c.impulse.resize(cones.rows());
  c.impulse = c.r + c.p;
  accumulate_twists(*c.problem.W.factors, cones, c.impulse, c.change);

  next.resize(free.size());
  c.spin_plus.resize(static_cast<std::size_t>(free.size()));
  parallel_for(options.threads, free.size(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    next.velocity[i] = free.velocity[i] + c.change[i].linear;
    next.spin[i] = c.spin_plus[i] = free.spin[i] + mid.rotation[i].conjugate() * c.change[i].angular;
  });

  // The next step starts from r alone: what an impact transmitted will not act again.
  c.u.resize(cones.rows());
  c.impulse_world.resize(c.found.key.size());
  warm.key.resize(c.found.key.size());
  std::copy(c.found.key.begin(), c.found.key.end(), warm.key.begin());
  warm.impulse.resize(c.found.key.size());
  const bool rolling = std::any_of(c.law.begin(), c.law.end(), [](const PairLaw& l) { return l.rolling_friction > 0; });
  warm.moment.resize(rolling ? c.found.key.size() : 0);
  warm.h = h;
  parallel_for(options.threads, c.found.size(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    const Cone& cone = cones[static_cast<int>(index)];
    const int offset = cones.offset(static_cast<int>(index)), points = 1 + cone.tangents();
    relative_velocity(active, cone, i, next, mid, c.u.data() + offset);
    const auto to_world = active.frame[i].topRows(points).transpose();
    warm.impulse[i] = to_world * c.r.segment(offset, points);
    c.impulse_world[i] = to_world * c.impulse.segment(offset, points);
    if (!rolling) return;
    const double* r_m = c.r.data() + offset + points;
    warm.moment[i].setZero();
    if (cone.kind == ConeKind::Rolling) warm.moment[i] = rolling_moment(active, i, cone.tangents(), r_m);
  });
  apply_joints(model, c);
  apply_bonds(c);
}

}  // namespace carom
