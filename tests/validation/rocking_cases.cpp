#include <algorithm>
#include <cmath>

#include "block_cases.h"

namespace carom::validation {

namespace {

constexpr double kHalfHeight = 0.5;  // m
constexpr double kFriction = 1.5;    // more than any of the blocks needs to stick

double tilt_of(const World& world, BodyId body) {
  const Quat q = world.rotation(body);
  return 2 * std::atan2(q.y(), q.w());
}

// The time from rest at theta0 to upright: theta'' = -p^2 sin(alpha - theta) has the first integral
// theta'^2/2 = p^2 (cos(alpha - theta0) - cos(alpha - theta)); theta = theta0 (1 - s^2) takes the root out of the end.
double quarter_period(double alpha, double theta0, double p) {
  const auto integrand = [&](double s) {
    const double theta = theta0 * (1 - s * s);
    // cos(x) - cos(y) as a product, without cancellation
    const double difference = 2 * std::sin(alpha - 0.5 * (theta0 + theta)) * std::sin(0.5 * (theta0 - theta)) / (s * s);
    return 2 * theta0 / (p * std::sqrt(2 * difference));
  };
  const int n = 2000;  // midpoints: the integrand is smooth
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += integrand((i + 0.5) / n) / n;
  return sum;
}

}  // namespace

Rocking rocking_block(double slenderness, double tilt, double h) {
  const double b = kHalfHeight / slenderness, alpha = std::atan(1 / slenderness), R = std::hypot(b, kHalfHeight);
  const double theta0 = tilt * alpha, p = std::sqrt(0.75 * kGravity / R);
  World world = make_block_world();
  const MaterialId m = world.add_material({.name = "rough", .friction = kFriction});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  const Quat turn(Eigen::AngleAxisd(theta0, Vec3::UnitY()));
  const Vec3 corner(b, 0, -kHalfHeight);  // about which it turns, in the block's frame
  const BodyId block =
      world.add_box(Vec3(2 * b, 0.3, 2 * kHalfHeight), m, {.position = -(turn * corner), .rotation = turn});

  // The impact is the step with the largest change of rate.
  double time = 0, before = 0, after = 0, largest = 0, sliding = 0;
  while (world.time() < 2 * quarter_period(alpha, theta0, p)) {
    const double rate = world.angular_velocity(block).y(), angle = tilt_of(world, block);
    if (angle > 0) sliding = std::max(sliding, std::abs((world.position(block) + world.rotation(block) * corner).x()));
    world.step(h);
    const double change = std::abs(world.angular_velocity(block).y() - rate);
    if (change <= largest) continue;
    largest = change;
    time = world.time() - h + angle / std::abs(rate);
    before = rate;
    after = world.angular_velocity(block).y();
  }
  const double exact = quarter_period(alpha, theta0, p), slender = std::acosh(1 / (1 - tilt)) / p;
  const double ratio = 1 - 1.5 * std::pow(std::sin(alpha), 2);
  return {{"rocking block: time until upright, s", exact, time, exact, h},
          {"rocking block: the same by Housner's formula for slender ones, s", slender, time, slender, h},
          {"rocking block: rate after over before the impact", ratio, after / before, 1, h},
          sliding};
}

Measurement uplift_acceleration(double slenderness) {
  const double b = kHalfHeight / slenderness, h = 1e-3;
  const auto lifts = [&](double ratio) {
    World world = make_block_world();
    const MaterialId m = world.add_material({.name = "rough", .friction = kFriction});
    BodySpec base;
    base.kind = BodyKind::Kinematic;
    base.colliders = {{Shape::half_space(), m, {}}};
    base.motion = [=](const Pose& initial, double t) {
      const double a = ratio * kGravity;
      return MotionSample{
          {initial.position + 0.5 * a * t * t * Vec3::UnitX(), initial.rotation}, a * t * Vec3::UnitX(), Vec3::Zero()};
    };
    world.add_body(base);
    const BodyId block = world.add_box(Vec3(2 * b, 0.3, 2 * kHalfHeight), m, {.position = Vec3(0, 0, kHalfHeight)});
    for (int i = 0; i < 100; ++i) world.step(h);
    return std::abs(tilt_of(world, block)) > 1e-7;
  };
  const double exact = 1 / slenderness;
  return {"base acceleration that lifts a block's corner, over g", exact, threshold(0.5 * exact, 2 * exact, lifts),
          exact, h};
}

}  // namespace carom::validation
