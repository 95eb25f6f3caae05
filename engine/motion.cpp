#include "engine/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "base/error.h"

namespace carom {

Motion constant_velocity(const Vec3& velocity, const Vec3& angular_velocity) {
  const double rate = angular_velocity.norm();
  const Vec3 axis = rate > 0 ? Vec3(angular_velocity / rate) : Vec3(Vec3::UnitZ());
  return [=](const Pose& initial, double t) {
    const Quat turn(Eigen::AngleAxisd(rate * t, axis));
    return MotionSample{{initial.position + t * velocity, turn * initial.rotation}, velocity, angular_velocity};
  };
}

Motion harmonic(const Vec3& direction, double amplitude, double frequency, double phase) {
  const double omega = 2.0 * std::numbers::pi * frequency;
  const Vec3 stroke = amplitude * direction.normalized();
  return [=](const Pose& initial, double t) {
    const double shift = std::sin(omega * t + phase) - std::sin(phase);
    const double rate = omega * std::cos(omega * t + phase);
    return MotionSample{{initial.position + shift * stroke, initial.rotation}, rate * stroke, Vec3::Zero()};
  };
}

namespace {

// Acceleration linear between knots: velocity and displacement at the knots are exact sums, and within
// an interval  v = v_k + a_k s + (a' s^2)/2,  x = x_k + v_k s + (a_k s^2)/2 + (a' s^3)/6.
struct AccelerationTable {
  std::vector<double> time, acceleration, velocity, displacement;

  AccelerationTable(std::vector<double> t, std::vector<double> a) : time(std::move(t)), acceleration(std::move(a)) {
    if (time.size() != acceleration.size() || time.size() < 2)
      throw InputError({"", 0, 0, "acceleration table"}, "needs at least two (time, acceleration) rows",
                       fmt::format("{} times, {} accelerations", time.size(), acceleration.size()));
    for (std::size_t k = 0; k < time.size(); ++k) {
      if (!std::isfinite(time[k]) || !std::isfinite(acceleration[k]))
        throw InputError({"", 0, 0, fmt::format("acceleration table, row {}", k + 1)}, "must be finite");
      if (k > 0 && time[k] <= time[k - 1])
        throw InputError({"", 0, 0, fmt::format("acceleration table, row {}", k + 1)}, "time must increase",
                         fmt::format("{} after {}", time[k], time[k - 1]));
    }
    velocity.assign(time.size(), 0.0);
    displacement.assign(time.size(), 0.0);
    for (std::size_t k = 0; k + 1 < time.size(); ++k) {
      const double s = time[k + 1] - time[k];
      velocity[k + 1] = velocity[k] + 0.5 * (acceleration[k] + acceleration[k + 1]) * s;
      displacement[k + 1] = displacement[k] + velocity[k] * s + (2 * acceleration[k] + acceleration[k + 1]) * s * s / 6;
    }
  }

  // displacement and velocity at t; at rest before the first knot, coasting after the last
  std::pair<double, double> at(double t) const {
    if (t <= time.front()) return {0.0, 0.0};
    if (t >= time.back()) return {displacement.back() + velocity.back() * (t - time.back()), velocity.back()};
    const auto above = std::upper_bound(time.begin(), time.end(), t);
    const auto k = static_cast<std::size_t>(above - time.begin()) - 1;
    const double s = t - time[k];
    const double slope = (acceleration[k + 1] - acceleration[k]) / (time[k + 1] - time[k]);
    return {displacement[k] + s * (velocity[k] + s * (acceleration[k] / 2 + s * slope / 6)),
            velocity[k] + s * (acceleration[k] + s * slope / 2)};
  }
};

}  // namespace

Motion acceleration_table(const Vec3& direction, std::vector<double> time, std::vector<double> acceleration) {
  const auto table = std::make_shared<const AccelerationTable>(std::move(time), std::move(acceleration));
  const Vec3 unit = direction.normalized();
  return [=](const Pose& initial, double t) {
    const auto [shift, rate] = table->at(t);
    return MotionSample{{initial.position + shift * unit, initial.rotation}, rate * unit, Vec3::Zero()};
  };
}

}  // namespace carom
