// What joints hold, against closed forms of mechanics.
#include "engine/joint.h"

#include <doctest/doctest.h>

#include <numbers>

#include "jointed_worlds.h"

using namespace carom;

namespace {

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

// The time between two passages of the lowest point in the same direction.
double pendulum_period(double start, double d, double mass, double moment, double h) {
  World world = world_of_joints();
  const BodyId bob = add_mass(world, {.mass = mass,
                                      .moments = Vec3(0.8, 1, 0.7) * moment,
                                      .position = Vec3(d * std::sin(start), 0, -d * std::cos(start))});
  world.add_joint(hinge(bob, {}, Vec3::Zero()));
  double last = 0, first = -1;
  for (;;) {
    world.step(h);
    const double x = world.position(bob).x();
    if (last > 0 && x <= 0) {
      const double t = world.time() - x / world.velocity(bob).x();
      if (first >= 0) return t - first;
      first = t;
    }
    last = x;
  }
}

}  // namespace

TEST_CASE("a compound pendulum swings with the period of the elliptic integral, to order 2 in h") {
  const double start = 2.0, d = 0.5, mass = 2, moment = 0.1;
  const double omega = std::sqrt(mass * kGravity * d / (moment + mass * d * d));
  const double exact = 4 * complete_elliptic(std::sin(start / 2)) / omega;
  const std::vector<double> h = {4e-3, 2e-3, 1e-3, 5e-4};
  std::vector<double> error;
  for (double step : h) error.push_back(pendulum_period(start, d, mass, moment, step) / exact - 1);
  MESSAGE("errors of the period " << error[0] << " to " << error[3] << ", order " << observed_order(h, error));
  CHECK(observed_order(h, error) == doctest::Approx(2).epsilon(0.1));
  CHECK(std::abs(error[3]) < 2e-6);
}

TEST_CASE("a conical pendulum circles at its height with the tension m g / cos") {
  const double length = 0.8, angle = 0.6, mass = 3;
  const double radius = length * std::sin(angle), rate = std::sqrt(kGravity / (length * std::cos(angle)));
  const std::vector<double> h = {4e-3, 2e-3, 1e-3};
  std::vector<double> error;
  for (double step : h) {
    World world = world_of_joints();
    const BodyId bob = add_mass(
        world,
        {.mass = mass, .position = Vec3(radius, 0, -length * std::cos(angle)), .velocity = Vec3(0, radius * rate, 0)});
    const JointId rod = world.add_joint({.type = JointType::Distance, .a = bob, .anchor_a = Vec3::Zero()});
    for (int i = 0; i < std::lround(4 / step); ++i) world.step(step);
    const Vec3 exact(radius * std::cos(4 * rate), radius * std::sin(4 * rate), -length * std::cos(angle));
    error.push_back((world.position(bob) - exact).norm());
    CHECK(world.joint_record(rod).force.norm() == doctest::Approx(mass * kGravity / std::cos(angle)).epsilon(1e-3));
    CHECK(world.joint_record(rod).error <= 1e-10);
  }
  MESSAGE("place after 4 s: " << error[0] << " to " << error[2] << " m, order " << observed_order(h, error));
  CHECK(observed_order(h, error) == doctest::Approx(2).epsilon(0.1));
}

TEST_CASE("a slider on an inclined rail accelerates by g sin and is held by m g cos") {
  const double angle = 0.7, mass = 2, h = 1e-2;
  World world = world_of_joints();
  const Vec3 down(std::cos(angle), 0, -std::sin(angle));
  const BodyId block = add_mass(world, {.mass = mass, .moments = Vec3(0.1, 0.2, 0.25), .position = Vec3(0.3, 0.2, 1)});
  const JointId rail =
      world.add_joint({.type = JointType::Prismatic, .a = block, .anchor = Vec3(0, 0.1, 0), .axis = down});
  for (int i = 0; i < 100; ++i) world.step(h);
  const JointRecord record = world.joint_record(rail);
  CHECK(record.slide.position == doctest::Approx(0.5 * kGravity * std::sin(angle)).epsilon(1e-12));
  CHECK(record.slide.velocity == doctest::Approx(kGravity * std::sin(angle)).epsilon(1e-12));
  CHECK(record.force.norm() == doctest::Approx(mass * kGravity * std::cos(angle)).epsilon(1e-12));
  CHECK(std::abs(record.force.dot(down)) < 1e-10);
  CHECK(world.angular_velocity(block).norm() < 1e-12);
  // the rail takes the moment of the weight about its anchor
  const Vec3 arm = world.position(block) - record.point;
  const Vec3 middle = arm - 0.5 * h * record.slide.velocity * down;  // forces act at the middle of the step
  CHECK((record.torque - middle.cross(record.force)).norm() < 1e-9);
}

