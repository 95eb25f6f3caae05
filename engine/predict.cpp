#include "engine/phases.h"
#include "engine/rotation.h"

namespace carom {

// Gyroscopic torque acts in the halves of the step and impulses between them (Strang's splitting). Each part keeps
// the energy and the angular momentum that it should, so that the whole step does, contacts included.
namespace {

// Spin of a body that is left alone for dt, body frame.
Vec3 free_spin(const BodyProperties& bodies, std::size_t i, const Vec3& spin, double dt) {
  if (bodies.gyroscopic[i] == 0) return spin;
  return gyroscopic_step(bodies.inertia[i], bodies.inverse_inertia[i], spin, Vec3::Zero(), dt);
}

}  // namespace

void predict_midpoint(const Model& model, const StepOptions& options, const BodyState& state, double t, double h,
                      StepContext& c) {
  BodyState& mid = c.mid;
  // Contacts are looked for where bodies are after this fraction of the step.
  const double fraction = options.activation == Activation::Predicted ? 1.0 : 0.5;

  mid.resize(state.size());
  parallel_for(options.threads, state.size(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    if (model.bodies.kind[i] == BodyKind::Kinematic) {
      const MotionSample sample = model.motion[i](model.initial_pose[i], t + fraction * h);
      mid.position[i] = sample.pose.position;
      mid.rotation[i] = sample.pose.rotation;
      mid.spin[i] = state.spin[i];
    } else {
      mid.spin[i] = free_spin(model.bodies, i, state.spin[i], 0.5 * h);
      mid.position[i] = state.position[i] + fraction * h * state.velocity[i];
      mid.rotation[i] = rotated(state.rotation[i], fraction * h * 0.5 * (state.spin[i] + mid.spin[i]));
    }
    mid.velocity[i] = state.velocity[i];
  });

  start_joints(model, state, c.joints);

  c.collider_pose.resize(static_cast<std::size_t>(model.colliders.size()));
  parallel_for(options.threads, model.colliders.size(), [&](std::ptrdiff_t index) {
    const auto k = static_cast<std::size_t>(index);
    c.collider_pose[k] = pose_of(mid, model.colliders.body[k]) * model.colliders.local[k];
  });
}

void advance_positions(const Model& model, const StepOptions& options, const BodyState& state, double t, double h,
                       StepContext& c) {
  const BodyState& mid = c.mid;
  BodyState& next = c.next;
  const double theta = options.theta;
  parallel_for(options.threads, state.size(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    if (model.bodies.kind[i] == BodyKind::Kinematic) {
      const MotionSample sample = model.motion[i](model.initial_pose[i], t + h);
      next.position[i] = sample.pose.position;
      next.rotation[i] = sample.pose.rotation;
      return;
    }
    next.position[i] = state.position[i] + h * ((1 - theta) * state.velocity[i] + theta * next.velocity[i]);
    const Vec3 spin_plus = next.spin[i];
    next.spin[i] = free_spin(model.bodies, i, spin_plus, 0.5 * h);
    next.rotation[i] = rotated(rotated(state.rotation[i], (1 - theta) * h * 0.5 * (state.spin[i] + mid.spin[i])),
                               theta * h * 0.5 * (spin_plus + next.spin[i]));
  });
  if (!options.projection) project_joints(model, options, c);
}

}  // namespace carom
