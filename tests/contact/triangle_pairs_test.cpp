#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "allocation_counter.h"
#include "base/random.h"
#include "contact/detection.h"
#include "contact/narrow_phase.h"
#include "convex_oracle.h"
#include "ground_surfaces.h"

using namespace carom;

namespace {

ContactSet contacts_of(const Shape& solid, const Pose& pose, const Shape& surface, const Pose& surface_pose,
                       double margin) {
  ContactSet out;
  collide(0, solid, pose, 1, surface, surface_pose, margin, out);
  return out;
}

// In the order of their points, which rounding does not change for contacts that lie apart.
struct Plain {
  Vec3 point, normal;
  double gap;
};
std::vector<Plain> by_place(const ContactSet& contacts, const Vec3& direction) {
  std::vector<Plain> out;
  for (std::size_t k = 0; k < contacts.key.size(); ++k)
    out.push_back({contacts.point[k], contacts.normal[k], contacts.gap[k]});
  std::sort(out.begin(), out.end(),
            [&](const Plain& p, const Plain& q) { return direction.dot(p.point) < direction.dot(q.point); });
  return out;
}

// The largest difference of points, normals and gaps; infinite when the numbers of contacts differ.
double difference(const ContactSet& p, const ContactSet& q, const Vec3& direction) {
  if (p.size() != q.size()) return INFINITY;
  const auto a = by_place(p, direction), b = by_place(q, direction);
  double worst = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    worst = std::max(
        {worst, (a[k].point - b[k].point).norm(), (a[k].normal - b[k].normal).norm(), std::abs(a[k].gap - b[k].gap)});
  return worst;
}

bool strictly_increasing(const std::vector<ContactKey>& keys) {
  return std::adjacent_find(keys.begin(), keys.end(), [](const auto& p, const auto& q) { return !(p < q); }) ==
         keys.end();
}

double least_gap(const ContactSet& contacts) {
  double least = INFINITY;
  for (const double gap : contacts.gap) least = std::min(least, gap);
  return least;
}

}  // namespace

TEST_CASE("a triangulated plane gives every solid the contacts of a half-space") {
  RandomStream random(3, 1);
  double worst = 0;
  for (int i = 0; i < 3000; ++i) {
    const Shape mesh = Shape::mesh(ground::plane_mesh(6, 4, random));
    const Shape body = ground::solid(i, 0.6, random);
    const Pose at{Vec3(random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-0.2, 0.8)), random.orientation()};
    // Every other one in a turned and shifted world.
    const Pose world = i % 2 == 0 ? Pose{} : Pose{10 * random.direction(), random.orientation()};
    const double margin = i % 3 == 0 ? 0 : 0.05;
    const ContactSet on_mesh = contacts_of(body, world * at, mesh, world, margin);
    const ContactSet on_wall = contacts_of(body, world * at, Shape::half_space(), world, margin);
    const double off = difference(on_mesh, on_wall, random.direction());
    CAPTURE(i);
    CAPTURE(name_of(body.kind));
    CHECK(off < 1e-12);
    worst = std::max(worst, off);
    CHECK(strictly_increasing(on_mesh.key));
  }
  MESSAGE("largest difference ", worst);
}

