#include "contact/narrow_phase.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "contact/polyhedron.h"

using namespace carom;

namespace {

struct Placed {
  Shape shape;
  Pose pose;
};

ContactSet contacts_of(const Placed& a, const Placed& b, double margin = 1e9) {
  ContactSet out;
  collide(0, a.shape, a.pose, 1, b.shape, b.pose, margin, out);
  return out;
}

// Signed distance of a point from a shape's surface by search, with matrices of its own: the surface is a few
// flat patches, on each of which the nearest point is closed in on by ever finer grids.
double searched_patch_distance(const Vec3& corner, const Vec3& u, const Vec3& v, const Vec3& point) {
  double best = INFINITY, best_s = 0.5, best_t = 0.5, width = 0.5;
  for (int round = 0; round < 60; ++round) {
    const double s0 = best_s, t0 = best_t;
    for (int i = -4; i <= 4; ++i) {
      for (int j = -4; j <= 4; ++j) {
        const double s = std::clamp(s0 + i * width / 4, 0.0, 1.0), t = std::clamp(t0 + j * width / 4, 0.0, 1.0);
        const double distance = (corner + s * u + t * v - point).norm();
        if (distance < best) best = distance, best_s = s, best_t = t;
      }
    }
    width *= 0.6;
  }
  return best;
}

double searched_box_distance(const Placed& box, const Vec3& point) {
  const Mat3 R = box.pose.rotation.toRotationMatrix();
  double best = INFINITY;
  for (int axis = 0; axis < 3; ++axis) {
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const Vec3 u = R.col(i) * box.shape.half_extents[i], v = R.col(j) * box.shape.half_extents[j];
    for (const double side : {-1.0, 1.0}) {
      const Vec3 centre = box.pose.position + side * box.shape.half_extents[axis] * R.col(axis);
      best = std::min(best, searched_patch_distance(centre - u - v, 2 * u, 2 * v, point));
    }
  }
  const Vec3 local = R.inverse() * (point - box.pose.position);
  const bool inside = (local.array().abs() <= box.shape.half_extents.array()).all();
  return inside ? -best : best;
}

Placed random_placed(RandomStream& random, ShapeKind kind) {
  const Pose pose{Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)), random.orientation()};
  const auto size = [&] { return random.uniform(0.1, 1); };
  switch (kind) {
    case ShapeKind::Sphere:
      return {Shape::sphere(size()), pose};
    case ShapeKind::HalfSpace:
      return {Shape::half_space(), pose};
    case ShapeKind::Plane:
      return {Shape::plane(), pose};
    case ShapeKind::Box:
      return {Shape::box(Vec3(size(), size(), size())), pose};
    case ShapeKind::Capsule:
      return {Shape::capsule(size(), size()), pose};
    case ShapeKind::Cylinder:
      return {Shape::cylinder(size(), size()), pose};
    case ShapeKind::Cone:
      return {Shape::cone(size(), size()), pose};
    case ShapeKind::Hull: {
      std::vector<Vec3> points(20);
      for (Vec3& p : points) p = size() * random.direction();
      return {Shape::hull(points), pose};
    }
    default:
      return {};
  }
}

constexpr ShapeKind kKinds[] = {ShapeKind::Sphere, ShapeKind::HalfSpace, ShapeKind::Plane,
                                ShapeKind::Box,    ShapeKind::Capsule,   ShapeKind::Hull};

bool wall(ShapeKind kind) { return kind == ShapeKind::HalfSpace || kind == ShapeKind::Plane; }
bool polyhedral(ShapeKind kind) {
  return kind == ShapeKind::Box || kind == ShapeKind::Capsule || kind == ShapeKind::Hull;
}

