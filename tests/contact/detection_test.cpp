#include "contact/detection.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "allocation_counter.h"
#include "base/hash.h"
#include "base/random.h"
#include "contact/narrow_phase.h"

using namespace carom;

namespace {

struct Scene {
  Colliders colliders;
  std::vector<Pose> poses;

  std::size_t add(const Shape& shape, const Pose& pose, bool mobile = true) {
    poses.push_back(pose);
    return static_cast<std::size_t>(colliders.add(shape, colliders.size(), {}, mobile));
  }
};

ContactSet detect(const Scene& scene, double margin = 0, Threads threads = {}) {
  ContactDetector detector;
  ContactSet contacts;
  detector.detect(scene.colliders, scene.poses, margin, threads, contacts);
  return contacts;
}

std::uint64_t hash_of(const ContactSet& contacts) {
  StateHash hash;
  for (std::size_t k = 0; k < contacts.key.size(); ++k) {
    hash.add(std::uint64_t{contacts.key[k].a} << 32 | contacts.key[k].b);
    hash.add(std::uint64_t{contacts.key[k].feature});
    for (int i = 0; i < 3; ++i) hash.add(contacts.point[k][i]), hash.add(contacts.normal[k][i]);
    hash.add(contacts.gap[k]);
  }
  return hash.value();
}

bool strictly_increasing(const std::vector<ContactKey>& keys) {
  return std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) == keys.end();
}

Scene random_heap(std::uint64_t seed, int count, double side) {
  Scene scene;
  RandomStream random(seed, 0);
  for (int k = 0; k < count; ++k) {
    const Vec3 at(random.uniform(0, side), random.uniform(0, side), random.uniform(0, side));
    const double size = random.uniform(0.1, 1);
    Shape shape = Shape::sphere(size);
    if (k % 5 == 0)
      shape = Shape::box(size * Vec3(random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1)));
    if (k % 300 == 7) shape = k % 2 == 0 ? Shape::plane() : Shape::half_space();
    scene.add(shape, {at, random.orientation()}, random.uniform() < 0.8);
  }
  return scene;
}

}  // namespace

TEST_CASE("detection finds what trying every pair finds, in strictly increasing key order") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Scene scene = random_heap(seed, 500, 8);
    scene.colliders.alive[3] = scene.colliders.alive[7] = 0;
    const double margin = seed % 2 == 0 ? 0 : 0.05;
    ContactSet expected;
    for (int a = 0; a < 500; ++a) {
      for (int b = a + 1; b < 500; ++b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        if (!scene.colliders.may_touch(a, b)) continue;
        collide(static_cast<std::uint32_t>(a), scene.colliders.shape[i], scene.poses[i], static_cast<std::uint32_t>(b),
                scene.colliders.shape[j], scene.poses[j], margin, expected);
      }
    }
    const ContactSet contacts = detect(scene, margin);
    CHECK(contacts.size() > 500);
    CHECK(strictly_increasing(contacts.key));
    CHECK(contacts.key == expected.key);
    CHECK(hash_of(contacts) == hash_of(expected));
  }
}

TEST_CASE("the same bits for 1, 2 and 5 threads") {
  const Scene scene = random_heap(21, 8000, 22);
  const ContactSet serial = detect(scene, 0.01);
  CHECK(serial.size() > 5000);
  CHECK(strictly_increasing(serial.key));
  for (const int threads : {2, 5}) CHECK(hash_of(detect(scene, 0.01, {threads})) == hash_of(serial));
}

TEST_CASE("a rolling sphere keeps its key with the floor and passes its neighbours in turn") {
  Scene scene;
  scene.add(Shape::half_space(), {}, false);
  const std::size_t ball = scene.add(Shape::sphere(0.5), {.position = Vec3(0, 0, 0.5)});
  // Posts beside the track touch the ball as it passes.
  for (int k = 1; k <= 5; ++k) scene.add(Shape::sphere(0.5), {.position = Vec3(3 * k, 1, 0.5)}, false);
  ContactDetector detector;
  ContactSet contacts;
  int posts_met = 0;
  ContactKey last_post;
  for (int step = 0; step <= 1000; ++step) {
    const double x = 0.018 * step;
    scene.poses[ball] = {Vec3(x, 0, 0.5), Quat(Eigen::AngleAxisd(x / 0.5, Vec3::UnitY()))};
    detector.detect(scene.colliders, scene.poses, 1e-3, {}, contacts);
    REQUIRE(contacts.size() >= 1);
    CHECK(contacts.key[0] == ContactKey{0, 1, 0});
    CHECK(contacts.point[0].isApprox(Vec3(x, 0, 0)));
    if (contacts.size() == 2 && contacts.key[1] != last_post) {
      last_post = contacts.key[1];
      ++posts_met;
      CHECK(last_post == ContactKey{1, static_cast<std::uint32_t>(1 + posts_met), 0});
    }
  }
  CHECK(posts_met == 5);
}