TEST_CASE("a polyhedron against a closed mesh has the gap and normal that trying everything finds") {
  RandomStream random(3, 2);
  int apart = 0, overlapping = 0;
  for (int i = 0; i < 2500; ++i) {
    const Shape a = i % 4 == 0 ? Shape::box(Vec3(0.4, 0.6, 0.5)) : ground::random_hull(random, 10, Vec3(0.5, 0.7, 0.6));
    const Shape b = ground::random_hull(random, 14, Vec3(1, 1, 1));
    CoreStorage storage_a, storage_b;
    const ConvexCore core_a = core_of(a, storage_a);
    const oracle::Solid solid_b(core_of(b, storage_b), Pose{});
    // Along a random way until the gap is about the wanted one.
    const Quat turn = random.orientation();
    const Vec3 way = random.direction();
    const double wanted = random.uniform(-0.02, 0.05);
    double low = 0, high = 3;
    for (int k = 0; k < 30; ++k) {
      const double middle = 0.5 * (low + high);
      (oracle::best_axis(oracle::Solid(core_a, {middle * way, turn}), solid_b).gap < wanted ? low : high) = middle;
    }
    const Pose at{high * way, turn};
    const oracle::Solid solid_a(core_a, at);
    const oracle::Best best = oracle::best_axis(solid_a, solid_b);
    const Shape mesh = Shape::mesh(ground::mesh_of(b.polyhedron()));
    const ContactSet found = contacts_of(a, at, mesh, Pose{}, 0.1);
    CAPTURE(i);
    CAPTURE(best.gap);
    CHECK(strictly_increasing(found.key));
    if (best.gap > 0) {
      ++apart;
      const double distance = oracle::distance(solid_a, solid_b);
      if (distance < 0.1) CHECK(std::abs(least_gap(found) - distance) < 1e-9);
      continue;
    }
    ++overlapping;
    REQUIRE(found.size() > 0);
    if (best.second > best.gap - 1e-6) continue;
    // Among the contacts is the one of least depth, along its normal; unless all that is under the surface are corners
    // that leave by a shorter way than the whole body.
    const Vec3 n(best.normal.x, best.normal.y, best.normal.z);
    double off = INFINITY;
    bool shorter = false;
    for (std::size_t k = 0; k < found.key.size(); ++k) {
      off = std::min(off, std::max(std::abs(found.gap[k] - best.gap), (found.normal[k] - n).norm()));
      shorter = shorter || (found.gap[k] < 0 && found.gap[k] > best.gap);
    }
    CHECK((off < 1e-7 || shorter));
  }
  CHECK(apart > 1000);
  CHECK(overlapping > 500);
}

TEST_CASE("one triangle holds what comes from its front, with the gap that trying everything finds") {
  RandomStream random(3, 3);
  int held = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::vector<Vec3> corners{random.direction(), random.direction(), random.direction()};
    const Shape sheet = Shape::mesh(make_triangle_mesh(corners, {{0, 1, 2}}));
    const Vec3& normal = sheet.triangle_mesh().normals[0];
    const Shape body = ground::random_hull(random, 9, Vec3(0.4, 0.5, 0.6));
    const Pose at{0.8 * random.uniform() * random.direction() + random.uniform(0.2, 0.6) * normal,
                  random.orientation()};
    CoreStorage storage, triangle_storage;
    const oracle::Solid solid(core_of(body, storage), at);
    const oracle::Solid triangle(triangle_core(corners, normal, triangle_storage), Pose{});
    const oracle::Best best = oracle::best_axis(solid, triangle);
    const double distance = best.gap > 0 ? oracle::distance(solid, triangle) : best.gap;
    const ContactSet found = contacts_of(body, at, sheet, Pose{}, 0.2);
    for (const Vec3& n : found.normal) CHECK(n.dot(normal) > -1e-9);
    if (distance <= 1e-6 || distance > 0.19) continue;
    // Wholly in front of the plane, so that the nearest points are on the front.
    bool front = true;
    for (const oracle::Point& v : solid.vertex)
      front = front && Vec3(v.x, v.y, v.z).dot(normal) > normal.dot(corners[0]);
    if (!front) continue;
    ++held;
    CAPTURE(i);
    CHECK(std::abs(least_gap(found) - distance) < 1e-9);
  }
  CHECK(held > 300);
}

