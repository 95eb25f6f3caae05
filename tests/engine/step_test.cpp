// Properties of the step itself; closed forms of mechanics are in tests/validation.
#include <doctest/doctest.h>

#include <cmath>

#include "allocation_counter.h"
#include "engine/world.h"
#include "small_worlds.h"
#include "solvers/registry.h"

using namespace carom;

namespace {

std::uint64_t hash_after(int threads, int steps) {
  StepOptions options;
  options.threads.count = threads;
  options.projection = true;
  World world = pile_world(700, options);
  world.set_solver(
      make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-6}, {"max_iterations", std::int64_t{20}}}));
  for (int i = 0; i < steps; ++i) world.step(2e-3);
  REQUIRE(world.last_report().contacts > 512);
  return world.state_hash();
}

}  // namespace

TEST_CASE("the same bits for 1, 2, 5 and 7 threads, and for a re-run") {
  const std::uint64_t serial = hash_after(1, 150);
  CHECK(hash_after(1, 150) == serial);
  CHECK(hash_after(2, 150) == serial);
  CHECK(hash_after(5, 150) == serial);
  CHECK(hash_after(7, 150) == serial);
}

TEST_CASE("a restored world goes on bit for bit as if never stopped") {
  World straight = pile_world(30);
  for (int i = 0; i < 200; ++i) straight.step(2e-3);
  World first = pile_world(30);
  for (int i = 0; i < 120; ++i) first.step(2e-3);
  World second = pile_world(30);
  second.restore(first.snapshot());
  for (int i = 120; i < 200; ++i) second.step(2e-3);
  CHECK(second.state_hash() == straight.state_hash());
  CHECK(second.step_count() == straight.step_count());
  CHECK(second.time() == straight.time());
}

TEST_CASE("the steady-state step allocates nothing") {
  if (!AllocationCounter::available()) {
    MESSAGE("skipped: sanitizers own malloc");
    return;
  }
  for (bool projection : {false, true}) {
    StepOptions options;
    options.projection = projection;
    World world = pile_world(60, options);
    world.set_solver(make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-4}}));
    // Long enough that the number of contacts has seen its peak.
    for (int i = 0; i < 2000; ++i) world.step(2e-3);
    const int contacts_before = world.last_report().contacts;
    AllocationCounter counter;
    int changes = 0;
    for (int i = 0, last = contacts_before; i < 200; ++i) {
      changes += world.step(2e-3).contacts != last;
      last = world.last_report().contacts;
    }
    const long allocations = counter.count();  // read first: doctest itself allocates
    INFO("contacts ", contacts_before, ", changed in ", changes, " of 200 steps");
    CHECK(allocations == 0);
  }
}

TEST_CASE("a sphere at rest costs a handful of iterations, from the first contact on") {
  World world;
  const MaterialId m = world.add_material({.name = "m", .friction = 0.5});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  world.add_sphere(0.1, m, {.position = Vec3(0, 0, 0.1)});
  int worst = 0;
  for (int i = 0; i < 1000; ++i) worst = std::max(worst, world.step(1e-3).iterations);
  CHECK(worst <= 2);
}

TEST_CASE("warm starting by key saves sweeps in a settled stack") {
  World world;
  const MaterialId m = world.add_material({.name = "m", .friction = 0.5});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  for (int i = 0; i < 10; ++i) world.add_sphere(0.1, m, {.position = Vec3(0, 0, 0.1 + 0.2 * i)});
  for (int i = 0; i < 500; ++i) world.step(1e-3);
  const int warm = world.step(1e-3).iterations;
  WorldSnapshot cold = world.snapshot();
  cold.warm_keys.clear();
  cold.warm_impulses.clear();
  world.restore(cold);
  const int without = world.step(1e-3).iterations;
  CHECK(warm <= 2);
  CHECK(without > 5 * warm);
}

TEST_CASE("an explicit change of the step size scales the warm start") {
  World world;
  const MaterialId m = world.add_material({.name = "m"});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  world.add_sphere(0.1, m, {.position = Vec3(0, 0, 0.1)});
  for (int i = 0; i < 50; ++i) world.step(1e-3);
  CHECK(world.step(5e-4).iterations <= 2);
  CHECK(world.velocity(world.id_of(1)).norm() < 1e-15);
}

TEST_CASE("position projection leaves no overlap beyond the slop and changes no velocity") {
  const auto drop = [](bool projection) {
    StepOptions options;
    options.projection = projection;
    World world(options);
    const MaterialId m = world.add_material({.name = "m", .friction = 0.3});
    world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
    for (int i = 0; i < 4; ++i) world.add_sphere(0.1, m, {.position = Vec3(0, 0, 0.4 + 0.25 * i)});
    for (int i = 0; i < 800; ++i) world.step(1e-3);
    return world;
  };
  const World plain = drop(false), projected = drop(true);
  CHECK(plain.last_report().worst_penetration > 1e-4);  // what an event-capturing scheme leaves by itself
  CHECK(projected.last_report().worst_penetration <= 1.2e-6);
  for (int i = 1; i <= 4; ++i) CHECK(projected.velocity(projected.id_of(i)).norm() < 1e-7);
}

