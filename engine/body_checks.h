// What a new body must satisfy, and its mass properties.
#pragma once

#include "engine/world.h"

namespace carom {

struct MassProperties {
  double mass = 0;
  double inverse_mass = 0;
  Mat3 inertia = Mat3::Zero();
  Mat3 inverse_inertia = Mat3::Zero();
  bool gyroscopic = false;
};

// Throws InputError naming `whose` and the value.
void check_body(const BodySpec& spec, int material_count, const std::optional<Vec3>& planar, const std::string& whose);
void check_options(const StepOptions& options);

// Mass and inertia from the shapes at the given density, or as given. In planar mode rotation is about the
// plane's normal k only: I^-1 becomes k k^T / (k . I k) in the body frame.
MassProperties mass_properties(const BodySpec& spec, const std::optional<Vec3>& planar, const std::string& whose);

}  // namespace carom
