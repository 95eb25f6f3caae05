// Prescribed motion of kinematic bodies: where, and how fast, at time t.
#pragma once

#include <functional>

#include "base/types.h"

namespace carom {

struct MotionSample {
  Pose pose;
  Vec3 velocity = Vec3::Zero();          // world, m/s
  Vec3 angular_velocity = Vec3::Zero();  // world, rad/s
};

// A function of (initial pose, time). Time starts at 0 with the initial pose for all but custom motions.
using Motion = std::function<MotionSample(const Pose& initial, double t)>;

// x = x0 + v t, rotating at w about its own centre.
Motion constant_velocity(const Vec3& velocity, const Vec3& angular_velocity = Vec3::Zero());

// x = x0 + direction * amplitude * sin(2 pi frequency t + phase) - its value at t = 0.
Motion harmonic(const Vec3& direction, double amplitude, double frequency, double phase = 0);

// Shaking table: acceleration along `direction`, linear between the entries of (time, acceleration),
// integrated exactly; starts at rest; after the last entry it stays at the last velocity.
Motion acceleration_table(const Vec3& direction, std::vector<double> time, std::vector<double> acceleration);

}  // namespace carom
