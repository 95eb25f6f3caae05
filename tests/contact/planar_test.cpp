#include "contact/planar.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/random.h"
#include "contact/polyhedron.h"
#include "convex_oracle.h"

using namespace carom;

namespace {

struct Placed {
  Shape shape;
  Pose pose;
};

ContactSet contacts_of(const Placed& a, const Placed& b, const Vec3& normal, double margin = 1e9) {
  ContactSet out;
  collide_planar(0, a.shape, a.pose, 1, b.shape, b.pose, PlaneFrame(normal), margin, out);
  return out;
}

std::vector<Vec2> random_corners(RandomStream& random, double flat) {
  // Points in order around an ellipse are convex.
  std::vector<double> angle(3 + random.below(6));
  for (double& t : angle) t = random.uniform(0, 2 * std::numbers::pi);
  std::sort(angle.begin(), angle.end());
  std::vector<Vec2> corners;
  for (const double t : angle) corners.emplace_back(std::cos(t), flat * std::sin(t));
  return corners;
}

// Local z to the normal, turned about it.
Quat in_plane(const Vec3& normal, double angle) {
  return Quat(Eigen::AngleAxisd(angle, normal)) * Quat::FromTwoVectors(Vec3::UnitZ(), normal);
}

Placed random_placed(RandomStream& random, const Vec3& normal) {
  const PlaneFrame plane(normal);
  Pose pose{plane.lift(Vec2(random.uniform(-1, 1), random.uniform(-1, 1))),
            in_plane(normal, random.uniform(0, 2 * std::numbers::pi))};
  const auto size = [&] { return random.uniform(0.2, 1); };
  const Quat lying = pose.rotation * Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
  switch (random.below(8)) {
    case 0:
      return {Shape::disk(size()), pose};
    case 1:
      return {Shape::sphere(size()), pose};
    case 2:
      return {Shape::box(Vec3(size(), size(), 10)), pose};
    case 3:
      return {Shape::capsule(size(), size()), {pose.position, lying}};
    case 4:
      return {Shape::cylinder(size(), 10), pose};
    case 5: {
      // A prism as a hull.
      std::vector<Vec3> points;
      for (const Vec2& p : random_corners(random, size()))
        for (const double z : {-10.0, 10.0}) points.emplace_back(p.x(), p.y(), z);
      try {
        return {Shape::hull(points), pose};
      } catch (const InputError&) {
        return {Shape::disk(size()), pose};  // too thin by bad luck
      }
    }
    default: {
      try {
        return {Shape::polygon(random_corners(random, size()), 20), pose};
      } catch (const InputError&) {
        return {Shape::disk(size()), pose};
      }
    }
  }
}

// The core of a silhouette as a solid so thick that it never leaves through its ends, and its rounding radius.
struct Thick {
  oracle::Solid solid;
  double radius;

  static Thick of(const Placed& p) {
    CoreStorage storage;
    const ShapeKind kind = p.shape.kind;
    if (kind == ShapeKind::Polygon)
      return {oracle::Solid(core_of(Shape::hull(p.shape.polyhedron().vertices), storage), p.pose), 0};
    if (kind == ShapeKind::Capsule) return {oracle::Solid(core_of(p.shape, storage), p.pose), p.shape.radius};
    if (kind == ShapeKind::Box || kind == ShapeKind::Hull) return {oracle::Solid(core_of(p.shape, storage), p.pose), 0};
    return {oracle::Solid(core_of(Shape::sphere(0), storage), p.pose), p.shape.radius};
  }
};

bool polygonal(const Placed& p) {
  return p.shape.kind == ShapeKind::Polygon || p.shape.kind == ShapeKind::Box || p.shape.kind == ShapeKind::Hull;
}

const Vec3 kNormals[] = {Vec3::UnitZ(), Vec3::UnitY(), Vec3::UnitX(), Vec3(1, -2, 3).normalized()};

}  // namespace

