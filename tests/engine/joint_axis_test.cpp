// What acts along the free coordinates of joints: limits, motors, friction, springs.
#include <doctest/doctest.h>

#include <numbers>

#include "base/error.h"
#include "jointed_worlds.h"

using namespace carom;

namespace {

constexpr double kPi = std::numbers::pi;

// A wheel about a fixed axis along y, without gravity.
struct Wheel {
  World world = world_of_joints();
  double inertia = 0.5;  // about the axis
  BodyId body;
  JointId joint;

  Wheel(const AxisSpec& turn, double rate, const Vec3& gravity = Vec3::Zero()) {
    world.set_gravity({.acceleration = gravity});
    body = add_mass(world, {.mass = 2, .moments = Vec3(0.4, inertia, 0.3), .angular_velocity = Vec3(0, rate, 0)});
    JointSpec spec = hinge(body, {}, Vec3::Zero());
    spec.turn = turn;
    joint = world.add_joint(spec);
  }
  AxisRecord turn() const { return world.joint_record(joint).turn; }
};

// A body on a rail along x.
struct Slider {
  World world;
  double mass = 2;
  BodyId body;
  JointId joint;

  explicit Slider(const AxisSpec& slide, double speed = 0, double theta = 0.5, const Vec3& gravity = Vec3::Zero())
      : world(world_of_joints()) {
    world.options().theta = theta;
    world.set_gravity({.acceleration = gravity});
    body = add_mass(world, {.mass = mass, .velocity = Vec3(speed, 0, 0)});
    JointSpec spec = {.type = JointType::Prismatic, .a = body, .axis = Vec3::UnitX()};
    spec.slide = slide;
    joint = world.add_joint(spec);
  }
  AxisRecord slide() const { return world.joint_record(joint).slide; }
};

}  // namespace

TEST_CASE("a hinge bounces off its limits with restitution e") {
  for (const double e : {0.0, 0.5, 1.0}) {
    Wheel wheel({.lower = -1, .upper = 0.5, .restitution = e}, 2);
    const double h = 1e-3;
    double contact = 0;
    while (wheel.turn().velocity > 1) {
      contact += wheel.world.step(h).energy.joint_work;
      REQUIRE(wheel.world.time() < 1);
    }
    const double impulse = wheel.turn().limit * h;
    CHECK(wheel.turn().velocity == doctest::Approx(-2 * e).epsilon(1e-10));
    CHECK(wheel.turn().position == doctest::Approx(0.5).epsilon(2 * h));
    CHECK(impulse == doctest::Approx(-wheel.inertia * 2 * (1 + e)).epsilon(1e-10));
    CHECK(contact == doctest::Approx(-0.5 * wheel.inertia * 4 * (1 - e * e)).epsilon(1e-9));
    if (e == 0) continue;
    while (wheel.turn().velocity < 0) wheel.world.step(h);
    CHECK(wheel.turn().velocity == doctest::Approx(2 * e * e).epsilon(1e-10));
    CHECK(wheel.turn().position == doctest::Approx(-1).epsilon(2 * h));
  }
}

TEST_CASE("turns are told apart: a limit beyond a full turn is reached after it") {
  Wheel wheel({.upper = 5 * kPi}, 4);
  for (int i = 0; i < 3000; ++i) wheel.world.step(2e-3);
  CHECK(wheel.world.time() * 4 > 5 * kPi);
  CHECK(wheel.turn().position == doctest::Approx(5 * kPi).epsilon(1e-3));
  CHECK(std::abs(wheel.turn().velocity) < 1e-12);
  Wheel fast({}, 900);  // 4.5 rad in a step
  for (int i = 0; i < 100; ++i) fast.world.step(5e-3);
  CHECK(fast.turn().velocity == doctest::Approx(900));
  CHECK(fast.turn().position > 100);
}

TEST_CASE("a rope slackens, tightens and holds the weight; projection leaves no overshoot beyond the slop") {
  StepOptions options;
  options.projection = true;
  World world = world_of_joints("nsgs", options);
  const BodyId weight = add_mass(world, {.mass = 3, .position = Vec3(0, 0, -0.5)});
  JointSpec rope = {.type = JointType::Distance, .a = weight, .anchor_a = Vec3::Zero()};
  rope.slide.upper = 1.0;
  const JointId joint = world.add_joint(rope);
  for (int i = 0; i < 200; ++i) world.step(1e-3);
  CHECK(world.velocity(weight).z() == doctest::Approx(-kGravity * 0.2).epsilon(1e-9));
  CHECK(world.joint_record(joint).force.norm() == 0);
  for (int i = 0; i < 1000; ++i) world.step(1e-3);
  const JointRecord record = world.joint_record(joint);
  CHECK(record.slide.position == doctest::Approx(1).epsilon(1.2e-6));
  CHECK(record.slide.limit == doctest::Approx(-3 * kGravity).epsilon(1e-9));
  CHECK(record.force.z() == doctest::Approx(3 * kGravity).epsilon(1e-9));
  CHECK(world.velocity(weight).norm() < 1e-9);
}

