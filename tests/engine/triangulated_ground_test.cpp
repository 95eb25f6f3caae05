// Bodies that move on meshes and terrain.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "allocation_counter.h"
#include "engine/world.h"
#include "ground_surfaces.h"
#include "solvers/registry.h"

using namespace carom;

namespace {

enum class Floor : std::uint8_t { HalfSpace, Mesh, Terrain };

// A level floor at z = 0 around the origin, 16 m across.
void add_floor(World& world, Floor floor, MaterialId material) {
  RandomStream random(9, 1);
  if (floor == Floor::HalfSpace) world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), material);
  if (floor == Floor::Mesh) world.add_fixed(Shape::mesh(ground::plane_mesh(23, 8, random)), material, Pose{});
  if (floor == Floor::Terrain)
    world.add_fixed(Shape::height_field(ground::field(41, 41, 0.4, [](double, double) { return 0.0; })), material,
                    Pose{Vec3(-8, -8, 0), Quat::Identity()});
}

struct Track {
  std::vector<Vec3> position, velocity, spin;
  std::vector<double> kinetic;
};

Track slide(Floor floor, const Shape& shape, double height, const Vec3& velocity, const Vec3& spin, double friction) {
  World world;
  world.set_solver(
      make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-12}, {"max_iterations", std::int64_t{100000}}}));
  const MaterialId stone = world.add_material({.name = "stone", .friction = friction});
  add_floor(world, floor, stone);
  BodySpec spec;
  spec.pose = {Vec3(-3.1, -2.7, height), Quat(Eigen::AngleAxisd(0.3, Vec3::UnitZ()))};
  spec.velocity = velocity;
  spec.angular_velocity = spin;
  spec.colliders = {{shape, stone, {}}};
  const BodyId body = world.add_body(spec);
  Track motion;
  for (int i = 0; i < 1000; ++i) {
    world.step(1e-3);
    motion.position.push_back(world.position(body));
    motion.velocity.push_back(world.velocity(body));
    motion.spin.push_back(world.angular_velocity(body));
    motion.kinetic.push_back(world.energies().kinetic);
  }
  return motion;
}

double largest_difference(const Track& p, const Track& q) {
  double worst = 0;
  for (std::size_t i = 0; i < p.position.size(); ++i)
    worst = std::max({worst, (p.position[i] - q.position[i]).norm(), (p.velocity[i] - q.velocity[i]).norm(),
                      (p.spin[i] - q.spin[i]).norm(), std::abs(p.kinetic[i] - q.kinetic[i]) / p.kinetic[0]});
  return worst;
}

}  // namespace

TEST_CASE("a box slides over a triangulated plane as over a half-space") {
  const Shape box = Shape::box(Vec3(0.4, 0.3, 0.2));
  for (const double friction : {0.0, 0.3}) {
    const Track wall = slide(Floor::HalfSpace, box, 0.2, Vec3(4, 3, 0), Vec3::Zero(), friction);
    for (const Floor floor : {Floor::Mesh, Floor::Terrain}) {
      const double worst = largest_difference(wall, slide(floor, box, 0.2, Vec3(4, 3, 0), Vec3::Zero(), friction));
      MESSAGE("friction ", friction, ": largest difference ", worst);
      CHECK(worst < 1e-9);
    }
    // Coulomb: v(t) = v0 - mu g t
    CHECK(wall.velocity.back().norm() == doctest::Approx(5 - friction * 9.81).epsilon(1e-3));
  }
}

TEST_CASE("a ball rolls over a triangulated plane without a bump") {
  // Rolling: v = omega x r, and friction does no work.
  const Shape ball = Shape::sphere(0.25);
  for (const Floor floor : {Floor::HalfSpace, Floor::Mesh, Floor::Terrain}) {
    const Track motion = slide(floor, ball, 0.25, Vec3(4, 3, 0), Vec3(-3, 4, 0) / 0.25, 0.5);
    for (std::size_t i = 0; i < motion.velocity.size(); ++i) {
      CHECK(std::abs(motion.velocity[i].z()) < 1e-9);
      CHECK((motion.velocity[i] - Vec3(4, 3, 0)).norm() < 1e-9);
    }
    CHECK(motion.kinetic.back() == doctest::Approx(motion.kinetic.front()).epsilon(1e-10));
  }
}

