// Forces on bodies: gravity with a ramp, loads on single bodies, a user's own field.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/body.h"

namespace carom {

struct Gravity {
  Vec3 acceleration = Vec3(0, 0, -9.81);  // m/s^2
  double ramp = 0;                        // s; grows linearly from 0 to full over this time

  // A table that tilts, seen from the table: from tilt_from on it turns about tilt_axis at tilt_rate, up to tilt_most.
  Vec3 tilt_axis = Vec3::UnitY();  // unit
  double tilt_rate = 0;            // rad/s
  double tilt_from = 0;            // s
  double tilt_most = 0;            // rad, >= 0

  double tilt(double t) const {  // rad
    return std::copysign(std::clamp(std::abs(tilt_rate) * (t - tilt_from), 0.0, tilt_most), tilt_rate);
  }
  Vec3 at(double t) const {
    const Vec3 full = tilt_rate == 0 ? acceleration : Vec3(Eigen::AngleAxisd(-tilt(t), tilt_axis) * acceleration);
    return ramp > 0 && t < ramp ? Vec3(full * std::max(0.0, t / ramp)) : full;
  }
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
