#include "contact/broad_phase.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "base/timer.h"
#include "contact/narrow_phase.h"

using namespace carom;

namespace {

struct Scene {
  Colliders colliders;
  std::vector<Pose> poses;

  int add(const Shape& shape, const Pose& pose, bool mobile = true) {
    poses.push_back(pose);
    return colliders.add(shape, colliders.size(), {}, mobile);
  }
};

using Pairs = std::vector<ColliderPair>;

Pairs find(const Scene& scene, double margin = 0, Threads threads = {}) {
  BroadPhase broad_phase;
  Pairs pairs;
  broad_phase.find_pairs(scene.colliders, scene.poses, margin, threads, pairs);
  return pairs;
}

// The definition, pair by pair: bounding balls at most `margin` apart, or a ball that near to a wall.
bool near(const Scene& scene, std::size_t a, std::size_t b, double margin) {
  const Shape &p = scene.colliders.shape[a], &q = scene.colliders.shape[b];
  if (!p.bounded() && !q.bounded()) return false;
  if (!p.bounded()) return near(scene, b, a, margin);
  const Vec3 offset = scene.poses[a].position - scene.poses[b].position;
  if (q.bounded()) return offset.norm() <= p.bounding_radius() + q.bounding_radius() + margin;
  const double height = offset.dot(scene.poses[b].rotation.toRotationMatrix().col(2));
  return (q.kind == ShapeKind::Plane ? std::abs(height) : height) <= p.bounding_radius() + margin;
}

Pairs brute_force(const Scene& scene, double margin = 0) {
  Pairs pairs;
  for (int a = 0; a < scene.colliders.size(); ++a) {
    for (int b = a + 1; b < scene.colliders.size(); ++b) {
      if (!scene.colliders.may_touch(a, b)) continue;
      const auto i = static_cast<std::uint32_t>(a), j = static_cast<std::uint32_t>(b);
      if (near(scene, i, j, margin)) pairs.push_back({i, j});
    }
  }
  return pairs;
}

double log_uniform(RandomStream& random, double ratio) { return std::pow(ratio, random.uniform()) / ratio; }

Vec3 in_cube(RandomStream& random, double side) {
  return {random.uniform(0, side), random.uniform(0, side), random.uniform(0, side)};
}

// Spheres, boxes, planes and half-spaces of sizes 1:1000; some immobile, some removed, some sharing a body.
Scene random_mix(std::uint64_t seed, int count, double side, const Vec3& centre, double boxes = 0.3) {
  Scene scene;
  RandomStream random(seed, 0);
  for (int k = 0; k < count; ++k) {
    const double size = log_uniform(random, 1000);
    Shape shape = Shape::sphere(size);
    if (random.uniform() < boxes) shape = Shape::box(size * Vec3(random.uniform(), random.uniform(), random.uniform()));
    if (random.uniform() < 0.02) shape = random.uniform() < 0.5 ? Shape::plane() : Shape::half_space();
    const int collider =
        scene.add(shape, {centre + in_cube(random, side), random.orientation()}, random.uniform() < 0.7);
    const auto c = static_cast<std::size_t>(collider);
    scene.colliders.alive[c] = random.uniform() < 0.95 ? 1 : 0;
    if (random.uniform() < 0.3) scene.colliders.body[c] = collider / 8;
  }
  return scene;
}

// Spheres whose radii are spread over 1:ratio, filling the same fraction of space for any count.
Scene spread_spheres(int count, double ratio) {
  Scene scene;
  RandomStream random(5, 0);
  std::vector<double> radii;
  double volume = 0;
  for (int k = 0; k < count; ++k) {
    radii.push_back(log_uniform(random, ratio));
    volume += std::pow(2 * radii.back(), 3);
  }
  for (double radius : radii) scene.add(Shape::sphere(radius), {.position = in_cube(random, std::cbrt(2 * volume))});
  return scene;
}

}  // namespace