TEST_CASE("a sphere over rough ground touches at the nearest point of all triangles") {
  RandomStream random(3, 4);
  const auto field = ground::rough_field(12, 12, 1.0, 1.5, random);
  const auto mesh = mesh_of(*field);
  for (int i = 0; i < 3000; ++i) {
    const double x = random.uniform(2, 9), y = random.uniform(2, 9), radius = random.uniform(0.2, 2);
    const Vec3 centre(x, y, field->ground(x, y)->height + random.uniform(0.0, 2.0));
    double nearest = INFINITY;
    Vec3 towards = Vec3::Zero();
    for (std::size_t t = 0; t < mesh->triangles.size(); ++t) {
      // Barycentric grid, refined around its best point: plain, and good to 1e-9.
      const Vec3 &a = mesh->vertices[mesh->triangles[t][0]], &b = mesh->vertices[mesh->triangles[t][1]],
                 &c = mesh->vertices[mesh->triangles[t][2]];
      if ((a - centre).norm() - 4 > nearest) continue;
      const Vec3 n = mesh->normals[t];
      const Vec3 foot = centre - n.dot(centre - a) * n;
      const bool inside = (b - a).cross(foot - a).dot(n) >= 0 && (c - b).cross(foot - b).dot(n) >= 0 &&
                          (a - c).cross(foot - c).dot(n) >= 0;
      std::vector<Vec3> candidates;
      if (inside) candidates.push_back(foot);
      for (const auto& [p, q] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}})
        candidates.push_back(p + std::clamp((centre - p).dot(q - p) / (q - p).squaredNorm(), 0.0, 1.0) * (q - p));
      for (const Vec3& q : candidates)
        if ((centre - q).norm() < nearest) nearest = (centre - q).norm(), towards = (centre - q) / nearest;
    }
    for (const Shape& surface : {Shape::mesh(mesh), Shape::height_field(field)}) {
      const ContactSet found = contacts_of(Shape::sphere(radius), {centre, random.orientation()}, surface, Pose{}, 0.5);
      CAPTURE(i);
      if (nearest - radius > 0.5) {
        CHECK(found.size() == 0);
        continue;
      }
      REQUIRE(found.size() > 0);
      const auto least =
          static_cast<std::size_t>(std::min_element(found.gap.begin(), found.gap.end()) - found.gap.begin());
      CHECK(std::abs(found.gap[least] - (nearest - radius)) < 1e-12);
      CHECK((found.normal[least] - towards).norm() < 1e-9);
    }
  }
}

TEST_CASE("a height field has the contacts of the equal mesh") {
  RandomStream random(3, 5);
  int contacts = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto field = ground::rough_field(7, 7, 1.0, 0.8, random);
    const Shape body = ground::solid(i, 0.7, random);
    const double x = random.uniform(2, 4), y = random.uniform(2, 4);
    const Pose at{Vec3(x, y, field->ground(x, y)->height + random.uniform(0.35, 1.2)), random.orientation()};
    const Pose world{5 * random.direction(), random.orientation()};
    const ContactSet on_field = contacts_of(body, world * at, Shape::height_field(field), world, 0.02);
    const ContactSet on_mesh = contacts_of(body, world * at, Shape::mesh(mesh_of(*field)), world, 0.02);
    CAPTURE(i);
    CAPTURE(name_of(body.kind));
    CHECK(difference(on_field, on_mesh, random.direction()) < 1e-9);
    contacts += on_field.size();
    // Normals of terrain point up.
    for (const Vec3& n : on_field.normal) CHECK(n.dot(world.rotation * Vec3::UnitZ()) > -1e-9);
  }
  CHECK(contacts > 3000);
}

