#include <algorithm>

#include "engine/phases.h"

namespace carom {

namespace {

// Relative velocity of the contact points in the contact frame:
// u = frame (v_a + w_a x arm_a - v_b - w_b x arm_b), angular velocities in the world.
Vec3 relative_velocity(const ActiveContacts& active, std::size_t i, const BodyState& velocities, const BodyState& mid) {
  const auto a = static_cast<std::size_t>(active.bodies[i][0]), b = static_cast<std::size_t>(active.bodies[i][1]);
  const Vec3 wa = mid.rotation[a] * velocities.spin[a], wb = mid.rotation[b] * velocities.spin[b];
  return active.frame[i] *
         (velocities.velocity[a] + wa.cross(active.arm_a[i]) - velocities.velocity[b] - wb.cross(active.arm_b[i]));
}

}  // namespace

void assemble_problem(const Model& model, const StepOptions& options, const BodyState& mid, const BodyState& free,
                      const ActiveContacts& active, ConeProblem& problem, Vector& u_minus) {
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
  factors.bodies.resize(active.movable.size());
  factors.rows.resize(static_cast<std::size_t>(cones.rows()));
  problem.q.resize(cones.rows());
  u_minus.resize(cones.rows());
  parallel_for(options.threads, cones.count(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    const int offset = cones.offset(static_cast<int>(index)), dim = cones.dim(static_cast<int>(index));
    factors.bodies[i] = active.movable[i];
    for (int k = 0; k < dim; ++k) {
      const Vec3 d = active.frame[i].row(k);
      factors.rows[static_cast<std::size_t>(offset + k)] = {d, active.arm_a[i].cross(d), d.cross(active.arm_b[i])};
    }
    problem.q.segment(offset, dim) = relative_velocity(active, i, free, mid).head(dim);
    u_minus.segment(offset, dim) = relative_velocity(active, i, mid, mid).head(dim);
  });
}

void apply_impulses(const StepOptions& options, const BodyState& mid, const BodyState& free, const ContactSet& found,
                    const ActiveContacts& active, const ConeProblem& problem, const Vector& r, double h,
                    std::vector<Twist>& change, BodyState& next, std::vector<Vec3>& spin_plus, Vector& u,
                    WarmStart& warm) {
  const Cones& cones = problem.cones;
  accumulate_twists(*problem.W.factors, cones, r, change);

  next.resize(free.size());
  spin_plus.resize(static_cast<std::size_t>(free.size()));
  parallel_for(options.threads, free.size(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    next.velocity[i] = free.velocity[i] + change[i].linear;
    next.spin[i] = spin_plus[i] = free.spin[i] + mid.rotation[i].conjugate() * change[i].angular;
  });

  u.resize(cones.rows());
  warm.key.resize(found.key.size());
  std::copy(found.key.begin(), found.key.end(), warm.key.begin());
  warm.impulse.resize(found.key.size());
  warm.h = h;
  parallel_for(options.threads, cones.count(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    const int offset = cones.offset(static_cast<int>(index)), dim = cones.dim(static_cast<int>(index));
    u.segment(offset, dim) = relative_velocity(active, i, next, mid).head(dim);
    warm.impulse[i] = active.frame[i].topRows(dim).transpose() * r.segment(offset, dim);
  });
}

}  // namespace carom