namespace {

// The eight corners of a box's own bounds, one by one.
bool boxes_along_axes_overlap(const Scene& scene, std::size_t a, std::size_t b, double margin) {
  const auto corners = [&](std::size_t k, Vec3& low, Vec3& high) {
    const Shape& shape = scene.colliders.shape[k];
    const Vec3 half = shape.kind == ShapeKind::Sphere ? Vec3::Constant(shape.radius) : shape.half_extents;
    low = high = scene.poses[k].position;
    for (int c = 0; c < 8; ++c) {
      const Vec3 corner = half.cwiseProduct(Vec3(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1));
      // A ball is as wide in every direction.
      const Vec3 at =
          shape.kind == ShapeKind::Sphere ? Vec3(scene.poses[k].position + corner) : scene.poses[k].to_world(corner);
      low = low.cwiseMin(at);
      high = high.cwiseMax(at);
    }
  };
  Vec3 low_a, high_a, low_b, high_b;
  corners(a, low_a, high_a);
  corners(b, low_b, high_b);
  return ((low_a - high_b).array() <= margin + 1e-9).all() && ((low_b - high_a).array() <= margin + 1e-9).all();
}

bool has_contact(const Scene& scene, std::uint32_t a, std::uint32_t b, double margin) {
  ContactSet contacts;
  collide(a, scene.colliders.shape[a], scene.poses[a], b, scene.colliders.shape[b], scene.poses[b], margin, contacts);
  return contacts.size() > 0;
}

bool is_solid(const Scene& scene, std::uint32_t k) { return scene.colliders.shape[k].kind == ShapeKind::Box; }

}  // namespace

TEST_CASE("pairs agree with brute force for all shapes and sizes 1:1000") {
  // Spheres and walls exactly; with boxes, all pairs that touch and none whose boxes along the axes are apart.
  std::size_t found = 0, spared = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Vec3 centre = seed % 4 == 0 ? Vec3(1e6, -1e6, 1e6) : seed % 4 == 1 ? Vec3(-2, -2, -2) : Vec3::Zero();
    const double margin = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 0.01 : 0.3;
    const Scene scene = random_mix(seed, 400, 3 + static_cast<double>(seed % 5), centre);
    const Pairs pairs = find(scene, margin);
    CHECK(std::is_sorted(pairs.begin(), pairs.end()));
    CHECK(std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end());
    std::size_t wrong = 0, matched = 0;
    for (const ColliderPair& pair : brute_force(scene, margin)) {
      const bool listed = std::binary_search(pairs.begin(), pairs.end(), pair);
      matched += listed ? 1 : 0;
      if (!is_solid(scene, pair.a) && !is_solid(scene, pair.b)) {
        wrong += listed ? 0 : 1;
        continue;
      }
      const bool walled = !scene.colliders.shape[pair.a].bounded() || !scene.colliders.shape[pair.b].bounded();
      if (!listed && has_contact(scene, pair.a, pair.b, margin)) ++wrong;
      // A pair may be kept for the calls to come while bodies need less than this to meet.
      const double growth = 0.02 * (scene.colliders.shape[pair.a].bounding_radius() +
                                    scene.colliders.shape[pair.b].bounding_radius() + margin);
      if (listed && !walled && !boxes_along_axes_overlap(scene, pair.a, pair.b, margin + growth)) ++wrong;
      spared += listed ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK(matched == pairs.size());
    found += pairs.size();
  }
  CHECK(found > 10000);  // the scenes are not empty space
  CHECK(spared > 1000);  // and boxes are held by more than their balls
}

TEST_CASE("a wall of long planks meets its neighbours, not the whole wall") {
  // 40:1 planks; courses of eight side by side, each across the one below, along the axes and turned by 30 degrees.
  for (const double turn : {0.0, M_PI / 6}) {
    Scene scene;
    const Vec3 half(2, 0.2, 0.05);
    const Quat whole(Eigen::AngleAxisd(turn, Vec3::UnitZ()));
    const int courses = 125, per_course = 8;
    for (int k = 0; k < courses * per_course; ++k) {
      const int course = k / per_course;
      const Quat across(Eigen::AngleAxisd(course % 2 == 0 ? 0 : M_PI / 2, Vec3::UnitZ()));
      const Vec3 at = across * Vec3(0, 0.5 * (k % per_course) - 1.75, 0.1 * course);
      scene.add(Shape::box(half), {whole * at, whole * across});
    }
    BroadPhase broad_phase;
    Pairs pairs;
    broad_phase.find_pairs(scene.colliders, scene.poses, 1e-3, {}, pairs);
    // A plank crosses the eight above and the eight below: 64 pairs between two courses.
    const std::size_t touching = 64 * (courses - 1);
    INFO("turned by ", turn, ": ", pairs.size(), " pairs, work ", broad_phase.work());
    CHECK(pairs.size() >= touching);
    CHECK(pairs.size() <= touching * 105 / 100);
    // Balls of 2 m radius in a wall 12.5 m high would be tried 300 times each.
    CHECK(broad_phase.work() < 120 * courses * per_course);
    for (const ColliderPair& pair : pairs) CHECK(pair.b / per_course - pair.a / per_course <= 1);
  }
}

