// Bodies: structure of arrays, split by who reads them.
#pragma once

#include <string>

#include "base/types.h"

namespace carom {

// Names a body outside the engine. A stale handle (its body was removed) is recognized by its
// generation. Inside, bodies are int indices.
struct BodyId {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  bool operator==(const BodyId&) const = default;
};

enum class BodyKind : std::uint8_t {
  Dynamic,    // moved by forces and contacts
  Kinematic,  // follows a prescribed motion
  Fixed,      // never moves
  Removed,    // an empty slot
};

// Hot: read and written by every step.
struct BodyState {
  std::vector<Vec3> position;  // centre of mass, world, m
  std::vector<Quat> rotation;  // body frame to world, unit
  std::vector<Vec3> velocity;  // of the centre of mass, world, m/s
  std::vector<Vec3> spin;      // angular velocity in the BODY frame, rad/s: its inertia is constant there

  int size() const { return static_cast<int>(position.size()); }
  void resize(int n);
};

// Cold: written when a body is added.
struct BodyProperties {
  std::vector<BodyKind> kind;
  std::vector<double> mass;              // kg; 0 unless Dynamic
  std::vector<double> inverse_mass;      // 1/kg; 0 unless Dynamic
  std::vector<Mat3> inertia;             // body frame, about the centre of mass, kg m^2
  std::vector<Mat3> inverse_inertia;     // body frame; rank 1 in planar mode; 0 unless Dynamic
  std::vector<std::uint8_t> gyroscopic;  // 1: spin x (inertia spin) does not vanish identically
  std::vector<std::uint32_t> generation;
  std::vector<std::string> name;   // "" or unique
  std::vector<std::string> group;  // generator the body came from, or ""

  int size() const { return static_cast<int>(kind.size()); }
};

inline Pose pose_of(const BodyState& state, int i) {
  const auto k = static_cast<std::size_t>(i);
  return {state.position[k], state.rotation[k]};
}

}  // namespace carom