TEST_CASE("however deep a body is under a terrain, it has contacts and the way up is free") {
  RandomStream random(3, 6);
  for (int i = 0; i < 6000; ++i) {
    // Cells as steep as 89 degrees.
    const auto field = ground::rough_field(9, 9, 1.0, i % 2 == 0 ? 1.0 : 50.0, random);
    Shape body = ground::solid(i, std::pow(10.0, random.uniform(-3, 0)), random);
    if (i % 7 == 0) body = Shape::box(Vec3(0.5, 0.5, 0.001));    // a flat stone
    if (i % 7 == 1) body = Shape::box(Vec3(0.002, 0.002, 0.8));  // a needle
    const double x = random.uniform(1, 7), y = random.uniform(1, 7);
    const double depth = std::pow(10.0, random.uniform(-3, 3));
    const Pose at{Vec3(x, y, field->ground(x, y)->height - depth), random.orientation()};
    const ContactSet found = contacts_of(body, at, Shape::height_field(field), Pose{}, 0);
    CAPTURE(i);
    CAPTURE(name_of(body.kind));
    REQUIRE(found.size() > 0);
    CHECK(least_gap(found) < 0);
    for (const Vec3& n : found.normal) CHECK(n.z() > -1e-9);
  }
}

TEST_CASE(
    "a corner beneath leaves through the side that is near: a cliff sideways, a valley through both of its sides") {
  // A step of height 10 from x = 2 to x = 2.01, and a valley along y.
  const auto cliff = ground::field(5, 5, 1.0, [](double x, double) { return x < 2.5 ? 0.0 : 10.0; });
  const Shape small = Shape::box(Vec3(0.1, 0.1, 0.1));
  // In the middle of the slope from (2, 0) to (3, 10), whose normal is (-10, 0, 1)/sqrt(101).
  const Vec3 n = Vec3(-10, 0, 1).normalized();
  const ContactSet beside =
      contacts_of(small, {Vec3(2.5, 2.2, 5) - 0.05 * n, Quat::Identity()}, Shape::height_field(cliff), Pose{}, 0);
  REQUIRE(beside.size() > 0);
  for (const Vec3& normal : beside.normal) CHECK((normal - n).norm() < 1e-12);
  // Wholly inside, beside the slope and far below the top.
  const ContactSet inside =
      contacts_of(small, {Vec3(2.5, 2.2, 5) - 0.4 * n, Quat::Identity()}, Shape::height_field(cliff), Pose{}, 0);
  REQUIRE(inside.size() == 8);
  for (const Vec3& normal : inside.normal) CHECK((normal - n).norm() < 1e-12);

  const auto valley = ground::field(5, 5, 1.0, [](double x, double) { return std::abs(x - 2); });
  for (const Shape& surface : {Shape::height_field(valley), Shape::mesh(mesh_of(*valley))}) {
    const ContactSet both = contacts_of(Shape::sphere(0.3), {Vec3(2, 2.2, 0.3), Quat::Identity()}, surface, Pose{}, 0);
    REQUIRE(both.size() == 2);
    // 0.3 above the bottom the sides are 0.3/sqrt(2) away.
    for (const double gap : both.gap) CHECK(gap == doctest::Approx(0.3 / std::sqrt(2.0) - 0.3).epsilon(1e-12));
    CHECK((both.normal[0] + both.normal[1] - std::sqrt(2.0) * Vec3::UnitZ()).norm() < 1e-12);
    // Under the bottom, where no side has the corner over its own space.
    const ContactSet under =
        contacts_of(Shape::sphere(0.3), {Vec3(2, 2.2, -0.1), Quat::Identity()}, surface, Pose{}, 0);
    REQUIRE(under.size() == 2);
    CHECK((under.normal[0] + under.normal[1] - std::sqrt(2.0) * Vec3::UnitZ()).norm() < 1e-12);
  }
}