namespace {

// A cylinder or capsule lying across its way rolls 3 m without slip; largest departure from steady rolling, m/s.
double roll(Floor bed, const Shape& shape, int cells) {
  World world;
  world.set_solver(
      make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-12}, {"max_iterations", std::int64_t{100000}}}));
  const MaterialId stone = world.add_material({.name = "stone", .friction = 0.5});
  RandomStream random(9, 6);
  if (bed == Floor::HalfSpace) world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), stone);
  if (bed == Floor::Mesh) world.add_fixed(Shape::mesh(ground::plane_mesh(cells, 4, random)), stone, Pose{});
  if (bed == Floor::Terrain)
    world.add_fixed(Shape::height_field(ground::field(41, 41, 0.2, [](double, double) { return 0.0; })), stone,
                    Pose{Vec3(-4, -4, 0), Quat::Identity()});
  const Vec3 along = Vec3(1, 0.3, 0).normalized(), axle = Vec3::UnitZ().cross(along);
  BodySpec spec;
  spec.pose = {Vec3(-1.5, -0.4, shape.radius), Quat::FromTwoVectors(Vec3::UnitZ(), axle)};
  spec.velocity = 3 * along;
  spec.angular_velocity = 3 / shape.radius * axle;
  spec.colliders = {{shape, stone, {}}};
  const BodyId body = world.add_body(spec);
  double worst = 0;
  for (int i = 0; i < 1000; ++i) {
    world.step(1e-3);
    worst = std::max({worst, (world.velocity(body) - spec.velocity).norm(),
                      shape.radius * (world.angular_velocity(body) - spec.angular_velocity).norm()});
  }
  CHECK(world.position(body).dot(along) == doctest::Approx(spec.pose.position.dot(along) + 3).epsilon(1e-6));
  return worst;
}

}  // namespace

TEST_CASE("cylinders and capsules roll over edges of triangles as over a plane") {
  for (const Shape& shape : {Shape::capsule(0.2, 0.3), Shape::cylinder(0.2, 0.3)}) {
    CAPTURE(name_of(shape.kind));
    const double plain = roll(Floor::HalfSpace, shape, 0);
    for (const double worst :
         {roll(Floor::Mesh, shape, 11), roll(Floor::Mesh, shape, 80), roll(Floor::Terrain, shape, 0)}) {
      MESSAGE(name_of(shape.kind) << ": off steady rolling by " << worst << " m/s, on a half-space by " << plain);
      CHECK(worst <= plain + 1e-9);
    }
  }
}

namespace {

// A box that is carried along by a floor that moves, rises and turns; where it is after a second.
Vec3 carried(const Shape& floor, const Pose& at) {
  World world;
  world.set_solver(
      make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-12}, {"max_iterations", std::int64_t{100000}}}));
  const MaterialId stone = world.add_material({.name = "stone", .friction = 0.4});
  BodySpec table;
  table.kind = BodyKind::Kinematic;
  table.pose.position = Vec3(0.2, 0.1, 0);
  table.motion = constant_velocity(Vec3(1, 0.5, 0.3), Vec3(0, 0, 0.8));
  table.colliders = {{floor, stone, {at.position - table.pose.position, at.rotation}}};
  world.add_body(table);
  BodySpec box;
  box.pose = {Vec3(0.6, -0.4, 0.2), Quat(Eigen::AngleAxisd(0.3, Vec3::UnitZ()))};
  box.velocity = Vec3(0, 0, 0.3);
  box.colliders = {{Shape::box(Vec3(0.4, 0.3, 0.2)), stone, {}}};
  const BodyId body = world.add_body(box);
  for (int i = 0; i < 1000; ++i) world.step(1e-3);
  return world.position(body);
}

}  // namespace

TEST_CASE("a mesh and a terrain in prescribed motion carry a box as a half-space does") {
  RandomStream random(9, 7);
  const Vec3 plane = carried(Shape::half_space(), Pose{});
  CHECK(plane.z() == doctest::Approx(0.2 + 0.3).epsilon(1e-6));
  CHECK(plane.head<2>().norm() > 0.5);
  const Vec3 mesh = carried(Shape::mesh(ground::plane_mesh(23, 8, random)), Pose{});
  const Vec3 field = carried(Shape::height_field(ground::field(41, 41, 0.4, [](double, double) { return 0.0; })),
                             Pose{Vec3(-8, -8, 0), Quat::Identity()});
  CHECK((mesh - plane).norm() < 1e-8);
  CHECK((field - plane).norm() < 1e-8);
}

