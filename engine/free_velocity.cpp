#include "engine/phases.h"

namespace carom {

void compute_free_velocity(const Model& model, const StepOptions& options, const BodyState& state, double t, double h,
                           StepContext& c) {
  const BodyState& mid = c.mid;
  BodyState& free = c.free;
  const auto count = static_cast<std::size_t>(state.size());
  c.force.resize(count);
  c.torque.resize(count);
  accumulate_forces(model, mid, t + 0.5 * h, c.force, c.torque);

  free.resize(state.size());
  parallel_for(options.threads, state.size(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    switch (model.bodies.kind[i]) {
      case BodyKind::Dynamic: {
        Vec3 f = c.force[i];
        if (options.planar) f -= f.dot(*options.planar) * *options.planar;
        free.velocity[i] = state.velocity[i] + h * model.bodies.inverse_mass[i] * f;
        const Vec3 body_torque = mid.rotation[i].conjugate() * c.torque[i];
        free.spin[i] = mid.spin[i] + h * (model.bodies.inverse_inertia[i] * body_torque);
        break;
      }
      case BodyKind::Kinematic: {
        const MotionSample end = model.motion[i](model.initial_pose[i], t + h);
        free.velocity[i] = end.velocity;
        free.spin[i] = end.pose.rotation.conjugate() * end.angular_velocity;
        break;
      }
      case BodyKind::Fixed:
      case BodyKind::Removed:
        free.velocity[i].setZero();
        free.spin[i].setZero();
        break;
    }
  });
}

}  // namespace carom
