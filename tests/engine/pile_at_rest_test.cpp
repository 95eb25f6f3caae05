// A pile that has settled rests: contacts stay, sweeps are few, the books are closed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "engine/world.h"
#include "small_worlds.h"
#include "solvers/registry.h"

using namespace carom;

TEST_CASE("a settled pile of spheres rests within the tolerance at a few sweeps a step") {
  constexpr double kStep = 5e-3, kTolerance = 1e-4;  // s, m/s
  StepOptions options;
  options.projection = true;
  options.projection_slop = 40 * kStep * kTolerance;
  World world = pile_world(250, options);
  world.set_solver(
      make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", kTolerance}, {"max_iterations", std::int64_t{200}}}));
  for (int i = 0; i < 800; ++i) world.step(kStep);

  double mass = 0;
  for (int i = 0; i < world.body_count(); ++i)
    if (world.properties().kind[static_cast<std::size_t>(i)] == BodyKind::Dynamic)
      mass += world.properties().mass[static_cast<std::size_t>(i)];
  const double weight = mass * 9.81 * kStep;  // N s in a step
  std::vector<ContactRecord> records;
  double sweeps = 0;
  constexpr int kSteps = 50;
  for (int i = 0; i < kSteps; ++i) {
    const Vec3 before = world.linear_momentum();
    const StepReport& report = world.step(kStep);
    CHECK(report.status == SolveStatus::Solved);
    CHECK(report.worst_penetration < 1e-4);
    sweeps += report.iterations;
    // Momentum changes by gravity and by what the walls give, to rounding.
    world.contact_records(records);
    Vec3 given(0, 0, -weight);
    for (const ContactRecord& c : records) {
      if (world.properties().kind[static_cast<std::size_t>(c.body_b)] != BodyKind::Dynamic) given += c.impulse_world;
      if (world.properties().kind[static_cast<std::size_t>(c.body_a)] != BodyKind::Dynamic) given -= c.impulse_world;
    }
    CHECK((world.linear_momentum() - before - given).norm() <= 1e-12 * weight);
    CHECK(std::abs(report.energy.balance_error) <= 1e-12 * weight);  // J, of weight times 1 m/s
  }
  CHECK(sweeps / kSteps <= 10);
  std::vector<double> speeds;
  for (const Vec3& v : world.state().velocity) speeds.push_back(v.norm());
  std::nth_element(speeds.begin(), speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2), speeds.end());
  CHECK(speeds[speeds.size() / 2] < kTolerance);
}