TEST_CASE("a taut rope swings like a rod: a limit that stays active costs no energy but O(h^2)") {
  const std::vector<double> h = {2e-3, 1e-3, 5e-4};
  std::vector<double> lost;
  for (double step : h) {
    World world = world_of_joints();
    const BodyId bob = add_mass(world, {.mass = 1, .position = Vec3(0.6, 0, -0.8)});
    JointSpec rope = {.type = JointType::Distance, .a = bob, .anchor_a = Vec3::Zero()};
    rope.slide.upper = 1.0;
    world.add_joint(rope);
    const double start = total_energy(world.energies());
    double worst = 0;
    for (int i = 0; i < std::lround(3 / step); ++i)
      worst = std::max(worst, std::abs(total_energy(world.step(step).energy) - start));
    lost.push_back(worst);
  }
  MESSAGE("energy " << lost[0] << " to " << lost[2] << " J of 2, order " << observed_order(h, lost));
  CHECK(lost[1] < 1e-3);
}

TEST_CASE("a motor has its speed after one step and tells the torque it takes") {
  const double h = 1e-3;
  Wheel wheel({.motor_speed = 3}, 0);
  const StepReport& report = wheel.world.step(h);
  CHECK(wheel.turn().velocity == doctest::Approx(3).epsilon(1e-12));
  CHECK(wheel.turn().motor == doctest::Approx(wheel.inertia * 3 / h).epsilon(1e-12));
  CHECK(report.energy.external_work == doctest::Approx(0.5 * wheel.inertia * 9).epsilon(1e-12));
  wheel.world.step(h);
  CHECK(std::abs(wheel.turn().motor) < 1e-9);
  wheel.world.set_motor(wheel.joint, kTurn, -1.0);
  wheel.world.step(h);
  CHECK(wheel.turn().velocity == doctest::Approx(-1).epsilon(1e-12));
  wheel.world.set_motor(wheel.joint, kTurn, std::nullopt);
  wheel.world.step(h);
  CHECK(wheel.turn().velocity == doctest::Approx(-1).epsilon(1e-12));
  CHECK(wheel.turn().motor == 0);

  // an arm turned slowly: the torque is that of its weight
  World world = world_of_joints();
  const BodyId arm = add_mass(world, {.mass = 2, .position = Vec3(0.4, 0, 0)});
  JointSpec spec = hinge(arm, {}, Vec3::Zero());
  spec.turn.motor_speed = 0.0;
  const JointId joint = world.add_joint(spec);
  for (int i = 0; i < 10; ++i) world.step(h);
  CHECK(world.joint_record(joint).turn.motor == doctest::Approx(-2 * kGravity * 0.4).epsilon(1e-9));
  CHECK(world.joint_record(joint).turn.position == doctest::Approx(0));
}

TEST_CASE("a motor of limited strength accelerates by limit / inertia, then holds its speed") {
  const double h = 1e-3;
  Wheel wheel({.motor_speed = 2, .motor_limit = 5}, 0);
  for (int i = 0; i < 100; ++i) wheel.world.step(h);
  CHECK(wheel.turn().velocity == doctest::Approx(5 * 0.1 / wheel.inertia).epsilon(1e-10));
  CHECK(wheel.turn().motor == doctest::Approx(5).epsilon(1e-10));
  for (int i = 0; i < 200; ++i) wheel.world.step(h);
  CHECK(wheel.turn().velocity == doctest::Approx(2).epsilon(1e-10));
  CHECK(std::abs(wheel.turn().motor) < 1e-8);

  // against a limit it stalls there and presses with all it has
  Slider slider({.upper = 0.1, .motor_speed = 1, .motor_limit = 20});
  for (int i = 0; i < 400; ++i) slider.world.step(h);
  CHECK(std::abs(slider.slide().velocity) < 1e-10);
  CHECK(slider.slide().motor == doctest::Approx(20).epsilon(1e-8));
  CHECK(slider.slide().limit == doctest::Approx(-20).epsilon(1e-8));
}