TEST_CASE("a heavy symmetric top on a ball joint precesses steadily") {
  // (I_1 cos a) W^2 - I_3 w_3 W + m g l = 0, moments about the pivot
  const double mass = 1.5, l = 0.3, I3 = 0.02, I1 = 0.03 + mass * l * l, tilt = 0.5, spin = 150;
  const double I1c = I1 * std::cos(tilt), b = I3 * spin;
  const double rate = (b - std::sqrt(b * b - 4 * I1c * mass * kGravity * l)) / (2 * I1c);
  const Vec3 axis(std::sin(tilt), 0, std::cos(tilt));
  // w = (w_3 - W cos a) along the axis + W vertical
  const Vec3 w = (spin - rate * std::cos(tilt)) * axis + rate * Vec3::UnitZ();
  const std::vector<double> h = {2e-3, 1e-3, 5e-4};
  std::vector<double> error;
  for (double step : h) {
    World world = world_of_joints();
    const BodyId top = add_mass(world, {.mass = mass,
                                        .moments = Vec3(0.03, 0.03, I3),
                                        .position = l * axis,
                                        .rotation = Quat(Eigen::AngleAxisd(tilt, Vec3::UnitY())),
                                        .velocity = w.cross(l * axis),
                                        .angular_velocity = w});
    world.add_joint({.type = JointType::Ball, .a = top});
    double worst = 0;
    for (int i = 0; i < std::lround(2 / step); ++i) {
      world.step(step);
      const double phi = rate * world.time();
      const Vec3 exact(std::sin(tilt) * std::cos(phi), std::sin(tilt) * std::sin(phi), std::cos(tilt));
      worst = std::max(worst, (world.position(top) / l - exact).norm());
    }
    error.push_back(worst);
  }
  MESSAGE("axis over 2 s, " << rate << " rad/s: " << error[0] << " to " << error[2] << ", order "
                            << observed_order(h, error));
  CHECK(observed_order(h, error) == doctest::Approx(2).epsilon(0.1));
  CHECK(error[2] < 2e-3);
}

TEST_CASE("free bodies that are joined keep their momentum, and their energy to order 2") {
  for (const JointType type : {JointType::Ball, JointType::Revolute, JointType::Prismatic, JointType::Cylindrical,
                               JointType::Fixed, JointType::Planar, JointType::Distance}) {
    CAPTURE(name_of(type));
    std::vector<double> h = {2e-3, 1e-3}, energy;
    for (double step : h) {
      StepOptions options;
      options.joint_tolerance =
          std::numeric_limits<double>::infinity();  // projection moves bodies, and momentum with it
      World world = world_of_joints("nsgs", options, 1e-13);
      world.set_gravity({.acceleration = Vec3::Zero()});
      const BodyId a = add_mass(world, {.mass = 2,
                                        .moments = Vec3(0.2, 0.3, 0.4),
                                        .position = Vec3(0.5, 0.1, 0),
                                        .velocity = Vec3(0.3, 1, -0.2),
                                        .angular_velocity = Vec3(1, 2, -0.5)});
      const BodyId b = add_mass(world, {.mass = 1, .moments = Vec3(0.1, 0.12, 0.07), .position = Vec3(-0.4, 0, 0.2)});
      JointSpec spec = {.type = type, .a = a, .b = b, .anchor = Vec3(0.1, 0, 0), .axis = Vec3(0.2, 0.5, 1)};
      if (type == JointType::Distance) spec.anchor_b = Vec3(0, 0, 0.1);
      world.add_joint(spec);
      world.step(step);  // makes velocities agree with the joint
      const Vec3 linear = world.linear_momentum(), angular = world.angular_momentum();
      const double start = total_energy(world.energies());
      double worst = 0;
      for (int i = 0; i < std::lround(1 / step); ++i) {
        const StepReport& report = world.step(step);
        worst = std::max(worst, std::abs(total_energy(report.energy) - start));
        CHECK(std::abs(report.energy.balance_error) < 1e-13);
      }
      CHECK((world.linear_momentum() - linear).norm() < 1e-12);
      CHECK((world.angular_momentum() - angular).norm() < 1e-11);
      energy.push_back(worst);
    }
    MESSAGE(name_of(type) << ": energy " << energy[0] << " and " << energy[1] << " J");
    CHECK(energy[1] < 5e-3);
    CHECK((energy[1] < 0.35 * energy[0] || energy[1] < 1e-9));
  }
}