TEST_CASE("long rods of all directions: every touching pair, and work far below all pairs") {
  Scene scene;
  RandomStream random(12, 0);
  const int count = 3000;
  for (int k = 0; k < count; ++k) {
    const Shape shape = k % 3 == 0   ? Shape::capsule(0.02, 1)
                        : k % 3 == 1 ? Shape::box(Vec3(0.02, 1, 0.03))
                                     : Shape::cylinder(0.03, 0.8);
    scene.add(shape, {in_cube(random, 8), random.orientation()});
  }
  const Pairs pairs = find(scene, 0.01);
  std::size_t missing = 0, touching = 0;
  for (const ColliderPair& pair : brute_force(scene, 0.01)) {
    if (scene.colliders.shape[pair.a].kind == ShapeKind::Cylinder ||
        scene.colliders.shape[pair.b].kind == ShapeKind::Cylinder)
      continue;
    if (!has_contact(scene, pair.a, pair.b, 0.01)) continue;
    ++touching;
    missing += std::binary_search(pairs.begin(), pairs.end(), pair) ? 0 : 1;
  }
  CHECK(missing == 0);
  CHECK(touching > 500);
  CHECK(pairs.size() < brute_force(scene, 0.01).size() / 4);
}

TEST_CASE("pairs agree with brute force for equal spheres at every density") {
  for (const double side : {0.5, 2.0, 6.0, 15.0, 60.0}) {
    Scene scene;
    RandomStream random(77, 0);
    for (int k = 0; k < 700; ++k) {
      scene.add(Shape::sphere(0.5), {.position = in_cube(random, side)}, random.uniform() < 0.8);
    }
    CHECK(find(scene) == brute_force(scene));
  }
}

TEST_CASE("spheres in line are found along any axis") {
  for (int axis = 0; axis < 3; ++axis) {
    Scene scene;
    for (int k = 0; k < 3000; ++k) scene.add(Shape::sphere(0.5), {.position = (k - 1500) * Vec3::Unit(axis)});
    const Pairs pairs = find(scene, 1e-9);
    REQUIRE(pairs.size() == 2999);
    bool neighbours = true;
    for (std::uint32_t k = 0; k < 2999; ++k) neighbours = neighbours && pairs[k] == ColliderPair{k, k + 1};
    CHECK(neighbours);
  }
}

TEST_CASE("exactly touching balls are a pair at margin zero") {
  // Sums of radii and distances round differently; the pair must not be lost.
  RandomStream random(3, 0);
  for (int k = 0; k < 2000; ++k) {
    const double r = log_uniform(random, 1000), s = log_uniform(random, 1000);
    const Vec3 at = in_cube(random, 1), direction = random.direction();
    Scene scene;
    scene.add(Shape::sphere(r), {.position = at});
    scene.add(Shape::sphere(s), {.position = at + (r + s) * direction});
    const double gap = (scene.poses[0].position - scene.poses[1].position).norm() - (r + s);
    if (gap <= 0) CHECK(find(scene).size() == 1);
  }
}

TEST_CASE("the same pairs for any number of threads and after other scenes") {
  const Scene mixed = random_mix(8, 12000, 15, Vec3::Zero());
  const Pairs serial = find(mixed, 0.01);
  CHECK(serial.size() > 5000);
  for (const int threads : {2, 5, 7}) CHECK(find(mixed, 0.01, {threads}) == serial);

  const Scene scene = random_mix(8, 6000, 12, Vec3::Zero(), 0);
  const Pairs expected = find(scene, 0.01);
  CHECK(expected.size() > 5000);
  BroadPhase used;
  for (const int threads : {1, 2, 5}) {
    Pairs pairs;
    used.find_pairs(scene.colliders, scene.poses, 0.01, {threads}, pairs);
    CHECK(pairs == expected);
    const Scene other = random_mix(9, 100 * threads, 2, Vec3::Zero(), 0);
    used.find_pairs(other.colliders, other.poses, 0, {threads}, pairs);
    CHECK(pairs == brute_force(other));
  }
  const Scene empty;
  Pairs pairs{{1, 2}};
  used.find_pairs(empty.colliders, empty.poses, 0, {}, pairs);
  CHECK(pairs.empty());
  CHECK(used.work() == 0);
}

