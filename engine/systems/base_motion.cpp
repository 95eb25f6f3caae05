#include "engine/systems/base_motion.h"

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

namespace carom {

BaseMotion still_base() {
  return {[](double) { return BaseSample{}; }};
}

BaseMotion harmonic_base(const Vec2& stroke, double frequency, double phase) {
  const double omega = 2 * std::numbers::pi * frequency;
  return {[=](double t) {
    const double angle = omega * t + phase;
    return BaseSample{(std::sin(angle) - std::sin(phase)) * stroke, omega * std::cos(angle) * stroke,
                      -omega * omega * std::sin(angle) * stroke};
  }};
}

BaseMotion table_base(const std::vector<double>& time, const std::vector<double>& horizontal,
                      const std::vector<double>& vertical) {
  const std::vector<double> still(time.size(), 0.0);
  const auto x = std::make_shared<const AccelerationTable>(time, horizontal.empty() ? still : horizontal);
  const auto y = std::make_shared<const AccelerationTable>(time, vertical.empty() ? still : vertical);
  return {
      [=](double t) {
        const AccelerationTable::Sample a = x->at(t), b = y->at(t);
        return BaseSample{{a.displacement, b.displacement}, {a.velocity, b.velocity}, {a.acceleration, b.acceleration}};
      },
      [=](double t) { return x->next_entry(t); }};
}

}  // namespace carom