// body(a, b, contacts) for random poses of every pair of shapes that has contacts.
template <class Body>
void for_random_pairs(int repetitions, Body&& body) {
  RandomStream random(17, 0);
  for (const ShapeKind kind_a : kKinds) {
    for (const ShapeKind kind_b : kKinds) {
      if (wall(kind_a) && wall(kind_b)) continue;
      CAPTURE(name_of(kind_a));
      CAPTURE(name_of(kind_b));
      for (int k = 0; k < repetitions; ++k) {
        const Placed a = random_placed(random, kind_a), b = random_placed(random, kind_b);
        body(a, b, contacts_of(a, b));
      }
    }
  }
}

// How far a point is from the surface that the shape shows; corners lie on it.
double off_surface(const Placed& placed, const Vec3& point) {
  const Vec3 local = placed.pose.rotation.toRotationMatrix().transpose() * (point - placed.pose.position);
  const Shape& shape = placed.shape;
  switch (shape.kind) {
    case ShapeKind::Sphere:
      return std::abs(local.norm() - shape.radius);
    case ShapeKind::HalfSpace:
    case ShapeKind::Plane:
      return std::abs(local.z());
    case ShapeKind::Box:
      return std::abs((local.cwiseAbs() - shape.half_extents).maxCoeff());
    case ShapeKind::Capsule: {
      // The ball at an end counts as a corner, also where it is inside.
      const Vec3 axis(0, 0, std::clamp(local.z(), -shape.half_length(), shape.half_length()));
      const Vec3 end(0, 0, std::copysign(shape.half_length(), local.z()));
      return std::min({std::abs((local - axis).norm() - shape.radius), std::abs((local - end).norm() - shape.radius),
                       std::abs((local + end).norm() - shape.radius)});
    }
    case ShapeKind::Hull: {
      double highest = -INFINITY;
      for (const FacePlane& plane : shape.polyhedron().planes)
        highest = std::max(highest, plane.normal.dot(local) - plane.offset);
      return std::abs(highest);
    }
    default:
      return INFINITY;
  }
}

double worst_difference(const ContactSet& p, const ContactSet& q, double normal_sign) {
  double worst = 0;
  for (std::size_t k = 0; k < p.key.size(); ++k) {
    worst = std::max({worst, std::abs(p.gap[k] - q.gap[k]), (p.point[k] - q.point[k]).norm(),
                      (p.normal[k] - normal_sign * q.normal[k]).norm()});
  }
  return worst;
}

// The key that a contact of two polyhedra has when these change places: its two halves do.
std::uint64_t mirrored(std::uint64_t feature) {
  constexpr std::uint64_t kHalf = (std::uint64_t{1} << 31) - 1;
  const std::uint64_t kind = feature >> 62, of_a = feature >> 31 & kHalf, of_b = feature & kHalf;
  const std::uint64_t other = kind == 1 ? 2 : kind == 2 ? 1 : kind;
  return other << 62 | of_b << 31 | of_a;
}

// Contacts in the order of another set, by place.
ContactSet arranged_like(const ContactSet& order, const ContactSet& contacts) {
  ContactSet out;
  for (const Vec3& point : order.point) {
    std::size_t nearest = 0;
    for (std::size_t k = 1; k < contacts.key.size(); ++k)
      if ((contacts.point[k] - point).norm() < (contacts.point[nearest] - point).norm()) nearest = k;
    out.push(contacts.key[nearest], contacts.point[nearest], contacts.normal[nearest], contacts.gap[nearest]);
  }
  return out;
}

}  // namespace

TEST_CASE("normals are unit, and half a gap from the point along them lie the two surfaces") {
  for_random_pairs(100, [](const Placed& a, const Placed& b, const ContactSet& contacts) {
    REQUIRE(contacts.size() >= 1);
    for (std::size_t k = 0; k < contacts.key.size(); ++k) {
      const Vec3 half = 0.5 * contacts.gap[k] * contacts.normal[k];
      CHECK(std::abs(contacts.normal[k].norm() - 1) < 1e-14);
      CHECK(off_surface(a, contacts.point[k] + half) < 1e-13);
      CHECK(off_surface(b, contacts.point[k] - half) < 1e-13);
    }
  });
}

