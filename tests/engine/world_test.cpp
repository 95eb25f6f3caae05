#include "engine/world.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.h"

using namespace carom;

namespace {

BodySpec ball(double radius = 0.1) {
  BodySpec spec;
  spec.name = "ball";
  spec.colliders = {{Shape::sphere(radius), {}, {}}};
  return spec;
}

}  // namespace

TEST_CASE("mass and inertia come from shape and density") {
  World world;
  world.add_sphere(0.5, {}, {.density = 3});
  const double m = 3 * 4.0 / 3.0 * std::numbers::pi * 0.125;
  CHECK(world.properties().mass[0] == doctest::Approx(m).epsilon(1e-14));
  CHECK(world.properties().inertia[0](1, 1) == doctest::Approx(0.4 * m * 0.25).epsilon(1e-14));
  CHECK(world.properties().gyroscopic[0] == 0);
  world.add_box(Vec3(1, 2, 3), {}, {.density = 2});
  CHECK(world.properties().mass[1] == doctest::Approx(12));
  CHECK(world.properties().inertia[1](2, 2) == doctest::Approx(12.0 / 12 * (1 + 4)).epsilon(1e-14));
  CHECK(world.properties().gyroscopic[1] == 1);
}

TEST_CASE("two shapes on one body add up by Steiner's rule") {
  World world;
  BodySpec dumbbell;
  dumbbell.density = 1;
  dumbbell.colliders = {{Shape::sphere(0.1), {}, {Vec3(1, 0, 0), Quat::Identity()}},
                        {Shape::sphere(0.1), {}, {Vec3(-1, 0, 0), Quat::Identity()}}};
  world.add_body(dumbbell);
  const double m = 4.0 / 3.0 * std::numbers::pi * 1e-3;
  CHECK(world.properties().inertia[0](0, 0) == doctest::Approx(2 * 0.4 * m * 0.01));
  CHECK(world.properties().inertia[0](2, 2) == doctest::Approx(2 * (0.4 * m * 0.01 + m)));
}

TEST_CASE("bad bodies are rejected, naming the body, the field and the value, and leave the world unchanged") {
  World world;
  const auto rejects = [&](auto change, const char* says) {
    BodySpec spec = ball();
    change(spec);
    const int before = world.body_count();
    CHECK_THROWS_WITH_AS(world.add_body(spec), doctest::Contains(says), InputError);
    CHECK(world.body_count() == before);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  rejects([](BodySpec& s) { s.colliders[0].shape.radius = -1; }, "ball: radius must be finite and > 0 (got -1)");
  rejects([&](BodySpec& s) { s.colliders[0].shape.radius = nan; }, "radius");
  rejects([](BodySpec& s) { s.mass = -2; }, "mass must be finite and > 0 (got -2)");
  rejects([](BodySpec& s) { s.density = 0; }, "density");
  rejects([&](BodySpec& s) { s.pose.position.x() = nan; }, "position must be finite");
  rejects([&](BodySpec& s) { s.velocity.y() = inf; }, "velocity must be finite");
  rejects([](BodySpec& s) { s.pose.rotation = Quat(0, 0, 0, 0); }, "orientation");
  rejects([](BodySpec& s) { s.inertia = Vec3(1, 1, 3).asDiagonal(); }, "exceeds the sum of the other two");
  rejects([](BodySpec& s) { s.inertia = Vec3(1, -1, 1).asDiagonal(); }, "positive definite");
  rejects([](BodySpec& s) { (s.inertia = Mat3::Identity())->coeffRef(0, 1) = 0.5; }, "symmetric");
  rejects([](BodySpec& s) { s.colliders[0].shape = Shape::half_space(); }, "unbounded");
  rejects([](BodySpec& s) { s.colliders.clear(); }, "needs mass and inertia");
  rejects([](BodySpec& s) { s.kind = BodyKind::Kinematic; }, "needs a motion");
  rejects([](BodySpec& s) { s.colliders[0].material = {99}; }, "unknown material");
  rejects(
      [](BodySpec& s) {
        s.kind = BodyKind::Fixed;
        s.velocity.x() = 1;
      },
      "fixed body");
  world.add_body(ball());
  rejects([](BodySpec&) {}, "in use already");
  CHECK_THROWS_AS(world.add_half_space(Vec3::Zero(), Vec3::Zero(), {}), InputError);
  CHECK_THROWS_AS(world.step(0), InputError);
  CHECK_THROWS_AS(world.step(-1), InputError);
  CHECK_THROWS_AS(world.step(nan), InputError);
  world.options().theta = 0.2;
  CHECK_THROWS_WITH_AS(world.step(1e-3), doctest::Contains("theta"), InputError);
}

TEST_CASE("handles of removed bodies are recognized, and their slot is used again") {
  World world;
  const BodyId first = world.add_sphere(0.1, {}, {.position = Vec3(0, 0, 0)});
  const BodyId second = world.add_sphere(0.1, {}, {.position = Vec3(0, 0, 0.15)});
  CHECK(world.find_overlaps(0).size() == 1);
  world.remove_body(first);
  CHECK_FALSE(world.contains(first));
  CHECK(world.contains(second));
  CHECK(world.find_overlaps(0).empty());
  CHECK(world.step(1e-3).contacts == 0);
  CHECK_THROWS_AS(world.position(first), InternalError);
  const BodyId third = world.add_sphere(0.1, {}, {.position = Vec3(3, 0, 0)});
  CHECK(third.index == first.index);
  CHECK_FALSE(world.contains(first));
  CHECK(world.contains(third));
  CHECK(world.body_count() == 2);
}

TEST_CASE("overlaps come deepest first") {
  World world;
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), {});
  world.add_sphere(1, {}, {.position = Vec3(0, 0, 0.9)});
  world.add_sphere(1, {}, {.position = Vec3(9, 0, 0.5)});
  const auto overlaps = world.find_overlaps(1e-3);
  REQUIRE(overlaps.size() == 2);
  CHECK(overlaps[0].depth == doctest::Approx(0.5));
  CHECK(overlaps[1].depth == doctest::Approx(0.1));
}