TEST_CASE("gap and normal of random silhouettes are those of thick prisms by brute force") {
  RandomStream random(41, 0);
  int apart = 0, overlapping = 0;
  double worst_gap = 0, worst_normal = 0;
  for (int k = 0; k < 30000; ++k) {
    const Vec3& normal = kNormals[k % 4];
    const Placed a = random_placed(random, normal), b = random_placed(random, normal);
    const ContactSet contacts = contacts_of(a, b, normal);
    REQUIRE(contacts.size() >= 1);
    REQUIRE(contacts.size() <= 2);
    const Thick ta = Thick::of(a), tb = Thick::of(b);
    double core = -INFINITY;
    if (polygonal(a) || polygonal(b)) core = oracle::best_axis(ta.solid, tb.solid).gap;
    const bool overlap = core <= 0 && std::isfinite(core);
    if (!overlap) {
      // Edges of ends do not exist for a point: then a corner against faces, or the two points.
      const bool points = ta.solid.edge.empty() && tb.solid.edge.empty();
      if (points) {
        core = (a.pose.position - b.pose.position).norm();
      } else {
        // a point is a segment of no length
        oracle::Solid sa = ta.solid, sb = tb.solid;
        for (oracle::Solid* s : {&sa, &sb}) {
          if (!s->edge.empty()) continue;
          s->vertex.push_back(s->vertex[0] + oracle::plain(1e-300 * normal));
          s->edge.emplace_back(0, 1);
        }
        core = oracle::distance(sa, sb);
      }
    }
    const double expected = core - ta.radius - tb.radius;
    const double least = *std::min_element(contacts.gap.begin(), contacts.gap.end());
    // Crossing cores of two capsules are left to the next test.
    if (a.shape.kind == ShapeKind::Capsule && b.shape.kind == ShapeKind::Capsule && core < 1e-9) continue;
    worst_gap = std::max(worst_gap, std::abs(least - expected));
    ++(overlap ? overlapping : apart);
    for (std::size_t i = 0; i < contacts.key.size(); ++i) {
      worst_normal = std::max({worst_normal, std::abs(contacts.normal[i].dot(normal)),
                               std::abs(contacts.normal[i].norm() - 1), std::abs(contacts.point[i].dot(normal))});
    }
    // Along the normal the gap is the one that is told.
    const double along = oracle::along(ta.solid, tb.solid, oracle::plain(contacts.normal[0])) - ta.radius - tb.radius;
    worst_gap = std::max(worst_gap, std::abs(along - expected));
  }
  MESSAGE(apart << " apart, " << overlapping << " overlapping cores; worst gap " << worst_gap << ", normal "
                << worst_normal);
  CHECK(apart > 5000);
  CHECK(overlapping > 5000);
  CHECK(worst_gap < 1e-12);
  CHECK(worst_normal < 1e-14);
}