namespace {

// A box of half height 0.2 `scale` slides a little over triangles of `cell`, m: off the same box on a half-space, in
// half heights.
double slide_scaled(double scale, double cell, int cells) {
  RandomStream random(9, 8);
  const Shape box = Shape::box(scale * Vec3(0.4, 0.3, 0.2));
  const auto end = [&](const Shape& floor) {
    World world;
    world.set_solver(
        make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-12}, {"max_iterations", std::int64_t{100000}}}));
    const MaterialId stone = world.add_material({.name = "stone", .friction = 0.3});
    world.add_fixed(floor, stone, Pose{});
    BodySpec spec;
    spec.pose = {scale * Vec3(0.013, -0.017, 0.2), Quat(Eigen::AngleAxisd(0.3, Vec3::UnitZ()))};
    spec.velocity = std::sqrt(scale) * Vec3(1, 0.7, 0);
    spec.angular_velocity = Vec3(0, 0, 0.5) / std::sqrt(scale);
    spec.colliders = {{box, stone, {}}};
    const BodyId body = world.add_body(spec);
    for (int i = 0; i < 60; ++i) world.step(2e-3 * std::sqrt(scale));
    return world.position(body);
  };
  const Vec3 on_mesh = end(Shape::mesh(ground::plane_mesh(cells, 0.5 * cells * cell, random)));
  return (on_mesh - end(Shape::half_space())).norm() / (0.2 * scale);
}

}  // namespace

TEST_CASE("a large box on small triangles and a small box on triangles a thousand times as large") {
  CHECK(slide_scaled(1, 1000, 4) < 1e-8);
  CHECK(slide_scaled(1e-3, 1, 4) < 1e-8);
  CHECK(slide_scaled(1, 0.02, 150) < 1e-8);
}

TEST_CASE("a box in a gutter of triangles slides with g sin(slope), both its faces flush") {
  // The lowest edge of the box lies in the valley, where two flat flanks of many triangles meet at 90 degrees.
  const auto flanks = ground::field(81, 21, 0.1, [](double, double y) { return std::abs(y - 1); });
  const double slope = 0.3, g = 9.81, side = 0.3;
  for (const bool as_mesh : {false, true}) {
    World world;
    world.set_solver(
        make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-12}, {"max_iterations", std::int64_t{100000}}}));
    world.set_gravity({.acceleration = g * Vec3(std::sin(slope), 0, -std::cos(slope))});
    const MaterialId ice = world.add_material({.name = "ice", .friction = 0});
    world.add_fixed(as_mesh ? Shape::mesh(mesh_of(*flanks)) : Shape::height_field(flanks), ice, Pose{});
    BodySpec spec;
    spec.pose = {Vec3(1, 1, std::sqrt(2) * side), Quat(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitX()))};
    spec.colliders = {{Shape::box(Vec3(0.4, side, side)), ice, {}}};
    const BodyId body = world.add_body(spec);
    for (int i = 0; i < 1000; ++i) world.step(1e-3);
    const Vec3 v = world.velocity(body);
    CHECK(v.x() == doctest::Approx(g * std::sin(slope)).epsilon(1e-8));
    CHECK(v.tail<2>().norm() < 1e-8);
    CHECK(world.angular_velocity(body).norm() < 1e-8);
    CHECK(world.position(body).z() == doctest::Approx(std::sqrt(2) * side).epsilon(1e-8));
  }
}

