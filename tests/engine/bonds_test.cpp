// Cohesive interfaces: they hold up to their strength, in closed form, and are dry once broken.
#include "engine/bonds.h"

#include <doctest/doctest.h>

#include <cmath>

#include "allocation_counter.h"
#include "base/error.h"
#include "engine/contact_face.h"
#include "engine/interfaces.h"
#include "solvers/registry.h"

using namespace carom;

namespace {

constexpr double kG = 9.81, kH = 1e-3;

// A block bonded to the ground and pulled by a load that is a share of its closed-form capacity.
struct Bonded {
  World world;
  BodyId block;
  Vec3 size;
  double weight = 0, area = 0;

  Bonded(const Vec3& size_in, const PairLaw& law, std::optional<Vec3> planar = {}) : size(size_in) {
    StepOptions options;
    options.planar = planar;
    options.activation_margin = 1e-9;
    world = World(options);
    world.set_solver(make_solver("auto", {{"measure", "velocity"}, {"tolerance", 1e-9}}));
    const MaterialId m = world.add_material({.name = "stone",
                                             .friction = law.friction,
                                             .cohesion = law.cohesion,
                                             .tensile_strength = law.tensile_strength});
    world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
    block = world.add_box(size, m, {.position = Vec3(0, 0, 0.5 * size.z())});
    weight = world.properties().mass[1] * kG;
    area = size.x() * size.y();
    REQUIRE(world.bond_interfaces() == 1);
    CHECK(world.bonds()[0].area == doctest::Approx(area));
  }

  // Whether the bond is broken after 0.3 s of this force at a point of the block.
  bool breaks(const Vec3& force, const Vec3& point = Vec3::Zero()) {
    world.add_load({.body = block, .force = force, .point = point});
    for (int i = 0; i < 300; ++i) {
      CHECK(world.step(kH).status == SolveStatus::Solved);
      const EnergyReport& e = world.last_report().energy;
      CHECK(std::abs(e.balance_error) < 1e-9 * (1 + e.kinetic));
      if (world.bond_holds(0)) CHECK(e.contact_work < 1e-7);  // solver tolerance times impulse
    }
    return !world.bond_holds(0);
  }
};

const Vec3 kSize(0.4, 0.3, 1.0);

}  // namespace

TEST_CASE("a bond takes tension up to its strength times its area, besides the weight") {
  const PairLaw law = {.friction = 0.6, .cohesion = 0, .tensile_strength = 2e4};
  for (const double share : {0.99, 1.01}) {
    Bonded b(kSize, law);
    CHECK(b.breaks(share * Vec3(0, 0, b.weight + law.tensile_strength * b.area)) == (share > 1));
    const double speed = b.world.velocity(b.block).z();
    if (share < 1) CHECK(std::abs(speed) < 1e-9);
    if (share > 1) CHECK(speed > 0);
  }
}

TEST_CASE("a bond takes shear up to cohesion times area plus friction times weight") {
  // with cohesion above and below friction times tensile strength, and without friction at all
  for (const PairLaw& law : {PairLaw{.friction = 0.5, .cohesion = 3e4, .tensile_strength = 1e4},
                             PairLaw{.friction = 0.5, .cohesion = 3e4, .tensile_strength = 0},
                             PairLaw{.friction = 0.5, .cohesion = 0, .tensile_strength = 1e4},
                             PairLaw{.friction = 0, .cohesion = 2e4, .tensile_strength = 1e4}}) {
    const double strength = std::max(law.cohesion, law.friction * law.tensile_strength);
    for (const double share : {0.99, 1.01}) {
      // a flat block pushed at its foot neither tips nor hinges
      Bonded b(Vec3(1.0, 0.8, 0.1), law);
      const double capacity = strength * b.area + law.friction * b.weight;
      const Vec3 direction(0.8, 0.6, 0);  // friction and cohesion are isotropic
      CHECK(b.breaks(share * capacity * direction, Vec3(0, 0, -0.05)) == (share > 1));
      // dry from then on: friction alone
      if (share > 1) {
        const double expected = (share * capacity - law.friction * b.weight) / (b.weight / kG) * 0.3;
        CHECK(b.world.velocity(b.block).dot(direction) == doctest::Approx(expected).epsilon(0.05));
      }
    }
  }
}

TEST_CASE("a bonded foot overturns when the moment exceeds that of weight and of full tension about its edge") {
  // F h = W b/2 + f_t A b/2
  const PairLaw law = {.friction = 0.9, .cohesion = 2e4, .tensile_strength = 2e4};
  for (const double share : {0.99, 1.01}) {
    Bonded b(kSize, law);
    const double capacity = (b.weight + law.tensile_strength * b.area) * 0.5 * kSize.x() / kSize.z();
    CHECK(b.breaks(Vec3(share * capacity, 0, 0), Vec3(0, 0, 0.5 * kSize.z())) == (share > 1));
  }
}

TEST_CASE("planar worlds have bonds too") {
  const PairLaw law = {.friction = 0.5, .cohesion = 3e4, .tensile_strength = 1e4};
  for (const double share : {0.98, 1.02}) {
    Bonded b(Vec3(1.0, 0.8, 0.1), law, Vec3::UnitY());
    const double capacity = law.cohesion * b.area + law.friction * b.weight;
    CHECK(b.breaks(Vec3(share * capacity, 0, 0), Vec3(0, 0, -0.05)) == (share > 1));
  }
}

