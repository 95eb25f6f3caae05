// Prescribed motion of kinematic bodies: where, and how fast, at time t.
#pragma once

#include <functional>
#include <vector>

#include "base/types.h"

namespace carom {

struct MotionSample {
  Pose pose;
  Vec3 velocity = Vec3::Zero();          // world, m/s
  Vec3 angular_velocity = Vec3::Zero();  // world, rad/s
};

// Displacement along one direction from its acceleration, given at increasing times (s, m/s^2) and linear in between;
// at rest before the first entry, coasting after the last. Integrated exactly.
class AccelerationTable {
 public:
  // Throws InputError naming the row: fewer than two, not finite, times that do not increase.
  AccelerationTable(std::vector<double> time, std::vector<double> acceleration);

  struct Sample {
    double displacement = 0, velocity = 0, acceleration = 0;
  };
  Sample at(double t) const;
  double next_entry(double t) const;  // the first time of an entry after t, s; infinite when there is none

 private:
  std::vector<double> time_, acceleration_, velocity_, displacement_;
};

// A function of (initial pose, time). Time starts at 0 with the initial pose for all but custom motions.
using Motion = std::function<MotionSample(const Pose& initial, double t)>;

// x = x0 + v t, rotating at w about its own centre.
Motion constant_velocity(const Vec3& velocity, const Vec3& angular_velocity = Vec3::Zero());

// x = x0 + direction * amplitude * sin(2 pi frequency t + phase) - its value at t = 0.
Motion harmonic(const Vec3& direction, double amplitude, double frequency, double phase = 0);

// x = x0 + displacement * s((t - from) / over), s(x) = x^3 (10 - 15 x + 6 x^2): rests before and after, with continuous
// acceleration in between. over > 0.
Motion settlement(const Vec3& displacement, double from, double over);

// Shaking table: acceleration along `direction`, linear between the entries of (time, acceleration),
// integrated exactly; starts at rest; after the last entry it stays at the last velocity.
Motion acceleration_table(const Vec3& direction, std::vector<double> time, std::vector<double> acceleration);

}  // namespace carom