TEST_CASE("cost is linear in the number of colliders, also for sizes 1:1000") {
  for (const double ratio : {1.0, 1000.0}) {
    struct Cost {
      double work, pairs;
    };
    const auto cost = [&](int count) {
      const Scene scene = spread_spheres(count, ratio);
      BroadPhase broad_phase;
      Pairs pairs;
      broad_phase.find_pairs(scene.colliders, scene.poses, 0, {}, pairs);
      return Cost{static_cast<double>(broad_phase.work()) / count, static_cast<double>(pairs.size()) / count};
    };
    const Cost small = cost(1000), middle = cost(10000), large = cost(50000);
    INFO("ratio ", ratio, ": work per collider ", small.work, " ", middle.work, " ", large.work);
    INFO("pairs per collider ", small.pairs, " ", middle.pairs, " ", large.pairs);
    CHECK(middle.work < 2 * small.work);
    CHECK(large.work < 1.3 * middle.work);
    CHECK(large.pairs < 1.5 * middle.pairs);
    CHECK(large.work < 200);
  }
}

TEST_CASE("immobile colliders are not paired with each other, however much they overlap") {
  Scene scene;
  RandomStream random(4, 0);
  // 5e7 overlapping pairs if they were looked at
  for (int k = 0; k < 10000; ++k) scene.add(Shape::sphere(1), {.position = in_cube(random, 0.5)}, false);
  for (int k = 0; k < 10; ++k) scene.add(Shape::half_space(), {.rotation = random.orientation()}, false);
  BroadPhase broad_phase;
  Pairs pairs;
  broad_phase.find_pairs(scene.colliders, scene.poses, 0.1, {}, pairs);
  CHECK(pairs.empty());
  CHECK(broad_phase.work() == 0);

  const int ball = scene.add(Shape::sphere(0.1), {.position = Vec3(0.25, 0.25, 0.25)});
  broad_phase.find_pairs(scene.colliders, scene.poses, 0.1, {}, pairs);
  CHECK(pairs.size() >= 10000);
  CHECK(pairs.back().b == static_cast<std::uint32_t>(ball));
  CHECK(broad_phase.work() < 40000);
}

TEST_CASE("a floor of fixed spheres costs a falling sphere little") {
  Scene scene;
  for (int k = 0; k < 10000; ++k) scene.add(Shape::sphere(0.5), {.position = Vec3(k % 100, k / 100, 0)}, false);
  scene.add(Shape::sphere(0.5), {.position = Vec3(50, 50, 1)});
  scene.add(Shape::sphere(0.02), {.position = Vec3(20, 20, 0.52)});
  BroadPhase broad_phase;
  Pairs pairs;
  broad_phase.find_pairs(scene.colliders, scene.poses, 0, {}, pairs);
  CHECK(pairs == Pairs{{2020, 10001}, {5050, 10000}});
  CHECK(broad_phase.work() < 100);
}

TEST_CASE("non-finite, absurd and far away colliders are survived") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  Scene scene;
  scene.add(Shape::sphere(1), {.position = Vec3::Zero()});
  scene.add(Shape::sphere(1), {.position = Vec3(1.5, 0, 0)});
  scene.add(Shape::sphere(1), {.position = Vec3(nan, 0, 0)});
  scene.add(Shape::sphere(1), {.position = Vec3(0, inf, 0)});
  scene.add(Shape::sphere(1), {.position = Vec3(0, 0, -inf)});
  scene.add(Shape::half_space(), {.position = Vec3(0, nan, 0)}, false);
  scene.add(Shape::plane(), {.rotation = Quat(nan, 0, 0, 0)}, false);
  scene.add(Shape::sphere(inf), {.position = Vec3::Zero()});
  scene.add(Shape::sphere(1), {.position = Vec3(1e300, 1e300, -1e300)});
  scene.add(Shape::sphere(1), {.position = Vec3(1e300, 1e300, -1e300)});
  scene.add(Shape::sphere(1e-3), {.position = Vec3(0, 1e15, 1e15)});
  scene.add(Shape::sphere(1e-3), {.position = Vec3(0, -1e15, 1e15)});
  scene.add(Shape::sphere(0), {.position = Vec3(7, 7, 7)});
  scene.add(Shape::sphere(0), {.position = Vec3(7, 7, 7)});
  CHECK(find(scene) == Pairs{{0, 1}, {8, 9}, {12, 13}});
  for (int k = 0; k < 2000; ++k) scene.add(Shape::sphere(1e-3), {.position = Vec3(k, (k % 2 - 0.5) * 1e17, 1e16 * k)});
  const Stopwatch watch;
  CHECK(find(scene, 0, {2}) == Pairs{{0, 1}, {8, 9}, {12, 13}});
  CHECK(watch.seconds() < 5);
}

