#include "engine/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

Motion settlement(const Vec3& displacement, double from, double over) {
  return [=](const Pose& initial, double t) {
    const double x = std::clamp((t - from) / over, 0.0, 1.0);
    const double share = x * x * x * (10 - x * (15 - 6 * x)), rate = 30 * x * x * (1 - x) * (1 - x) / over;
    return MotionSample{{initial.position + share * displacement, initial.rotation}, rate * displacement, Vec3::Zero()};
  };
}

// Velocity and displacement at the entries are exact sums, and within an interval
//     v = v_k + a_k s + (a' s^2)/2,  x = x_k + v_k s + (a_k s^2)/2 + (a' s^3)/6.
AccelerationTable::AccelerationTable(std::vector<double> time, std::vector<double> acceleration)
    : time_(std::move(time)), acceleration_(std::move(acceleration)) {
  if (time_.size() != acceleration_.size() || time_.size() < 2)
    throw InputError({"", 0, 0, "acceleration table"}, "needs at least two (time, acceleration) rows",
                     fmt::format("{} times, {} accelerations", time_.size(), acceleration_.size()));
  for (std::size_t k = 0; k < time_.size(); ++k) {
    if (!std::isfinite(time_[k]) || !std::isfinite(acceleration_[k]))
      throw InputError({"", 0, 0, fmt::format("acceleration table, row {}", k + 1)}, "must be finite");
    if (k > 0 && time_[k] <= time_[k - 1])
      throw InputError({"", 0, 0, fmt::format("acceleration table, row {}", k + 1)}, "time must increase",
                       fmt::format("{} after {}", time_[k], time_[k - 1]));
  }
  velocity_.assign(time_.size(), 0.0);
  displacement_.assign(time_.size(), 0.0);
  for (std::size_t k = 0; k + 1 < time_.size(); ++k) {
    const double s = time_[k + 1] - time_[k];
    velocity_[k + 1] = velocity_[k] + 0.5 * (acceleration_[k] + acceleration_[k + 1]) * s;
    displacement_[k + 1] =
        displacement_[k] + velocity_[k] * s + (2 * acceleration_[k] + acceleration_[k + 1]) * s * s / 6;
  }
}

AccelerationTable::Sample AccelerationTable::at(double t) const {
  if (t < time_.front()) return {};
  if (t >= time_.back()) return {displacement_.back() + velocity_.back() * (t - time_.back()), velocity_.back(), 0.0};
  const auto above = std::upper_bound(time_.begin(), time_.end(), t);
  const auto k = static_cast<std::size_t>(above - time_.begin()) - 1;
  const double s = t - time_[k];
  const double slope = (acceleration_[k + 1] - acceleration_[k]) / (time_[k + 1] - time_[k]);
  return {displacement_[k] + s * (velocity_[k] + s * (acceleration_[k] / 2 + s * slope / 6)),
          velocity_[k] + s * (acceleration_[k] + s * slope / 2), acceleration_[k] + s * slope};
}

double AccelerationTable::next_entry(double t) const {
  const auto above = std::upper_bound(time_.begin(), time_.end(), t);
  return above == time_.end() ? std::numeric_limits<double>::infinity() : *above;
}

Motion acceleration_table(const Vec3& direction, std::vector<double> time, std::vector<double> acceleration) {
  const auto table = std::make_shared<const AccelerationTable>(std::move(time), std::move(acceleration));
  const Vec3 unit = direction.normalized();
  return [=](const Pose& initial, double t) {
    const AccelerationTable::Sample now = table->at(t);
    return MotionSample{
        {initial.position + now.displacement * unit, initial.rotation}, now.velocity * unit, Vec3::Zero()};
  };
}

}  // namespace carom
