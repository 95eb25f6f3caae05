// Every impact law inside the time-stepper: what must hold whatever the law.
#include <doctest/doctest.h>

#include <cmath>

#include "engine/impact/registry.h"
#include "engine/lagrangian_world.h"
#include "engine/systems/registry.h"
#include "engine/world.h"

using namespace carom;

namespace {

std::vector<std::string> every_law() {
  std::vector<std::string> names;
  for (const ImpactLawInfo& info : impact_law_table()) {
    names.push_back(info.name);
    names.insert(names.end(), info.presets.begin(), info.presets.end());
  }
  return names;
}

// A ball strikes a triangle of others, which fly on into a row across their way; no gravity.
World billiards(const std::string& law, double friction, int threads = 1) {
  World world;
  world.set_gravity({.acceleration = Vec3::Zero()});
  world.options().activation_margin = 1e-9;
  world.options().threads = {threads};
  const MaterialId m = world.add_material({.name = "m", .friction = friction, .restitution = 0.9});
  const double d = 0.1;
  for (int row = 0; row < 3; ++row)
    for (int k = 0; k <= row; ++k)
      world.add_sphere(0.5 * d, m, {.position = Vec3(0.5 * std::sqrt(3.0) * d * row, d * (k - 0.5 * row), 0)});
  for (int k = -5; k <= 5; ++k) world.add_sphere(0.5 * d, m, {.position = Vec3(0.4, d * k, 0)});
  world.add_sphere(0.5 * d, m, {.position = Vec3(-0.12, 0.01, 0), .velocity = Vec3(2, 0, 0)});
  world.set_impact_law(make_impact_law(law));
  return world;
}

}  // namespace

TEST_CASE("rigid bodies under every law keep their momentum, and the step accounts for their energy") {
  for (const std::string& law : every_law()) {
    for (const double friction : {0.0, 0.4}) {
      CAPTURE(law);
      CAPTURE(friction);
      World world = billiards(law, friction);
      const Vec3 linear = world.linear_momentum(), angular = world.angular_momentum();
      const double start = world.energies().kinetic;
      double highest = start;
      int impacts = 0, failed = 0;
      for (int i = 0; i < 400; ++i) {
        const double before = world.energies().kinetic;
        const StepReport& report = world.step(1e-3);
        CHECK(report.status == SolveStatus::Solved);
        CHECK(std::abs(report.energy.balance_error) < 1e-13 * start);
        CHECK(std::abs(report.energy.kinetic - before - report.energy.contact_work) < 1e-13 * start);
        impacts += report.impacts;
        failed += report.failed_impacts;
        highest = std::max(highest, report.energy.kinetic);
      }
      CHECK(failed == 0);
      CHECK(impacts >= 2);
      CHECK((world.linear_momentum() - linear).norm() < 1e-12 * linear.norm());
      CHECK((world.angular_momentum() - angular).norm() < 1e-12 * linear.norm());
      CHECK(world.energies().kinetic < 0.999 * start);  // something was lost: e = 0.9
      // Spheres couple tangents to normals at second order only: no law creates energy here.
      CHECK(highest <= start * (1 + 1e-10));
    }
  }
}

TEST_CASE("bodies under every law have the same bits for any number of threads") {
  for (const std::string& law : every_law()) {
    CAPTURE(law);
    World one = billiards(law, 0.4, 1);
    for (int i = 0; i < 200; ++i) one.step(1e-3);
    for (const int threads : {2, 5}) {
      World other = billiards(law, 0.4, threads);
      for (int i = 0; i < 200; ++i) other.step(1e-3);
      CHECK(one.state().velocity == other.state().velocity);
      CHECK(one.state().position == other.state().position);
    }
  }
}

TEST_CASE("systems under every law: momentum is kept, energy accounted for, and contacts hold") {
  for (const std::string& law : every_law()) {
    for (const char* type : {"ball_chain", "double_pendulum"}) {
      CAPTURE(law);
      CAPTURE(type);
      LagrangianWorld world(make_system(type));
      world.set_impact_law(make_impact_law(law));
      const double start = world.kinetic_energy() + world.potential_energy();
      const double scale = std::max(1.0, std::abs(start));
      double momentum = world.v().sum();
      int impacts = 0;
      for (int i = 0; i < 3000; ++i) {
        const StepReport& report = world.step(1e-3);
        CHECK(report.status == SolveStatus::Solved);
        CHECK(report.failed_impacts == 0);
        CHECK(report.worst_penetration < 1e-2);
        impacts += report.impacts;
        CHECK(std::abs(report.energy.balance_error) < 1e-5 * scale);  // O(h^3) of smooth motion
      }
      CHECK(impacts >= 1);
      CHECK(world.kinetic_energy() + world.potential_energy() < start + 1e-3 * scale);
      if (std::string(type) == "ball_chain") CHECK(world.v().sum() == doctest::Approx(momentum).epsilon(1e-12));
    }
  }
}
