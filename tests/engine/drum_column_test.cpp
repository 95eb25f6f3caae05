// Columns of drums and stacks of planar blocks: bodies that rest on caps and on polygons.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "base/error.h"
#include "engine/world.h"

using namespace carom;

namespace {

double fastest(const World& world) {
  double speed = 0;
  for (const Vec3& v : world.state().velocity) speed = std::max(speed, v.norm());
  return speed;
}

}  // namespace

TEST_CASE("a column of drums stands, each turned against the next, with contacts that stay") {
  World world;
  const MaterialId stone = world.add_material({.name = "stone", .friction = 0.7});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), stone);
  world.options().activation_margin = 1e-8;
  constexpr int kDrums = 6;
  std::vector<BodyId> drums;
  for (int i = 0; i < kDrums; ++i) {
    BodySpec spec;
    spec.pose = {Vec3(0.01 * (i % 3), 0.01 * (i % 2), 0.25 + 0.5 * i), Quat(Eigen::AngleAxisd(0.4 * i, Vec3::UnitZ()))};
    spec.colliders.push_back({Shape::cylinder(0.5, 0.25), stone, {}});
    drums.push_back(world.add_body(spec));
  }
  for (int k = 0; k < 20; ++k) world.step(1e-3);
  std::vector<ContactRecord> before, now;
  world.contact_records(before);
  for (int k = 0; k < 1000; ++k) world.step(1e-3);
  world.contact_records(now);
  REQUIRE(now.size() == before.size());
  for (std::size_t i = 0; i < now.size(); ++i) CHECK(now[i].key == before[i].key);
  CHECK(fastest(world) < 1e-7);
  for (int i = 0; i < kDrums; ++i) {
    const Vec3 expected(0.01 * (i % 3), 0.01 * (i % 2), 0.25 + 0.5 * i);
    CHECK((world.position(drums[static_cast<std::size_t>(i)]) - expected).norm() < 1e-6);
  }
}

TEST_CASE("a drum on a box topples over its true rim: it stays below the slope of radius over half height") {
  // Tilted gravity stands for a slope; friction is ample. A drum of radius r and height 2 h topples at tan = r/h.
  const double r = 0.3, h = 0.5;
  for (const double share : {0.98, 1.02}) {
    World world;
    const MaterialId rough = world.add_material({.name = "rough", .friction = 2});
    world.add_fixed(Shape::box(Vec3(3, 3, 0.5)), rough, {Vec3(0, 0, -0.5), Quat::Identity()});
    BodySpec spec;
    // An azimuth between two of the points that are fixed in the body.
    spec.pose = {Vec3(0, 0, h), Quat(Eigen::AngleAxisd(0.35, Vec3::UnitZ()))};
    spec.colliders.push_back({Shape::cylinder(r, h), rough, {}});
    const BodyId drum = world.add_body(spec);
    const double slope = std::atan(share * r / h);
    world.set_gravity({9.81 * Vec3(std::sin(slope), 0, -std::cos(slope)), 0});
    for (int k = 0; k < 1500; ++k) world.step(1e-3);
    const double lean = std::acos(std::min(1.0, (world.state().rotation[drum.index] * Vec3::UnitZ()).z()));
    CAPTURE(share);
    if (share < 1) CHECK(lean < 1e-3);
    if (share > 1) CHECK(lean > 0.05);
  }
}

TEST_CASE("polygons and disks in a planar run stand on each other and stay in the plane") {
  StepOptions options;
  options.planar = Vec3::UnitY();
  options.activation_margin = 1e-8;
  World world(options);
  const MaterialId stone = world.add_material({.name = "stone", .friction = 0.6});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), stone);
  // local x, y to world x, z
  const Quat frame(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
  const Vec2 trapezium[] = {{-0.6, -0.25}, {0.6, -0.25}, {0.5, 0.25}, {-0.5, 0.25}};
  for (int i = 0; i < 5; ++i) {
    BodySpec spec;
    const SolidProperties solid = solid_properties(Shape::polygon(trapezium));
    spec.pose.position = Vec3(0, 0, 0.25 + 0.5 * i + solid.centroid.y());
    spec.colliders.push_back({Shape::polygon(trapezium), stone, {Vec3(0, 0, -solid.centroid.y()), frame}});
    world.add_body(spec);
  }
  BodySpec disk;
  disk.pose.position = Vec3(0, 0, 2.5 + 0.3);
  disk.colliders.push_back({Shape::disk(0.3), stone, {Vec3::Zero(), frame}});
  const BodyId ball = world.add_body(disk);
  CHECK(world.properties().mass[ball.index] == doctest::Approx(1000 * std::numbers::pi * 0.09));
  for (int k = 0; k < 1000; ++k) world.step(1e-3);
  CHECK(world.last_report().contacts == 11);  // two a block, one of the disk
  CHECK(fastest(world) < 1e-7);
  for (const Vec3& x : world.state().position) CHECK(x.y() == 0);
  CHECK(world.position(ball).z() == doctest::Approx(2.8).epsilon(1e-6));

  World solid_world;
  const MaterialId m = solid_world.add_material({.name = "m"});
  disk.colliders[0].material = m;
  CHECK_THROWS_WITH_AS(solid_world.add_body(disk), doctest::Contains("must be planar"), InputError);
  disk.colliders[0].material = stone;
  disk.colliders[0].local.rotation = Quat::Identity();
  CHECK_THROWS_WITH_AS(world.add_body(disk), doctest::Contains("along the normal"), InputError);
}
