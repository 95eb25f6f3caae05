#include <algorithm>
#include <cmath>

#include "solvers/nsgs.h"
#include "validation_cases.h"

namespace carom::validation {

double Measurement::error() const { return std::abs(ours - exact) / scale; }

double Convergence::order() const {
  double mean_x = 0, mean_y = 0;
  const auto n = static_cast<double>(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    mean_x += std::log(h[i]) / n;
    mean_y += std::log(error[i]) / n;
  }
  double xy = 0, xx = 0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double dx = std::log(h[i]) - mean_x;
    xy += dx * (std::log(error[i]) - mean_y);
    xx += dx * dx;
  }
  return xy / xx;
}

World make_world(double tolerance, const StepOptions& options) {
  World world(options);
  NsgsOptions nsgs;
  nsgs.stop.measure = Measure::Velocity;
  nsgs.stop.tolerance = tolerance;
  world.set_solver(std::make_unique<Nsgs>(nsgs));
  world.set_gravity({Vec3(0, 0, -kGravity), 0});
  return world;
}

Vec3 Ramp::normal() const { return {std::sin(angle), 0, std::cos(angle)}; }
Vec3 Ramp::downhill() const { return {std::cos(angle), 0, -std::sin(angle)}; }
Quat Ramp::rotation() const { return Quat(Eigen::AngleAxisd(angle, Vec3::UnitY())); }

}  // namespace carom::validation
