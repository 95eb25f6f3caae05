// Forces on bodies: gravity with a ramp, loads on single bodies, a user's own field.
#pragma once

#include <functional>
#include <limits>

#include "engine/body.h"

namespace carom {

struct Gravity {
  Vec3 acceleration = Vec3(0, 0, -9.81);  // m/s^2
  double ramp = 0;                        // s; grows linearly from 0 to full over this time

  Vec3 at(double t) const { return ramp > 0 && t < ramp ? Vec3(acceleration * std::max(0.0, t / ramp)) : acceleration; }
};

// A force and a torque on one body while t is in [from, to], grown linearly over `ramp`.
struct Load {
  BodyId body;
  Vec3 force = Vec3::Zero();                            // world, N
  Vec3 torque = Vec3::Zero();                           // world, about the centre of mass, N m
  Vec3 point = Vec3::Zero();                            // body frame, m: where the force acts
  double from = 0;                                      // s
  double to = std::numeric_limits<double>::infinity();  // s
  double ramp = 0;                                      // s
};

// Adds to the forces (N) and torques (N m, world, about the centre of mass) of all bodies at time t,
// given the state at the middle of the step.
using ForceField = std::function<void(double t, const BodyState& mid, std::span<Vec3> force, std::span<Vec3> torque)>;

struct Forces {
  Gravity gravity;
  std::vector<Load> loads;
  std::vector<ForceField> fields;
};

}  // namespace carom