TEST_CASE("dry friction stops a wheel in the time I w / M and then holds it against less than M") {
  const double bound = 0.8, h = 1e-3;
  Wheel wheel({.friction = bound}, 3);
  const double stop = wheel.inertia * 3 / bound;
  double dissipated = 0;
  while (wheel.turn().velocity > 1e-9) {
    dissipated += wheel.world.step(h).energy.joint_work;
    if (wheel.world.time() < stop - 2 * h) CHECK(wheel.turn().friction == doctest::Approx(-bound).epsilon(1e-9));
    REQUIRE(wheel.world.time() < 2 * stop);
  }
  CHECK(wheel.world.time() == doctest::Approx(stop).epsilon(2 * h / stop));
  CHECK(dissipated == doctest::Approx(-0.5 * wheel.inertia * 9).epsilon(1e-9));
  wheel.world.add_load({.body = wheel.body, .torque = Vec3(0, 0.99 * bound, 0)});
  const double angle = wheel.turn().position;
  for (int i = 0; i < 100; ++i) wheel.world.step(h);
  CHECK(std::abs(wheel.turn().position - angle) < 1e-9);
  CHECK(wheel.turn().friction == doctest::Approx(-0.99 * bound).epsilon(1e-9));
  wheel.world.add_load({.body = wheel.body, .torque = Vec3(0, 0.11 * bound, 0)});
  for (int i = 0; i < 100; ++i) wheel.world.step(h);
  CHECK(wheel.turn().velocity == doctest::Approx(0.1 * bound * 0.1 / wheel.inertia).epsilon(1e-6));
}

TEST_CASE("friction that grows with the force held: a slider on an incline moves above the angle of friction only") {
  const double mu = 0.4, h = 1e-3;
  for (const double ratio : {0.9, 1.2}) {
    const double angle = std::atan(ratio * mu);
    const Vec3 gravity = kGravity * Vec3(std::sin(angle), 0, -std::cos(angle));
    Slider slider({.friction_coefficient = mu}, 0, 0.5, gravity);
    for (int i = 0; i < 500; ++i) slider.world.step(h);
    if (ratio < 1) {
      // the first step knows no force yet, and lets go: the speed it gives is taken back
      const double speed = kGravity * h * std::sin(angle);
      const double braking = kGravity * (mu * std::cos(angle) - std::sin(angle));
      CHECK(std::abs(slider.slide().velocity) < 1e-12);
      CHECK(slider.slide().position < 1.1 * (0.5 * speed * speed / braking + speed * h));
    } else {
      const double a = kGravity * (std::sin(angle) - mu * std::cos(angle));
      CHECK(slider.slide().velocity == doctest::Approx(0.5 * a).epsilon(0.02));
      CHECK(slider.slide().friction == doctest::Approx(-mu * slider.mass * kGravity * std::cos(angle)).epsilon(1e-9));
    }
  }
}

TEST_CASE("a spring oscillates with sqrt(m/k), keeps its energy exactly, and is stable at any stiffness") {
  const double k = 800;
  Slider slider({.stiffness = k, .rest = 0}, 1.5);
  const double period = 2 * kPi * std::sqrt(slider.mass / k);
  const double energy = 0.5 * slider.mass * 1.5 * 1.5;
  const int steps = 400;
  double balance = 0;
  for (int i = 0; i < steps; ++i) {
    const EnergyReport& e = slider.world.step(period / steps).energy;
    CHECK(total_energy(e) == doctest::Approx(energy).epsilon(1e-12));
    balance = std::max(balance, std::abs(e.balance_error) + std::abs(e.joint_work));
  }
  CHECK(balance < 1e-12);
  CHECK(std::abs(slider.slide().position) < 5e-4 * 1.5 * period);
  CHECK(slider.slide().velocity == doctest::Approx(1.5).epsilon(1e-4));

  for (const double stiff : {1e3, 1e6, 1e9, 1e13}) {  // up to 10^5 oscillations in a step
    Slider fast({.stiffness = stiff, .rest = 0.01}, 0);
    const double start = total_energy(fast.world.energies());
    for (int i = 0; i < 1000; ++i) fast.world.step(1e-2);
    CHECK(total_energy(fast.world.energies()) == doctest::Approx(start).epsilon(1e-6));
    Slider damped({.stiffness = stiff, .rest = 0.01}, 0, 1.0);  // backward Euler
    for (int i = 0; i < 1000; ++i) damped.world.step(1e-2);
    CHECK(damped.slide().position == doctest::Approx(0.01).epsilon(1e-6));
  }
}

