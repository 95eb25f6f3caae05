#include <algorithm>
#include <cmath>
#include <numbers>

#include "validation_cases.h"

namespace carom::validation {

namespace {

const Vec3 kBlock(0.2, 0.2, 0.1);  // m: low enough not to tip over before it slides

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

struct BlockOnRamp {
  World world;
  Ramp ramp;
  BodyId block;

  BlockOnRamp(double angle, double friction, double gap, double tolerance = 1e-8)
      : world(make_world(tolerance)), ramp{angle} {
    const MaterialId m = world.add_material({.name = "block", .friction = friction});
    world.add_half_space(ramp.normal(), Vec3::Zero(), m);
    block =
        world.add_box(kBlock, m, {.position = (0.5 * kBlock.z() + gap) * ramp.normal(), .rotation = ramp.rotation()});
  }
  double slid() const { return world.position(block).dot(ramp.downhill()); }
};

// Overlap at the start of runs that are about sliding: a velocity within the solver's tolerance would open some
// corners of a block that touches exactly, and it would fall by g h^2 before all of them carry.
constexpr double kTouch = -1e-8;  // m

}  // namespace

Measurement incline_acceleration(double angle_degrees, double friction, double h) {
  const double angle = radians(angle_degrees), duration = 0.5;
  BlockOnRamp scene(angle, friction, kTouch);
  const int steps = static_cast<int>(std::lround(duration / h));
  for (int i = 0; i < steps; ++i) scene.world.step(h);
  const double speed = scene.world.velocity(scene.block).dot(scene.ramp.downhill());
  const bool sticks = std::tan(angle) <= friction;
  const double exact = sticks ? 0 : kGravity * (std::sin(angle) - friction * std::cos(angle));
  return {
      sticks ? "block on an incline, sticks: acceleration, m/s^2" : "block on an incline, slides: acceleration, m/s^2",
      exact, speed / scene.world.time(), kGravity, h};
}

Measurement stopping_distance(double speed, double friction, double h) {
  World world = make_world();
  const MaterialId m = world.add_material({.name = "block", .friction = friction});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  const Vec3 along(0.6, 0.8, 0);
  const BodyId block =
      world.add_box(kBlock, m, {.position = Vec3(0, 0, 0.5 * kBlock.z() + kTouch), .velocity = speed * along});
  while (world.time() < 1.5 * speed / (friction * kGravity)) world.step(h);
  const double exact = speed * speed / (2 * friction * kGravity);
  return {"block on the flat: stopping distance, m", exact, world.position(block).dot(along), exact, h};
}

Convergence incline_landing_convergence() {
  const double angle = radians(30), friction = 0.3, duration = 0.6;
  Convergence c{"block lands on an incline: distance slid", {}, {}};
  for (int k = 0; k < 6; ++k) c.h.push_back(duration / (50 * std::pow(2.0, k)));
  for (const double h : c.h) {
    double sum = 0;
    for (int k = 0; k < 16; ++k) {
      const double drop = 0.08 + 0.0071 * k;
      BlockOnRamp scene(angle, friction, drop);
      const int steps = static_cast<int>(std::lround(duration / h));
      for (int i = 0; i < steps; ++i) scene.world.step(h);
      // Free flight until the normal motion has crossed the drop; the landing takes mu times the normal speed.
      const double g_n = kGravity * std::cos(angle), g_t = kGravity * std::sin(angle);
      const double land = std::sqrt(2 * drop / g_n), rest = duration - land;
      const double speed = g_t * land - friction * g_n * land;
      const double exact = 0.5 * g_t * land * land + speed * rest + 0.5 * (g_t - friction * g_n) * rest * rest;
      sum += std::abs(scene.slid() - exact) / exact;
    }
    c.error.push_back(sum / 16);
  }
  return c;
}

Creep block_below_friction_angle(double ratio, double friction, int steps, double h) {
  BlockOnRamp scene(std::atan(ratio * friction), friction, 0);
  Creep creep;
  const Vec3 start = scene.world.position(scene.block);
  Vec3 settled = start;
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = scene.world.step(h);
    if (i == 99) settled = scene.world.position(scene.block);
    if (i >= 99) creep.worst_iterations = std::max(creep.worst_iterations, report.iterations);
    if (report.status != SolveStatus::Solved) ++creep.failed_solves;
  }
  creep.settling = (settled - start).norm();
  creep.drift = (scene.world.position(scene.block) - settled).norm();
  return creep;
}

Measurement push_threshold(double degrees, double friction) {
  const double h = 1e-3, density = 1000;
  const int steps = 20;
  const double weight = density * kBlock.prod() * kGravity;
  const Vec3 along(std::cos(radians(degrees)), std::sin(radians(degrees)), 0);
  const auto moves = [&](double push) {
    World world = make_world(1e-10);
    const MaterialId m = world.add_material({.name = "block", .friction = friction});
    world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
    const BodyId block =
        world.add_box(kBlock, m, {.position = Vec3(0, 0, 0.5 * kBlock.z() + kTouch), .density = density});
    // At the base, where it does not tip the block.
    world.add_load({.body = block, .force = push * friction * weight * along, .point = Vec3(0, 0, -0.5 * kBlock.z())});
    for (int i = 0; i < steps; ++i) world.step(h);
    return world.velocity(block).norm() > 1e-7;  // m/s; solves are a thousand times finer
  };
  double holds = 0.5, slides = 2;
  for (int i = 0; i < 24; ++i) {
    const double middle = 0.5 * (holds + slides);
    (moves(middle) ? slides : holds) = middle;
  }
  return {"push that moves a block, over mu m g", 1, 0.5 * (holds + slides), 1, h};
}

}  // namespace carom::validation