TEST_CASE("exchanging the shapes flips the normal and keeps gap and point") {
  for_random_pairs(100, [](const Placed& a, const Placed& b, const ContactSet& contacts) {
    const bool two = polyhedral(a.shape.kind) && polyhedral(b.shape.kind);
    ContactSet exchanged = contacts_of(b, a);
    REQUIRE(exchanged.size() == contacts.size());
    if (two) exchanged = arranged_like(contacts, exchanged);
    for (std::size_t k = 0; k < contacts.key.size(); ++k) {
      const std::uint64_t one = contacts.key[k].feature, other = exchanged.key[k].feature;
      // Where two corners coincide, that of the first is taken in both orders.
      const bool corners = (one >> 62 == 1) && (other >> 62 == 1);
      CHECK((two ? corners || mirrored(one) == other : one == other));
    }
    // Two polyhedra are compared in the frame of the second, which is then the other one.
    CHECK(worst_difference(contacts, exchanged, -1) < (two ? 1e-12 : 1e-15));
  });
}

TEST_CASE("the order of the arguments does not matter: keys and normals follow the numbers") {
  for_random_pairs(20, [](const Placed& a, const Placed& b, const ContactSet& contacts) {
    ContactSet turned;
    collide(1, b.shape, b.pose, 0, a.shape, a.pose, 1e9, turned);
    CHECK(turned.key == contacts.key);
    CHECK(worst_difference(contacts, turned, 1) == 0);
    for (const ContactKey& key : turned.key) CHECK(key.a < key.b);
  });
}

TEST_CASE("a rigid motion of both shapes moves the contact along and keeps the gap") {
  RandomStream random(18, 0);
  for_random_pairs(50, [&](const Placed& a, const Placed& b, const ContactSet& contacts) {
    const Pose motion{Vec3(random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5)), random.orientation()};
    const ContactSet moved = contacts_of({a.shape, motion * a.pose}, {b.shape, motion * b.pose});
    REQUIRE(moved.key == contacts.key);
    ContactSet expected = contacts;
    for (Vec3& point : expected.point) point = motion.to_world(point);
    for (Vec3& normal : expected.normal) normal = motion.rotation * normal;
    CHECK(worst_difference(moved, expected, 1) < 1e-13);
  });
}

TEST_CASE("the gap grows with a translation of a at the rate of its part along the normal") {
  RandomStream random(19, 0);
  const double step = 1e-6;
  double worst = 0;
  int compared = 0;
  for_random_pairs(100, [&](const Placed& a, const Placed& b, const ContactSet& contacts) {
    const Vec3 direction = random.direction();
    Placed ahead = a, behind = a;
    ahead.pose.position += step * direction;
    behind.pose.position -= step * direction;
    const ContactSet later = contacts_of(ahead, b), earlier = contacts_of(behind, b);
    const bool two = polyhedral(a.shape.kind) && polyhedral(b.shape.kind);
    if (two && (later.key != contacts.key || earlier.key != contacts.key)) return;  // other features meet now
    REQUIRE(later.key == contacts.key);
    const double least = *std::min_element(contacts.gap.begin(), contacts.gap.end());
    for (std::size_t k = 0; k < contacts.key.size(); ++k) {
      // Beside the deepest point of two polyhedra a face may be inclined to the normal.
      if (two && contacts.gap[k] > least + 1e-12) continue;
      ++compared;
      const double rate = (later.gap[k] - earlier.gap[k]) / (2 * step);
      worst = std::max(worst, std::abs(rate - contacts.normal[k].dot(direction)));
    }
  });
  CHECK(compared > 3000);
  CHECK(worst < 1e-7);
}