TEST_CASE("what breaking dissipates is strength times area times the opening at which it breaks") {
  const PairLaw law = {.friction = 0.6, .tensile_strength = 2e4};
  Bonded b(kSize, law);
  b.world.bond_interfaces(1e-6, 1e-3);
  b.world.add_load({.body = b.block, .force = Vec3(0, 0, b.weight + 1.05 * law.tensile_strength * b.area)});
  double work = 0, opening = 0;
  while (b.world.bond_holds(0)) {
    b.world.step(1e-4);
    work += b.world.last_report().energy.contact_work;
    opening = b.world.position(b.block).z() - 0.5 * kSize.z();
    REQUIRE(b.world.time() < 1);
  }
  CHECK(opening == doctest::Approx(1e-3).epsilon(0.05));
  CHECK(work == doctest::Approx(-law.tensile_strength * b.area * opening).epsilon(1e-6));
}

TEST_CASE("the law of a pair of bodies wins over that of their materials") {
  World world;
  world.set_solver(make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-11}}));
  const MaterialId m = world.add_material({.name = "ice", .friction = 0.01});
  const BodyId ground = world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  const BodyId held = world.add_box(Vec3(1, 1, 0.1), m, {.position = Vec3(0, 0, 0.05)});
  const BodyId slides = world.add_box(Vec3(1, 1, 0.1), m, {.position = Vec3(0, 3, 0.05)});
  world.set_pair(held, ground, {.friction = 0.5});
  world.set_gravity({.acceleration = kG * Vec3(std::sin(0.3), 0, -std::cos(0.3))});
  for (int i = 0; i < 200; ++i) world.step(kH);
  CHECK(world.velocity(held).norm() < 1e-9);
  CHECK(world.velocity(slides).x() == doctest::Approx(kG * (std::sin(0.3) - 0.01 * std::cos(0.3)) * 0.2).epsilon(1e-6));
  CHECK_THROWS_AS(world.set_pair(held, held, {}), InputError);
  CHECK_THROWS_AS(world.set_pair(held, ground, {.cohesion = -1}), InputError);
}

TEST_CASE("corners of a face stand for its area and its centroid") {
  const std::vector<Vec3> points = {{0, 0, 0}, {4, 0, 0}, {4, 1, 0}, {1, 3, 0}, {2, 1, 0}};
  const std::vector<double> areas = corner_areas(points, Vec3::UnitZ());
  REQUIRE(areas.size() == points.size());
  CHECK(areas[4] == 0);  // inside
  double area = 0;
  Vec3 moment = Vec3::Zero();
  for (std::size_t i = 0; i < points.size(); ++i) area += areas[i], moment += areas[i] * points[i];
  // shoelace: triangles (0, 1, 2) and (0, 2, 3)
  const double t1 = 2, t2 = 0.5 * (4 * 3 - 1 * 1);
  CHECK(area == doctest::Approx(t1 + t2));
  const Vec3 centroid = (t1 * (points[0] + points[1] + points[2]) + t2 * (points[0] + points[2] + points[3])) / 3 / (t1 + t2);
  CHECK((moment / area - centroid).norm() < 1e-12);
  CHECK(corner_areas(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, Vec3::UnitZ()).empty());
}

namespace {

// A pier of bonded blocks that is pushed until it breaks.
World bonded_pier(int threads = 1) {
  StepOptions options;
  options.threads = {threads};
  options.activation_margin = 1e-6;
  World world(options);
  const MaterialId m = world.add_material({.name = "stone", .friction = 0.7, .cohesion = 2e4, .tensile_strength = 1e4});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  BodyId last;
  for (int i = 0; i < 5; ++i)
    last = world.add_box(Vec3(0.3, 0.3, 0.2), m, {.position = Vec3(0, 0, 0.1 + 0.2 * i)});
  world.add_load({.body = last, .force = Vec3(1500, 200, 0), .ramp = 0.3});
  world.bond_interfaces();
  return world;
}

}  // namespace

TEST_CASE("a restored world with bonds goes on bit for bit, for any number of threads") {
  World straight = bonded_pier(), first = bonded_pier(2), second = bonded_pier(3);
  for (int i = 0; i < 500; ++i) straight.step(kH);
  CHECK(straight.last_report().broken_bonds > 0);
  for (const int half : {100, 400}) {
    while (first.step_count() < half) first.step(kH);
    second.restore(first.snapshot());
    World third = bonded_pier();
    third.restore(first.snapshot());
    for (int i = half; i < 500; ++i) third.step(kH);
    CHECK(third.state_hash() == straight.state_hash());
  }
  WorldSnapshot other = first.snapshot();
  other.bond_impulses.pop_back();
  CHECK_THROWS_AS(second.restore(other), InputError);
}

TEST_CASE("the steady-state step with bonds allocates nothing") {
  World world = bonded_pier();
  for (int i = 0; i < 20; ++i) world.step(kH);
  AllocationCounter counter;
  for (int i = 0; i < 20; ++i) world.step(kH);
  const long allocations = counter.count();
  if (AllocationCounter::available()) CHECK(allocations == 0);
}