TEST_CASE("colliders at non-finite positions do not hide the pairs around them") {
  Scene scene;
  RandomStream random(31, 0);
  for (int k = 0; k < 600; ++k) {
    Vec3 at(random.uniform(0, 60), random.uniform(0, 3), random.uniform(0, 3));
    // One coordinate is lost: the others would place the ball among its neighbours.
    if (k % 3 == 0) at[k / 3 % 3] = std::numeric_limits<double>::quiet_NaN();
    scene.add(Shape::sphere(0.5), {.position = at});
  }
  const Pairs pairs = find(scene);
  CHECK(pairs == brute_force(scene));
  CHECK(pairs.size() > 200);
}

namespace {

// A pile that trembles: most bodies move by little, the first ones by more, one flies through.
void shake(Scene& scene, int step, double amplitude) {
  for (std::size_t k = 0; k < scene.poses.size(); ++k) {
    if (scene.colliders.mobile[k] == 0 || !scene.colliders.shape[k].bounded()) continue;
    RandomStream random(17, (static_cast<std::uint64_t>(step) << 32) | k);
    const double size = scene.colliders.shape[k].bounding_radius() * amplitude;
    scene.poses[k].position += size * random.direction();
    scene.poses[k].rotation =
        (scene.poses[k].rotation * Quat(Eigen::AngleAxisd(amplitude * random.uniform(), random.direction())))
            .normalized();
  }
}

}  // namespace

TEST_CASE("pairs from the list of an earlier call are those of a new search") {
  for (const double amplitude : {1e-4, 3e-3, 0.05, 0.5}) {
    Scene scene;
    RandomStream random(6, 0);
    scene.add(Shape::half_space(), {}, false);
    scene.add(Shape::plane(), {.position = Vec3(3, 0, 0), .rotation = Quat(Eigen::AngleAxisd(0.4, Vec3::UnitY()))},
              false);
    for (int k = 0; k < 900; ++k)
      scene.add(Shape::sphere(0.05 + 0.25 * log_uniform(random, 50)), {.position = in_cube(random, 4)});
    const int stone = scene.add(Shape::sphere(0.1), {.position = Vec3(-1, 2, 2)});
    BroadPhase kept;
    int searches = 0;
    for (int step = 0; step < 60; ++step) {
      shake(scene, step, amplitude);
      scene.poses[static_cast<std::size_t>(stone)].position += Vec3(0.03, 0, 0.01);
      // The plane turns and moves, then rests.
      if (step < 30)
        scene.poses[1] = {Vec3(3 + 1e-3 * step, 0, 0), Quat(Eigen::AngleAxisd(0.4 + 1e-4 * step, Vec3::UnitY()))};
      if (step == 40) scene.colliders.alive[100] = 0;
      if (step == 45) scene.add(Shape::sphere(0.3), {.position = Vec3(2, 2, 2)});
      if (step == 50) scene.colliders.shape[5] = Shape::sphere(0.4);
      const double margin = step < 55 ? 1e-3 : 2e-3;
      Pairs pairs;
      kept.find_pairs(scene.colliders, scene.poses, margin, {1 + step % 3}, pairs);
      CHECK(pairs == find(scene, margin));
      searches += kept.searched() ? 1 : 0;
    }
    INFO("amplitude ", amplitude, ": ", searches, " searches in 60 calls");
    if (amplitude < 1e-2) CHECK(searches < 25);
    CHECK(searches >= 5);  // at the least after each change of the scene
  }
}

TEST_CASE("turning boxes never lose a contact to an old list") {
  Scene scene = random_mix(3, 500, 5, Vec3::Zero());
  BroadPhase kept;
  int searches = 0;
  for (int step = 0; step < 40; ++step) {
    shake(scene, step, 2e-3);
    Pairs pairs;
    kept.find_pairs(scene.colliders, scene.poses, 1e-3, {}, pairs);
    searches += kept.searched() ? 1 : 0;
    std::size_t missing = 0;
    for (const ColliderPair& pair : find(scene, 1e-3)) {
      if (std::binary_search(pairs.begin(), pairs.end(), pair)) continue;
      missing += has_contact(scene, pair.a, pair.b, 1e-3) ? 1 : 0;
    }
    CHECK(missing == 0);
  }
  CHECK(searches < 20);
}
