#include "engine/phases.h"
#include "engine/rotation.h"

namespace carom {

void predict_midpoint(const Model& model, const StepOptions& options, const BodyState& state, double t, double h,
                      BodyState& mid, std::vector<Pose>& collider_pose) {
  // Contacts are looked for where bodies are after this fraction of the step.
  const double fraction = options.activation == Activation::Predicted ? 1.0 : 0.5;

  mid.resize(state.size());
  parallel_for(options.threads, state.size(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    if (model.bodies.kind[i] == BodyKind::Kinematic) {
      const MotionSample sample = model.motion[i](model.initial_pose[i], t + fraction * h);
      mid.position[i] = sample.pose.position;
      mid.rotation[i] = sample.pose.rotation;
    } else {
      mid.position[i] = state.position[i] + fraction * h * state.velocity[i];
      mid.rotation[i] = rotated(state.rotation[i], fraction * h * state.spin[i]);
    }
  });

  collider_pose.resize(static_cast<std::size_t>(model.colliders.size()));
  parallel_for(options.threads, model.colliders.size(), [&](std::ptrdiff_t index) {
    const auto k = static_cast<std::size_t>(index);
    collider_pose[k] = pose_of(mid, model.colliders.body[k]) * model.colliders.local[k];
  });
}

void advance_positions(const Model& model, const StepOptions& options, const BodyState& state, double t, double h,
                       BodyState& next) {
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
    next.rotation[i] = rotated(state.rotation[i], h * ((1 - theta) * state.spin[i] + theta * next.spin[i]));
  });
}

}  // namespace carom