TEST_CASE("a plank across a ridge touches it at both of its sides, whoever comes first") {
  const auto ridge = ground::field(5, 5, 1.0, [](double x, double) { return 2 - std::abs(x - 2); });
  const Shape plank = Shape::box(Vec3(1, 0.3, 0.1));
  for (const Shape& surface : {Shape::height_field(ridge), Shape::mesh(mesh_of(*ridge))}) {
    const Pose at{Vec3(2, 2.5, 2.1 - 1e-4), Quat::Identity()};
    const ContactSet found = contacts_of(plank, at, surface, Pose{}, 0);
    REQUIRE(found.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK((found.normal[k] - Vec3::UnitZ()).norm() < 1e-12);
      CHECK(found.gap[k] == doctest::Approx(-1e-4).epsilon(1e-9));
      CHECK(std::abs(std::abs(found.point[k].y() - 2.5) - 0.3) < 1e-12);
      CHECK(std::abs(found.point[k].x() - 2) < 1e-12);
    }
    ContactSet turned;
    collide(0, surface, Pose{}, 1, plank, at, 0, turned);
    REQUIRE(turned.size() == 2);
    CHECK(strictly_increasing(turned.key));
    for (std::size_t k = 0; k < 2; ++k) CHECK((turned.normal[k] + Vec3::UnitZ()).norm() < 1e-12);
    // A tilt by less than the reach keeps both.
    const Quat tilt(Eigen::AngleAxisd(1e-5, Vec3::UnitX()));
    const ContactSet tilted = contacts_of(plank, {at.position, tilt}, surface, Pose{}, 1e-4);
    REQUIRE(tilted.size() == 2);
    CHECK(tilted.key == found.key);
  }
}

TEST_CASE("keys of a resting box stay the same in the noise and as it slides over triangles") {
  RandomStream random(3, 7);
  const auto field = ground::field(20, 20, 0.5, [](double x, double) { return 0.2 * x; });
  const double angle = std::atan(0.2);
  const Quat tilt(Eigen::AngleAxisd(-angle, Vec3::UnitY()));
  const Vec3 n = tilt * Vec3::UnitZ();
  const Shape box = Shape::box(Vec3(0.25, 0.25, 0.25));
  std::vector<ContactKey> keys;
  for (int i = 0; i < 200; ++i) {
    // Corners on samples at the start, then anywhere along the slope, shaken by rounding.
    const Vec3 along = tilt * Vec3(0.013 * i, 0, 0);
    const Vec3 noise = 1e-15 * random.direction();
    const ContactSet found = contacts_of(box, {Vec3(2, 4.25, 0.4) + along + (0.25 - 1e-6) * n + noise, tilt},
                                         Shape::height_field(field), Pose{}, 0);
    REQUIRE(found.size() == 4);
    if (i == 0) keys = found.key;
    CHECK(found.key == keys);
    for (const Vec3& normal : found.normal) CHECK((normal - n).norm() < 1e-12);
  }
}

TEST_CASE(
    "detection on terrain allocates nothing in the steady state and gives the same contacts for any thread count") {
  RandomStream random(3, 8);
  const auto field = ground::rough_field(200, 200, 1.0, 0.5, random);
  Colliders colliders;
  std::vector<Pose> poses;
  colliders.add(Shape::height_field(field), 0, Pose{}, false);
  poses.push_back({});
  for (int i = 0; i < 3000; ++i) {
    colliders.add(ground::solid(i % 3 == 2 ? 5 : i % 3, 0.4, random), i + 1, Pose{}, true);
    const double x = random.uniform(0, 199), y = random.uniform(0, 199);
    poses.push_back({Vec3(x, y, field->ground(x, y)->height + 0.3), random.orientation()});
  }
  ContactDetector detector, parallel;
  ContactSet first, second, other;
  detector.detect(colliders, poses, 0.01, {1}, first);
  detector.detect(colliders, poses, 0.01, {1}, second);
  CHECK(first.size() > 3000);
  CHECK(strictly_increasing(first.key));
  const AllocationCounter counter;
  detector.detect(colliders, poses, 0.01, {1}, second);
  if (AllocationCounter::available()) CHECK(counter.count() == 0);
  parallel.detect(colliders, poses, 0.01, {3}, other);
  CHECK(other.key == first.key);
  CHECK(other.gap == first.gap);
  CHECK(other.point == first.point);
  CHECK(other.normal == first.normal);
}
