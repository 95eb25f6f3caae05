// Joints against closed forms of mechanics.
#include "engine/joint.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "engine/world.h"
#include "solvers/registry.h"

using namespace carom;

namespace {

constexpr double kGravity = 9.81;

World tight_world(double tolerance = 1e-12, const StepOptions& options = {}) {
  World world(options);
  world.set_solver(make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", tolerance}}));
  return world;
}

// A body of given mass and principal moments, without shape.
BodyId add_mass(World& world, double mass, const Vec3& moments, const Vec3& position, const Quat& rotation = Quat::Identity(),
                const Vec3& velocity = Vec3::Zero(), const Vec3& angular_velocity = Vec3::Zero()) {
  BodySpec spec;
  spec.mass = mass;
  spec.inertia = Mat3(moments.asDiagonal());
  spec.pose = {position, rotation};
  spec.velocity = velocity;
  spec.angular_velocity = angular_velocity;
  return world.add_body(spec);
}

double total(const EnergyReport& e) { return e.kinetic + e.potential + e.elastic; }

// The complete elliptic integral K(k) by the arithmetic-geometric mean.
double complete_elliptic(double k) {
  double a = 1, b = std::sqrt(1 - k * k);
  for (int i = 0; i < 8; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::numbers::pi / (2 * a);
}

// The period of a compound pendulum let go at rest at an angle, by the first two crossings of its lowest point.
double pendulum_period(double start, double h) {
  World world = tight_world();
  const double d = 0.5, mass = 2, moment = 0.1;
  const BodyId bob =
      add_mass(world, mass, Vec3(0.08, moment, 0.07), Vec3(d * std::sin(start), 0, -d * std::cos(start)));
  const JointId hinge = world.add_joint({.type = JointType::Revolute, .a = bob, .axis = Vec3::UnitY()});
  double last = 0, t0 = -1;
  for (;;) {
    world.step(h);
    const double x = world.position(bob).x();
    if (last > 0 && x <= 0) {
      // cubic through positions and velocities at both ends of the step
      const double v1 = world.velocity(bob).x();
      double t = world.time() - x / v1;
      (void)hinge;
      if (t0 >= 0) return t - t0;
      t0 = t;
    }
    last = x;
  }
}

}  // namespace

TEST_CASE("a compound pendulum swings with the period of the elliptic integral, order 2 in h") {
  const double start = 2.0, d = 0.5, mass = 2, moment = 0.1;
  const double omega = std::sqrt(mass * kGravity * d / (moment + mass * d * d));
  const double exact = 4 * complete_elliptic(std::sin(start / 2)) / omega;
  double last = 0;
  for (double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    const double error = pendulum_period(start, h) - exact;
    MESSAGE(h << " " << error << " ratio " << last / error);
    last = error;
  }
}

TEST_CASE("double pendulum") {
  for (double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    World world = tight_world();
    const BodyId one = add_mass(world, 1, Vec3(0.08, 0.09, 0.02), Vec3(0.5, 0, 0));
    const BodyId two = add_mass(world, 1, Vec3(0.08, 0.09, 0.02), Vec3(1.5, 0, 0));
    world.add_joint({.type = JointType::Revolute, .a = one, .axis = Vec3::UnitY()});
    world.add_joint({.type = JointType::Revolute, .a = two, .b = one, .anchor = Vec3(1, 0, 0), .axis = Vec3::UnitY()});
    const double e0 = total(world.energies());
    double worst = 0, balance = 0, projected = 0, joint_work = 0, error = 0;
    int iterations = 0, failed = 0;
    for (int i = 0; i < std::lround(5 / h); ++i) {
      const StepReport& r = world.step(h);
      worst = std::max(worst, std::abs(total(r.energy) - e0));
      balance = std::max(balance, std::abs(r.energy.balance_error));
      projected += r.energy.projection_work;
      joint_work += r.energy.joint_work;
      error = std::max(error, r.worst_joint_error);
      iterations = std::max(iterations, r.iterations);
      failed += r.status != SolveStatus::Solved;
    }
    MESSAGE(h << " worst " << worst << " end " << total(world.energies()) - e0 << " balance " << balance << " proj " << projected << " joint "
              << joint_work << " err " << error << " it " << iterations << " failed " << failed);
  }
}