TEST_CASE("the gap of a sphere and a box is the searched distance of the centre, less the radius") {
  RandomStream random(20, 0);
  int inside = 0, outside = 0;
  for (int k = 0; k < 150; ++k) {
    Placed sphere = random_placed(random, ShapeKind::Sphere);
    const Placed box = random_placed(random, ShapeKind::Box);
    // Every other centre is drawn towards the box, so that many lie inside.
    if (k % 2 == 0) sphere.pose.position = 0.2 * sphere.pose.position + 0.8 * box.pose.position;
    const ContactSet contacts = contacts_of(sphere, box);
    REQUIRE(contacts.size() == 1);
    const double distance = searched_box_distance(box, sphere.pose.position);
    CHECK(contacts.gap[0] == doctest::Approx(distance - sphere.shape.radius).epsilon(1e-7));
    ++(distance < 0 ? inside : outside);
  }
  CHECK(inside > 30);
  CHECK(outside > 50);
}

TEST_CASE("two spheres: gap is distance less radii, from deep to far") {
  RandomStream random(21, 0);
  for (const double distance : {1e-100, 1e-12, 0.3, 1.0, 1.5, 40.0}) {
    for (int k = 0; k < 20; ++k) {
      const Vec3 direction = random.direction();
      const Placed a{Shape::sphere(0.5), {.position = distance * direction}}, b{Shape::sphere(1.0), {}};
      const ContactSet contacts = contacts_of(a, b);
      REQUIRE(contacts.size() == 1);
      CHECK(contacts.gap[0] == doctest::Approx(distance - 1.5).epsilon(1e-15));
      CHECK((contacts.normal[0] - direction).norm() < 1e-14);
    }
  }
}

TEST_CASE("coincident spheres have a stated normal and the full depth") {
  for (const double distance : {0.0, 1e-200}) {
    const Vec3 at(3, -4, 5);
    const Placed a{Shape::sphere(0.5), {.position = at}},
        b{Shape::sphere(1.0), {.position = at + Vec3(distance, 0, 0)}};
    const ContactSet contacts = contacts_of(a, b, 0);
    REQUIRE(contacts.size() == 1);
    CHECK(contacts.normal[0] == Vec3::UnitZ());
    CHECK(contacts.gap[0] == -1.5);
    CHECK(contacts.point[0] == at + Vec3(0, 0, 0.25));  // midway between the lowest of a and the highest of b
  }
}

TEST_CASE("far from the origin, touching spheres keep gaps to the last place of their positions") {
  const Placed a{Shape::sphere(0.25), {.position = Vec3(1e6, -1e6, 1e6)}};
  const Placed b{Shape::sphere(0.25), {.position = Vec3(1e6 + 0.5, -1e6, 1e6)}};
  const ContactSet contacts = contacts_of(a, b, 0);
  REQUIRE(contacts.size() == 1);
  CHECK(contacts.gap[0] == 0);
  CHECK(contacts.point[0] == Vec3(1e6 + 0.25, -1e6, 1e6));
}

TEST_CASE("a half-space pushes outward from any depth, a plane towards the side of the centre") {
  for (const double height : {2.0, 0.5, 0.1, -0.1, -7.0}) {
    const Placed sphere{Shape::sphere(0.5), {.position = Vec3(3, 4, height)}};
    const ContactSet ground = contacts_of(sphere, {Shape::half_space(), {}});
    CHECK(ground.normal[0] == Vec3::UnitZ());
    CHECK(ground.gap[0] == height - 0.5);
    const ContactSet sheet = contacts_of(sphere, {Shape::plane(), {}});
    CHECK(sheet.normal[0] == (height >= 0 ? 1.0 : -1.0) * Vec3::UnitZ());
    CHECK(sheet.gap[0] == std::abs(height) - 0.5);
  }
  // The centre in the plane itself: the side of +z, by rule.
  const ContactSet tie = contacts_of({Shape::sphere(0.5), {}}, {Shape::plane(), {}});
  CHECK(tie.normal[0] == Vec3::UnitZ());
}