TEST_CASE("activation from the whole step's forecast leaves less overlap than from its middle") {
  const auto overlap = [](Activation activation) {
    StepOptions options;
    options.activation = activation;
    World world(options);
    const MaterialId m = world.add_material({.name = "m"});
    world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
    const BodyId ball = world.add_sphere(0.1, m, {.position = Vec3(0, 0, 1.1)});
    for (int i = 0; i < 1000; ++i) world.step(1e-3);
    return 0.1 - world.position(ball).z();
  };
  CHECK(overlap(Activation::Midpoint) > 0);
  CHECK(overlap(Activation::Predicted) < overlap(Activation::Midpoint));
}

TEST_CASE("theta = 1 is backward Euler: falls by the end velocity") {
  StepOptions options;
  options.theta = 1;
  World world(options);
  const BodyId ball = world.add_sphere(0.1, {}, {});
  world.step(0.1);
  CHECK(world.position(ball).z() == doctest::Approx(-9.81 * 0.01).epsilon(1e-14));
}

TEST_CASE("momentum balance: what a moving plate and gravity give is what bodies have") {
  // a ball carried by a plate under harmonic motion: energy = work of the plate + potential, to rounding
  World world;
  const MaterialId m = world.add_material({.name = "m", .friction = 0.6, .restitution = 0.3});
  BodySpec plate;
  plate.kind = BodyKind::Kinematic;
  plate.colliders = {{Shape::half_space(), m, {}}};
  plate.motion = harmonic(Vec3(1, 0, 0.5), 0.02, 3.0);
  world.add_body(plate);
  world.add_sphere(0.1, m, {.position = Vec3(0, 0, 0.15)});
  double before = world.energies().kinetic + world.energies().potential, scale = 0;
  for (int i = 0; i < 3000; ++i) {
    const EnergyReport& e = world.step(1e-3).energy;
    const double after = e.kinetic + e.potential;
    CHECK(std::abs(e.balance_error) < 1e-12);
    CHECK(after - before ==
          doctest::Approx(e.external_work + e.boundary_work + e.contact_work + e.projection_work + e.balance_error)
              .epsilon(1e-9)
              .scale(1));
    before = after;
    scale = std::max(scale, std::abs(e.boundary_work));
  }
  CHECK(scale > 1e-3);  // the plate did work
}

TEST_CASE("a gravity ramp and loads do work that the balance accounts for") {
  World world;
  world.set_gravity({Vec3(0, 0, -9.81), 0.5});
  const BodyId ball = world.add_sphere(0.1, {}, {.position = Vec3(0, 0, 3)});
  world.add_load({.body = ball,
                  .force = Vec3(5, 0, 0),
                  .torque = Vec3(0, 0.2, 0),
                  .point = Vec3(0, 0, 0.05),
                  .from = 0.1,
                  .to = 0.4,
                  .ramp = 0.1});
  double before = world.energies().kinetic + world.energies().potential;
  for (int i = 0; i < 1000; ++i) {
    const EnergyReport& e = world.step(1e-3).energy;
    CHECK(e.kinetic + e.potential - before == doctest::Approx(e.external_work).epsilon(1e-10).scale(1));
    CHECK(std::abs(e.balance_error) < 1e-12);
    before = e.kinetic + e.potential;
  }
  // m v = integral of the load: 5 N over 0.3 s less half the ramp
  const double mass = world.properties().mass[0];
  CHECK(mass * world.velocity(ball).x() == doctest::Approx(5 * (0.3 - 0.05)).epsilon(1e-3));
  // falls g/ramp t^3/6 while gravity grows
  CHECK(world.angular_velocity(ball).y() > 0);
}

TEST_CASE("a force field is felt at the middle of the step") {
  World world;
  world.set_gravity({Vec3::Zero(), 0});
  const BodyId ball = world.add_sphere(0.1, {}, {.position = Vec3(1, 0, 0)});
  const double k = 100, m = world.properties().mass[0];
  world.add_force_field(
      [k](double, const BodyState& mid, std::span<Vec3> force, std::span<Vec3>) { force[0] -= k * mid.position[0]; });
  const double period = 2 * 3.14159265358979323846 * std::sqrt(m / k);
  for (int i = 0; i < 1000; ++i) world.step(period / 1000);
  CHECK(world.position(ball).x() == doctest::Approx(1).epsilon(1e-4));
}

TEST_CASE("a value that overflows is reported as a numerical error, not as success") {
  World world;
  const BodyId ball = world.add_sphere(0.1, {}, {});
  world.add_load({.body = ball, .force = Vec3(1e308, 0, 0)});
  StepReport report;
  for (int i = 0; i < 5; ++i) report = world.step(1.0);
  CHECK(report.status == SolveStatus::NumericalError);
}
