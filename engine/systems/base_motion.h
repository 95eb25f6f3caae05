// Prescribed motion of a planar support: displacement, velocity and acceleration as functions of time.
#pragma once

#include <functional>

#include "engine/motion.h"

namespace carom {

struct BaseSample {
  Vec2 displacement = Vec2::Zero();  // m
  Vec2 velocity = Vec2::Zero();      // m/s
  Vec2 acceleration = Vec2::Zero();  // m/s^2
};

struct BaseMotion {
  std::function<BaseSample(double t)> at;             // velocity and acceleration must be its derivatives
  std::function<double(double t)> smooth_until = {};  // the first time after t where it is not smooth; empty: never
};

BaseMotion still_base();

// stroke (sin(2 pi frequency t + phase) - sin(phase))
BaseMotion harmonic_base(const Vec2& stroke, double frequency, double phase);

// Accelerations linear between the entries of a table, m/s^2; an empty list does not move.
BaseMotion table_base(const std::vector<double>& time, const std::vector<double>& horizontal,
                      const std::vector<double>& vertical);

}  // namespace carom