TEST_CASE("in planar mode bodies stay in the plane and turn about its normal only") {
  StepOptions options;
  options.planar = Vec3::UnitY();
  World world(options);
  const MaterialId m = world.add_material({.name = "m", .friction = 0.7, .restitution = 0.5});
  world.add_half_space(Vec3(0.3, 0, 1), Vec3::Zero(), m);
  world.add_half_space(Vec3(-1, 0, 0.4), Vec3(1, 0, 0), m);
  for (int i = 0; i < 5; ++i)
    world.add_sphere(0.1, m, {.position = Vec3(0.11 * i - 0.3, 0, 0.5 + 0.25 * i), .angular_velocity = Vec3(0, 3, 0)});
  world.set_gravity({Vec3(0, 4, -9.81), 0});  // pulls out of the plane too
  for (int i = 0; i < 1000; ++i) world.step(1e-3);
  CHECK(world.last_report().contacts > 0);
  for (int i = 2; i < world.body_count(); ++i) {
    const BodyId id = world.id_of(i);
    CHECK(std::abs(world.position(id).y()) < 1e-15);
    CHECK(std::abs(world.velocity(id).y()) < 1e-15);
    CHECK(world.angular_velocity(id).cross(Vec3::UnitY()).norm() < 1e-12);
  }
  CHECK_THROWS_WITH_AS(world.add_sphere(0.1, m, {.position = Vec3(5, 1, 5)}), doctest::Contains("plane of motion"),
                       InputError);
  CHECK_THROWS_WITH_AS(world.add_half_space(Vec3(0, 1, 1), Vec3::Zero(), m), doctest::Contains("normal"), InputError);
}

TEST_CASE("contact records carry the weight of a ball at rest") {
  World world;
  const MaterialId m = world.add_material({.name = "m", .friction = 0.5});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  const BodyId id = world.add_sphere(0.1, m, {.position = Vec3(0, 0, 0.1)});
  for (int i = 0; i < 20; ++i) world.step(1e-3);
  std::vector<ContactRecord> records;
  world.contact_records(records);
  REQUIRE(records.size() == 1);
  const double weight = world.properties().mass[1] * 9.81 * 1e-3;
  CHECK(records[0].body_a == 0);
  CHECK(records[0].body_b == static_cast<int>(id.index));
  CHECK(records[0].normal.z() == doctest::Approx(-1));  // from b, the ball, to a, the ground
  CHECK(records[0].impulse[0] == doctest::Approx(weight).epsilon(1e-10));
  CHECK(records[0].impulse_world.z() == doctest::Approx(-weight).epsilon(1e-10));
  CHECK(records[0].status == ContactStatus::Stick);
}

TEST_CASE("a snapshot of another scene is refused") {
  World one, two;
  one.add_sphere(0.1, {}, {});
  two.add_sphere(0.1, {}, {});
  two.add_sphere(0.1, {}, {.position = Vec3(1, 0, 0)});
  CHECK_THROWS_WITH_AS(two.restore(one.snapshot()), doctest::Contains("another scene"), InputError);
}

TEST_CASE("a box that runs squarely into its like stops it half way, both without turning") {
  World world;
  world.set_gravity({Vec3::Zero(), 0});
  const BodyId still = world.add_box(Vec3(1, 1, 1), {}, {.position = Vec3(0, 0, 0)});
  const BodyId moving = world.add_box(Vec3(1, 1, 1), {}, {.position = Vec3(1.2, 0, 0), .velocity = Vec3(-1, 0, 0)});
  for (int i = 0; i < 30; ++i) world.step(0.01);
  for (const BodyId box : {still, moving}) {
    CHECK((world.velocity(box) - Vec3(-0.5, 0, 0)).norm() < 1e-7);
    CHECK(world.angular_velocity(box).norm() < 1e-7);
  }
}

TEST_CASE("a stack of five boxes stays still for 2,000 steps") {
  World world;
  const MaterialId stone = world.add_material({.name = "stone", .friction = 0.5});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), stone);
  std::vector<BodyId> boxes;
  for (int i = 0; i < 5; ++i)
    boxes.push_back(world.add_box(Vec3(0.4, 0.3, 0.2), stone, {.position = Vec3(0, 0, 0.1 + 0.2 * i)}));
  world.options().activation_margin = 1e-9;
  int unsolved = 0;
  for (int i = 0; i < 2000; ++i) unsolved += world.step(1e-3).status != SolveStatus::Solved;
  CHECK(unsolved == 0);
  CHECK(world.last_report().contacts == 20);
  for (int i = 0; i < 5; ++i) {
    const BodyId box = boxes[static_cast<std::size_t>(i)];
    CHECK((world.position(box) - Vec3(0, 0, 0.1 + 0.2 * i)).norm() < 1e-6);
    CHECK(world.velocity(box).norm() < 1e-7);
  }
}