TEST_CASE("two blocks in the plane have two contacts, at the ends of the common stretch, with keys that stay") {
  const Vec3 normal = Vec3::UnitY();
  const Vec2 square[] = {{-1, -0.5}, {1, -0.5}, {1, 0.5}, {-1, 0.5}};
  // local x, y to world x, z
  const Quat frame(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
  RandomStream random(42, 0);
  for (const double shift : {0.0, 0.3, -0.7}) {
    const Placed below{Shape::polygon(square), {Vec3::Zero(), frame}};
    std::vector<ContactKey> keys;
    for (int k = 0; k < 200; ++k) {
      const double noise = 1e-9;
      Placed above{Shape::polygon(square),
                   {Vec3(shift + noise * random.uniform(-1, 1), 0, 1 + noise * random.uniform(-1, 1)), frame}};
      above.pose.rotation = Quat(Eigen::AngleAxisd(noise * random.uniform(-1, 1), normal)) * above.pose.rotation;
      const ContactSet contacts = contacts_of(above, below, normal, 1e-6);
      REQUIRE(contacts.size() == 2);
      if (k == 0) keys = contacts.key;
      CHECK(contacts.key == keys);
      const double low = std::min(contacts.point[0].x(), contacts.point[1].x());
      const double high = std::max(contacts.point[0].x(), contacts.point[1].x());
      CHECK(low == doctest::Approx(std::max(-1.0, shift - 1)).epsilon(1e-8));
      CHECK(high == doctest::Approx(std::min(1.0, shift + 1)).epsilon(1e-8));
      CHECK((contacts.normal[0] - Vec3::UnitZ()).norm() < 1e-8);
    }
  }
}

TEST_CASE("on a wall a polygon has its lowest corner and the lower neighbour") {
  const Vec3 normal = Vec3::UnitY();
  const Quat frame(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
  const Vec2 square[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  const Placed wall{Shape::half_space(), {}};
  for (const Shape& shape : {Shape::polygon(square), Shape::box(Vec3(1, 1, 3))}) {
    const ContactSet flat = contacts_of({shape, {Vec3(5, 0, 1), frame}}, wall, normal, 1e-9);
    REQUIRE(flat.size() == 2);
    for (const double gap : flat.gap) CHECK(std::abs(gap) < 1e-15);
    CHECK(std::abs(flat.point[0].x() - flat.point[1].x()) == doctest::Approx(2));
    const Quat turned = Quat(Eigen::AngleAxisd(0.3, normal)) * frame;
    const ContactSet corner =
        contacts_of({shape, {Vec3(5, 0, std::cos(0.3) + std::sin(0.3)), turned}}, wall, normal, 1e-9);
    REQUIRE(corner.size() == 1);
    CHECK(std::abs(corner.gap[0]) < 1e-14);
  }
  const ContactSet round = contacts_of({Shape::disk(0.5), {Vec3(1, 0, 0.4), frame}}, wall, normal);
  REQUIRE(round.size() == 1);
  CHECK(round.gap[0] == doctest::Approx(-0.1));
  CHECK((round.point[0] - Vec3(1, 0, -0.05)).norm() < 1e-15);
}

TEST_CASE("capsules in the plane: crossing, side by side and on one line") {
  const Vec3 normal = Vec3::UnitZ();
  const auto capsule = [](double x, double y, double angle) {
    const Vec3 axis(std::cos(angle), std::sin(angle), 0);
    return Placed{Shape::capsule(0.1, 1), {Vec3(x, y, 0), Quat::FromTwoVectors(Vec3::UnitZ(), axis)}};
  };
  const ContactSet crossing = contacts_of(capsule(0, 0.05, 0), capsule(0, 0, std::numbers::pi / 2), normal);
  // Out by the ends: the shorter way is half the length less the offset, as points of the lines.
  CHECK(*std::min_element(crossing.gap.begin(), crossing.gap.end()) == doctest::Approx(-0.95 - 0.2));
  const ContactSet beside = contacts_of(capsule(0.5, 0.3, 0), capsule(0, 0, 0), normal, 1);
  REQUIRE(beside.size() == 2);
  CHECK(beside.gap[0] == doctest::Approx(0.1));
  CHECK(beside.gap[1] == doctest::Approx(0.1));
  const ContactSet in_line = contacts_of(capsule(2.5, 0, 0), capsule(0, 0, 0), normal, 1);
  REQUIRE(in_line.size() == 1);
  CHECK(in_line.gap[0] == doctest::Approx(0.3));
  CHECK((in_line.normal[0] - Vec3::UnitX()).norm() < 1e-12);
}

TEST_CASE("mass of disks and polygons is area times thickness, inertia the polar one") {
  const SolidProperties disk = solid_properties(Shape::disk(2, 0.5));
  CHECK(disk.volume == doctest::Approx(std::numbers::pi * 4 * 0.5));
  CHECK(disk.inertia(2, 2) == doctest::Approx(0.5 * disk.volume * 4));
  // A right triangle with legs 3 and 4: centroid at a third, polar moment m (a^2 + b^2)/18 about it.
  const Vec2 triangle[] = {{10, 20}, {13, 20}, {10, 24}};
  for (const double thickness : {1.0, 1e-3, 50.0}) {
    const Shape shape = Shape::polygon(triangle, thickness);
    const SolidProperties solid = solid_properties(shape);
    CHECK(solid.volume == doctest::Approx(6 * thickness).epsilon(1e-13));
    CHECK((solid.centroid - Vec3(11, 20 + 4.0 / 3, 0)).norm() < 1e-13);
    CHECK(solid.inertia(2, 2) == doctest::Approx(solid.volume * 25 / 18).epsilon(1e-13));
    CHECK(shape.bounding_radius() == doctest::Approx(std::hypot(1, 8.0 / 3)));
    CHECK((shape.bounding_centre() - solid.centroid).norm() < 1e-13);
    CHECK(shape.inner_radius() == doctest::Approx(0.8));  // height 12/5 over the longest side, a third of it
  }
  const Vec2 clockwise[] = {{10, 24}, {13, 20}, {10, 20}};
  CHECK(solid_properties(Shape::polygon(clockwise)).volume == doctest::Approx(6));
}

TEST_CASE("polygons that are none are refused with the vertex") {
  const auto refuse = [](std::vector<Vec2> vertices, const char* what, double thickness = 1) {
    CHECK_THROWS_WITH_AS(Shape::polygon(vertices, thickness), doctest::Contains(what), InputError);
  };
  refuse({{0, 0}, {1, 0}}, "3 to 1000");
  refuse({{0, 0}, {1, 0}, {2, 0}}, "no area");
  refuse({{0, 0}, {1, 0}, {NAN, 1}}, "vertices[2]");
  refuse({{0, 0}, {2, 0}, {2, 2}, {1, 0.5}, {0, 2}}, "not convex");
  refuse({{0, 0}, {1, 0}, {1, 1}}, "thickness", 0);
  // A star: every turn is to the left, twice around.
  std::vector<Vec2> star;
  for (int k = 0; k < 5; ++k)
    star.emplace_back(std::cos(4 * k * std::numbers::pi / 5), std::sin(4 * k * std::numbers::pi / 5));
  refuse(star, "not convex");
  // Corners on straight lines and repeated ones are left out.
  const Vec2 square[] = {{0, 0}, {0.5, 0}, {1, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0.3}};
  CHECK(Shape::polygon(square).polyhedron().vertices.size() == 8);
}

TEST_CASE("values that are not finite give no contact in the plane") {
  RandomStream random(43, 0);
  for (int k = 0; k < 50; ++k) {
    Placed lost = random_placed(random, Vec3::UnitZ());
    lost.pose.position.x() = NAN;
    CHECK(contacts_of(lost, random_placed(random, Vec3::UnitZ()), Vec3::UnitZ()).size() == 0);
    CHECK(contacts_of(random_placed(random, Vec3::UnitZ()), lost, Vec3::UnitZ()).size() == 0);
    CHECK(contacts_of(lost, {Shape::half_space(), {Vec3::Zero(), Quat::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitX())}},
                      Vec3::UnitZ())
              .size() == 0);
  }
}