TEST_CASE("two coaxial hinges share a load that one could carry, tumbling in space") {
  for (const std::string solver : {"nsgs", "auto"}) {
    World world = world_of_joints(solver, {}, 1e-8);
    world.set_gravity({.acceleration = Vec3::Zero()});
    const Vec3 w(2, 1, 3), swing(0, 0, 4);
    const BodyId frame = add_mass(world, {.mass = 3, .moments = Vec3(0.5, 0.6, 0.7), .angular_velocity = w});
    const BodyId door = add_mass(world, {.mass = 1,
                                         .moments = Vec3(0.1, 0.2, 0.12),
                                         .position = Vec3(0.5, 0, 0),
                                         .velocity = w.cross(Vec3(0.5, 0, 0)) + swing.cross(Vec3(0.3, 0, 0)),
                                         .angular_velocity = w + swing});
    std::vector<JointId> hinges;
    for (double z : {-0.4, 0.4})
      hinges.push_back(
          world.add_joint({.type = JointType::Revolute, .a = door, .b = frame, .anchor = Vec3(0.2, 0, z)}));
    int failed = 0, iterations = 0;
    double worst = 0, difference = 0;
    const double start = world.energies().kinetic;
    for (int i = 0; i < 2000; ++i) {
      const StepReport& report = world.step(1e-3);
      failed += report.status != SolveStatus::Solved;
      iterations = std::max(iterations, report.iterations);
      worst = std::max(worst, report.worst_joint_error);
      difference = std::max(difference, std::abs(world.joint_record(hinges[0]).turn.position -
                                                 world.joint_record(hinges[1]).turn.position));
    }
    MESSAGE(solver << ": iterations up to " << iterations << ", open by " << worst << ", turned by "
                   << world.joint_record(hinges[0]).turn.position << ", energy "
                   << world.energies().kinetic / start - 1);
    CHECK(failed == 0);
    CHECK(worst < 1e-9);
    CHECK(difference < 1e-12);
    CHECK(world.energies().kinetic == doctest::Approx(start).epsilon(1e-4));
  }
}

TEST_CASE("a chain of twenty rods hangs together while it swings") {
  World world = world_of_joints("auto", {}, 1e-8);
  BodyId last;
  for (int i = 0; i < 20; ++i) {
    const BodyId rod = add_rod(world, Vec3(0.1 * i, 0, 0), Vec3(0.1 * (i + 1), 0, 0), 0.2);
    world.add_joint(hinge(rod, i == 0 ? std::nullopt : std::optional(last), Vec3(0.1 * i, 0, 0)));
    last = rod;
  }
  const double start = total_energy(world.energies());
  double worst = 0, energy = 0;
  int failed = 0;
  for (int i = 0; i < 1000; ++i) {
    const StepReport& report = world.step(1e-3);
    failed += report.status != SolveStatus::Solved;
    worst = std::max(worst, report.worst_joint_error);
    energy = std::max(energy, std::abs(total_energy(report.energy) - start));
  }
  MESSAGE("open by " << worst << " m, energy " << energy << " J");
  CHECK(failed == 0);
  CHECK(worst < 1e-8);
  CHECK(energy < 0.02);
}