TEST_CASE("a sphere meets a box's face, edge and corner along the line to the nearest point") {
  const Placed box{Shape::box(Vec3(1, 2, 3)), {}};
  struct Case {
    Vec3 centre, normal;
    double distance;
  };
  const Case cases[] = {{Vec3(1.5, 0.3, -2), Vec3(1, 0, 0), 0.5},    {Vec3(0.2, -2.25, 1), Vec3(0, -1, 0), 0.25},
                        {Vec3(1.3, 2.4, 0), Vec3(0.6, 0.8, 0), 0.5}, {Vec3(2, 4, 5), Vec3(1, 2, 2) / 3, 3},
                        {Vec3(0.9, 0, 0), Vec3(1, 0, 0), -0.1},      {Vec3(0, 0, -2.8), Vec3(0, 0, -1), -0.2}};
  for (const Case& c : cases) {
    const ContactSet contacts = contacts_of({Shape::sphere(0.5), {.position = c.centre}}, box);
    REQUIRE(contacts.size() == 1);
    CHECK((contacts.normal[0] - c.normal).norm() < 1e-15);
    CHECK(contacts.gap[0] == doctest::Approx(c.distance - 0.5).epsilon(1e-15));
  }
  SUBCASE("equally near faces: x before y before z, positive when in the middle") {
    const Placed cube{Shape::box(Vec3::Ones()), {}};
    CHECK(contacts_of({Shape::sphere(0.5), {}}, cube).normal[0] == Vec3::UnitX());
    CHECK(contacts_of({Shape::sphere(0.5), {.position = Vec3(0, -0.5, 0.5)}}, cube).normal[0] == -Vec3::UnitY());
  }
}

TEST_CASE("the corners of a box above a wall are its contacts, by number") {
  RandomStream random(22, 0);
  for (int k = 0; k < 50; ++k) {
    const Placed box = random_placed(random, ShapeKind::Box), wall = random_placed(random, ShapeKind::HalfSpace);
    const Vec3 out = wall.pose.rotation.toRotationMatrix().col(2);
    std::vector<double> heights;
    for (int corner = 0; corner < 8; ++corner) {
      Vec3 local = box.shape.half_extents;
      for (int i = 0; i < 3; ++i) local[i] *= (corner >> i & 1) != 0 ? 1 : -1;
      heights.push_back(out.dot(box.pose.to_world(local) - wall.pose.position));
    }
    const double margin = 0.1;
    const ContactSet contacts = contacts_of(box, wall, margin);
    int expected = 0;
    for (std::uint32_t corner = 0; corner < 8; ++corner) {
      if (heights[corner] > margin) continue;
      REQUIRE(expected < contacts.size());
      const auto at = static_cast<std::size_t>(expected++);
      CHECK(contacts.key[at] == ContactKey{0, 1, corner});
      CHECK(std::abs(contacts.gap[at] - heights[corner]) < 1e-14);
      CHECK((contacts.normal[at] - out).norm() < 1e-14);
    }
    CHECK(contacts.size() == expected);
  }
  SUBCASE("a plane is felt on the side of the box's centre") {
    const Placed below{Shape::box(Vec3(1, 1, 0.5)), {.position = Vec3(0, 0, -0.25)}};
    const ContactSet contacts = contacts_of(below, {Shape::plane(), {}}, 0);
    REQUIRE(contacts.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(contacts.key[i].feature == i + 4);
      CHECK(contacts.normal[i] == -Vec3::UnitZ());
      CHECK(contacts.gap[i] == -0.25);
    }
  }
}

TEST_CASE("two walls have no contact") {
  RandomStream random(23, 0);
  for (const ShapeKind a : {ShapeKind::HalfSpace, ShapeKind::Plane})
    for (const ShapeKind b : {ShapeKind::HalfSpace, ShapeKind::Plane})
      CHECK(contacts_of(random_placed(random, a), random_placed(random, b)).size() == 0);
}

TEST_CASE("values that are not finite give no contact") {
  for (const ShapeKind kind : kKinds) {
    RandomStream random(24, 0);
    for (const ShapeKind other : kKinds) {
      if (wall(other)) continue;
      Placed lost = random_placed(random, other);
      lost.pose.position.x() = NAN;
      CHECK(contacts_of(lost, random_placed(random, kind)).size() == 0);
      CHECK(contacts_of(random_placed(random, kind), lost).size() == 0);
    }
  }
}
