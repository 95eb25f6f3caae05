#include "engine/forces.h"

#include <algorithm>

#include "engine/phases.h"

namespace carom {

void accumulate_forces(const Model& model, const BodyState& mid, double t, std::span<Vec3> force,
                       std::span<Vec3> torque) {
  const Vec3 g = model.forces.gravity.at(t);
  for (std::size_t i = 0; i < force.size(); ++i) {
    force[i] = model.bodies.mass[i] * g;
    torque[i].setZero();
  }
  for (const Load& load : model.forces.loads) {
    if (t < load.from || t > load.to) continue;
    const double share = load.ramp > 0 ? std::min(1.0, (t - load.from) / load.ramp) : 1.0;
    const auto i = static_cast<std::size_t>(load.body.index);
    if (model.bodies.generation[i] != load.body.generation) continue;
    force[i] += share * load.force;
    torque[i] += share * (load.torque + (mid.rotation[i] * load.point).cross(load.force));
  }
  for (const ForceField& field : model.forces.fields) field(t, mid, force, torque);
}

}  // namespace carom