TEST_CASE("a damped spring decays as its closed form does, to order 2 in h") {
  const double k = 50, c = 4, m = 2, a = c / (2 * m), omega = std::sqrt(k / m - a * a);
  const double exact = 0.3 * std::exp(-a) * (std::cos(omega) + a / omega * std::sin(omega));
  const std::vector<double> h = {1e-2, 5e-3, 2.5e-3};
  std::vector<double> error;
  for (double step : h) {
    Slider slider({.stiffness = k, .damping = c, .rest = -0.3});
    double dissipated = 0;
    for (int i = 0; i < std::lround(1 / step); ++i) dissipated += slider.world.step(step).energy.joint_work;
    error.push_back(slider.slide().position + 0.3 - exact);
    CHECK(dissipated == doctest::Approx(total_energy(slider.world.energies()) - 0.5 * k * 0.09).epsilon(1e-10));
  }
  CHECK(observed_order(h, error) == doctest::Approx(2).epsilon(0.05));
}

TEST_CASE("a weight on a spring between bodies hangs at m g / k; a torsion spring turns a wheel back") {
  World world = world_of_joints();
  const BodyId weight = add_mass(world, {.mass = 2, .position = Vec3(0, 0, -0.4)});
  JointSpec spring = {.type = JointType::Spring, .a = weight, .anchor_a = Vec3::Zero()};
  spring.slide = {.stiffness = 100, .damping = 20, .rest = 0.5};
  const JointId joint = world.add_joint(spring);
  for (int i = 0; i < 5000; ++i) world.step(1e-3);
  const JointRecord record = world.joint_record(joint);
  CHECK(record.slide.position == doctest::Approx(0.5 + 2 * kGravity / 100).epsilon(1e-6));
  CHECK(record.slide.spring == doctest::Approx(-2 * kGravity).epsilon(1e-6));
  CHECK(record.force.z() == doctest::Approx(2 * kGravity).epsilon(1e-6));

  Wheel wheel({.stiffness = 8, .rest = 4}, 0);  // more than half a turn away
  const double period = 2 * kPi * std::sqrt(wheel.inertia / 8);
  for (int i = 0; i < 1000; ++i) wheel.world.step(period / 2000);
  CHECK(wheel.turn().position == doctest::Approx(8).epsilon(1e-4));
}

TEST_CASE("what acts along a cylindrical joint's two coordinates does not mix") {
  World world = world_of_joints();
  world.set_gravity({.acceleration = Vec3::Zero()});
  const BodyId body = add_mass(world, {.mass = 2, .moments = Vec3(0.3, 0.4, 0.5)});
  JointSpec spec = {.type = JointType::Cylindrical, .a = body};
  spec.slide = {.upper = 0.1, .restitution = 1, .motor_speed = 1, .motor_limit = 4};
  spec.turn = {.motor_speed = 2};
  const JointId joint = world.add_joint(spec);
  for (int i = 0; i < 100; ++i) world.step(1e-3);
  JointRecord record = world.joint_record(joint);
  CHECK(record.slide.velocity == doctest::Approx(4 * 0.1 / 2).epsilon(1e-9));
  CHECK(record.turn.velocity == doctest::Approx(2).epsilon(1e-12));
  CHECK(record.turn.position == doctest::Approx(0.2).epsilon(1e-3));
  CHECK(record.slide.motor == doctest::Approx(4));
}

TEST_CASE("in planar motion joints hold what is left to hold") {
  StepOptions options;
  options.planar = Vec3::UnitY();
  World world = world_of_joints("nsgs", options);
  const BodyId rod = add_mass(world, {.mass = 1, .position = Vec3(0.5, 0, 0)});
  const BodyId tip = add_mass(world, {.mass = 0.5, .position = Vec3(1.0, 0, 0)});
  const JointId pivot = world.add_joint(hinge(rod, {}, Vec3::Zero()));
  world.add_joint({.type = JointType::Fixed, .a = tip, .b = rod, .anchor = Vec3(1, 0, 0)});
  CHECK(world.joints()[0].held() == 2);
  CHECK(world.joints()[1].held() == 3);
  const double start = total_energy(world.energies());
  for (int i = 0; i < 1000; ++i) {
    const StepReport& report = world.step(1e-3);
    CHECK(report.worst_joint_error <= 1e-10);
    CHECK(std::abs(total_energy(report.energy) - start) < 1e-4);
  }
  CHECK(world.joint_record(pivot).turn.position > 1);
  CHECK(std::abs(world.position(tip).y()) < 1e-15);
  const auto refuses = [&](const JointSpec& spec) { CHECK_THROWS_AS(world.add_joint(spec), InputError); };
  refuses({.type = JointType::Revolute, .a = rod, .axis = Vec3::UnitX()});
  refuses({.type = JointType::Prismatic, .a = rod, .axis = Vec3::UnitY()});
}