namespace {

struct Drops {
  int count = 0;       // stones that are on the map at the end
  int lost = 0;        // of these, centres more than their radius under the surface
  double deepest = 0;  // of centres at the end, in radii
};

// Batches of sixty stones at 40 m/s with steps of 0.01 s: 0.4 m, several times the stones.
Drops drop_stones(const HeightField& field, const Shape& surface, int batches) {
  RandomStream random(9, 2);
  Drops drops;
  for (int batch = 0; batch < batches; ++batch) {
    StepOptions options;
    options.projection = true;
    options.projection_fraction = 1;
    World world(options);
    world.set_solver(
        make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-4}, {"max_iterations", std::int64_t{200}}}));
    const MaterialId rock = world.add_material({.name = "rock", .friction = 0.5, .restitution = 0.3});
    world.add_fixed(surface, rock, Pose{});
    std::vector<BodyId> stones;
    std::vector<double> size;
    for (int i = 0; i < 60; ++i) {
      const Vec3 axes = 0.1 * Vec3(random.uniform(0.3, 1), 1, random.uniform(0.3, 1));
      Shape shape = i % 2 == 0 ? Shape::sphere(random.uniform(0.02, 0.1)) : ground::random_hull(random, 16, axes);
      if (i % 6 == 1) shape = Shape::box(Vec3(0.15, 0.15, 0.005));  // flat
      if (i % 6 == 3) shape = Shape::box(Vec3(0.005, 0.005, 0.2));  // a needle
      // Far enough from each other: stones do not meet at once.
      const double x = 5 + 3.0 * (i % 10), y = 5 + 5.0 * (i / 10);
      BodySpec spec;
      spec.pose = {Vec3(x, y, field.ground(x, y)->height + 3), random.orientation()};
      spec.density = 2600;
      spec.velocity = 40 * random.direction();
      spec.velocity.z() = -std::abs(spec.velocity.z());
      spec.angular_velocity = 10 * random.direction();
      spec.colliders = {{shape, rock, {}}};
      stones.push_back(world.add_body(spec));
      size.push_back(shape.bounding_radius());
    }
    for (int step = 0; step < 100; ++step) world.step(0.01);
    for (std::size_t i = 0; i < stones.size(); ++i) {
      const Vec3 at = world.position(stones[i]);
      const auto below = field.ground(at.x(), at.y());
      if (!below) continue;  // left the map
      ++drops.count;
      const double depth = (below->height - at.z()) / size[i];
      drops.deepest = std::max(drops.deepest, depth);
      if (!(depth < 1)) ++drops.lost;
    }
  }
  return drops;
}

}  // namespace

TEST_CASE("stones of every form, dropped fast on a steep and rough terrain, never pass below it") {
  RandomStream random(9, 5);
  // Walls up to 76 degrees, cells of 1 m.
  const auto field = ground::field(41, 41, 1.0, [&](double x, double) { return 0.8 * x + random.uniform(0, 2); });
  const Drops on_terrain = drop_stones(*field, Shape::height_field(field), 50);
  CHECK(on_terrain.count > 1500);
  CHECK(on_terrain.lost == 0);
  MESSAGE(on_terrain.count, " on the terrain, the deepest centre ", on_terrain.deepest, " radii under it");
  // A mesh holds what does not jump past its thickness within half a step.
  const auto sheet = mesh_of(*field);
  const auto thick = make_triangle_mesh(sheet->vertices, sheet->triangles, {.thickness = 0.5});
  const Drops on_mesh = drop_stones(*field, Shape::mesh(thick), 50);
  CHECK(on_mesh.count > 1500);
  CHECK(on_mesh.lost == 0);
  MESSAGE(on_mesh.count, " on the mesh, the deepest centre ", on_mesh.deepest, " radii under it");
}

TEST_CASE("a block on a bumpy slope below the friction angle stays") {
  RandomStream random(9, 3);
  const auto field = ground::field(21, 21, 0.5, [&](double x, double) { return 0.2 * x + random.uniform(0, 0.05); });
  World world;
  world.set_solver(
      make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-10}, {"max_iterations", std::int64_t{20000}}}));
  const MaterialId stone = world.add_material({.name = "stone", .friction = 0.6});
  world.add_fixed(Shape::height_field(field), stone, Pose{});
  BodySpec spec;
  spec.pose = {Vec3(5, 5, 5.2 * 0.2 + 0.6), Quat(Eigen::AngleAxisd(-std::atan(0.2), Vec3::UnitY()))};
  spec.colliders = {{Shape::box(Vec3(0.6, 0.5, 0.3)), stone, {}}};
  const BodyId block = world.add_body(spec);
  for (int i = 0; i < 3000; ++i) world.step(1e-3);
  const Vec3 settled = world.position(block);
  for (int i = 0; i < 2000; ++i) world.step(1e-3);
  CHECK(world.velocity(block).norm() < 1e-7);
  CHECK((world.position(block) - settled).norm() < 1e-6);
}

TEST_CASE("a path through a mesh is seen") {
  RandomStream random(9, 4);
  const auto mesh = ground::plane_mesh(9, 2, random);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 from(random.uniform(-1.9, 1.9), random.uniform(-1.9, 1.9), random.uniform(0.01, 1));
    const Vec3 to(random.uniform(-1.9, 1.9), random.uniform(-1.9, 1.9), random.uniform(-1, -0.01));
    const auto hit = first_crossing(*mesh, from, to);
    REQUIRE(hit);
    CHECK(hit->fraction == doctest::Approx(from.z() / (from.z() - to.z())).epsilon(1e-12));
    CHECK(std::abs(hit->point.z()) < 1e-12);
    CHECK(!first_crossing(*mesh, to, from));
  }
}