TEST_CASE("a box that slides and turns on the floor keeps the keys of its four corners") {
  Scene scene;
  const std::size_t box = scene.add(Shape::box(Vec3(1, 2, 0.5)), {});
  scene.add(Shape::half_space(), {}, false);
  for (int step = 0; step < 100; ++step) {
    scene.poses[box] = {Vec3(0.1 * step, 0, 0.5), Quat(Eigen::AngleAxisd(0.07 * step, Vec3::UnitZ()))};
    const ContactSet contacts = detect(scene, 1e-9);
    REQUIRE(contacts.size() == 4);
    for (std::uint32_t corner = 0; corner < 4; ++corner) CHECK(contacts.key[corner] == ContactKey{0, 1, corner});
  }
}

TEST_CASE("contacts are those with gap at most the margin") {
  Scene scene;
  scene.add(Shape::half_space(), {}, false);
  // Powers of two: gaps are exact.
  scene.add(Shape::sphere(1), {.position = Vec3(0, 0, 1.25)});
  scene.add(Shape::sphere(1), {.position = Vec3(2.25, 0, 1.25)});
  CHECK(detect(scene, 0).size() == 0);
  CHECK(detect(scene, std::nextafter(0.25, 0)).size() == 0);
  const ContactSet contacts = detect(scene, 0.25);
  REQUIRE(contacts.size() == 3);
  CHECK(contacts.key == std::vector<ContactKey>{{0, 1, 0}, {0, 2, 0}, {1, 2, 0}});
  for (double gap : contacts.gap) CHECK(gap == 0.25);

  scene.poses[2].position.x() = 2;
  CHECK(detect(scene, 0).size() == 1);  // touching is contact
}

TEST_CASE("removed colliders, pairs of immobile ones and parts of one body make no contact") {
  Scene scene;
  for (int k = 0; k < 3; ++k) scene.add(Shape::sphere(1), {.position = Vec3(1.5 * k, 0, 0)});
  CHECK(detect(scene).key == std::vector<ContactKey>{{0, 1, 0}, {1, 2, 0}});
  SUBCASE("removed") {
    scene.colliders.alive[0] = 0;
    CHECK(detect(scene).key == std::vector<ContactKey>{{1, 2, 0}});
  }
  SUBCASE("immobile") {
    scene.colliders.mobile[0] = scene.colliders.mobile[1] = 0;
    CHECK(detect(scene).key == std::vector<ContactKey>{{1, 2, 0}});
  }
  SUBCASE("one body") {
    scene.colliders.body[2] = scene.colliders.body[1];
    CHECK(detect(scene).key == std::vector<ContactKey>{{0, 1, 0}});
  }
}

TEST_CASE("colliders at positions that are not finite are left out and the rest is found") {
  Scene scene;
  scene.add(Shape::half_space(), {}, false);
  scene.add(Shape::sphere(1), {.position = Vec3(0, 0, NAN)});
  scene.add(Shape::box(Vec3::Ones()), {.position = Vec3::Zero(), .rotation = Quat(NAN, NAN, NAN, NAN)});
  scene.add(Shape::sphere(1), {.position = Vec3(9, 0, 1)});
  CHECK(detect(scene, 0, {2}).key == std::vector<ContactKey>{{0, 3, 0}});
}

TEST_CASE("detection of a settled configuration allocates nothing from its second call on") {
  const Scene scene = random_heap(2, 6000, 19);
  for (const int threads : {1, 2}) {
    ContactDetector detector;
    ContactSet contacts;
    detector.detect(scene.colliders, scene.poses, 0, {threads}, contacts);
    const std::uint64_t hash = hash_of(contacts);
    CHECK(detector.candidate_count() > 4096);  // several blocks of work
    const AllocationCounter counter;
    detector.detect(scene.colliders, scene.poses, 0, {threads}, contacts);
    const long allocations = counter.count();
    if (AllocationCounter::available()) CHECK(allocations == 0);
    CHECK(hash_of(contacts) == hash);
  }
}

TEST_CASE("detection allocates nothing when fewer colliders touch than before") {
  Scene scene = random_heap(3, 2000, 10);
  ContactDetector detector;
  ContactSet contacts;
  detector.detect(scene.colliders, scene.poses, 0, {}, contacts);
  const int before = contacts.size();
  // Spread along x: the same rows, fewer neighbours in them.
  for (Pose& pose : scene.poses) pose.position.x() *= 3;
  const AllocationCounter counter;
  detector.detect(scene.colliders, scene.poses, 0, {}, contacts);
  const long allocations = counter.count();
  if (AllocationCounter::available()) CHECK(allocations == 0);
  CHECK(contacts.size() < before);
  CHECK(contacts.size() > 0);
}
