// Every pair of kinds, cylinders and cones above all, against formulas and search.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.h"
#include "contact/narrow_phase.h"
#include "support_oracle.h"

using namespace carom;
using oracle::PlacedShape;

namespace {

ContactSet contacts_of(const PlacedShape& a, const PlacedShape& b, double margin = 1e9) {
  ContactSet out;
  collide(0, a.shape, a.pose, 1, b.shape, b.pose, margin, out);
  return out;
}

double least_gap(const ContactSet& contacts) { return *std::min_element(contacts.gap.begin(), contacts.gap.end()); }

constexpr ShapeKind kSolids[] = {ShapeKind::Sphere,   ShapeKind::Box,  ShapeKind::Capsule,
                                 ShapeKind::Cylinder, ShapeKind::Cone, ShapeKind::Hull};

Shape random_shape(RandomStream& random, ShapeKind kind) {
  const auto size = [&] { return random.uniform(0.15, 1); };
  switch (kind) {
    case ShapeKind::Sphere:
      return Shape::sphere(size());
    case ShapeKind::Box:
      return Shape::box(Vec3(size(), size(), size()));
    case ShapeKind::Capsule:
      return Shape::capsule(size(), size());
    case ShapeKind::Cylinder:
      return Shape::cylinder(size(), size());
    case ShapeKind::Cone:
      return Shape::cone(size(), size());
    default: {
      std::vector<Vec3> points(8 + random.below(12));
      for (Vec3& p : points) p = size() * random.direction();
      return Shape::hull(points);
    }
  }
}

PlacedShape random_placed(RandomStream& random, ShapeKind kind, double spread) {
  const Vec3 at(random.uniform(-spread, spread), random.uniform(-spread, spread), random.uniform(-spread, spread));
  return {random_shape(random, kind), {at, random.orientation()}};
}

struct Tally {
  int apart = 0, overlapping = 0;
  double shown = 0;    // gap told against gap shown along the normal
  double points = 0;   // points off the surfaces, apart or at the deepest contact
  double refuted = 0;  // best searched gap above the one told
};

void examine(const PlacedShape& a, const PlacedShape& b, int tries, RandomStream& random, Tally& tally) {
  const ContactSet contacts = contacts_of(a, b);
  REQUIRE(contacts.size() > 0);
  const double gap = least_gap(contacts);
  const auto nearest =
      static_cast<std::size_t>(std::min_element(contacts.gap.begin(), contacts.gap.end()) - contacts.gap.begin());
  const Vec3& n = contacts.normal[nearest];
  tally.shown = std::max(tally.shown, std::abs(oracle::shown_gap(a, b, n) - gap));
  tally.shown = std::max(tally.shown, std::abs(n.norm() - 1));
  const Vec3 on_a = contacts.point[nearest] + 0.5 * gap * n, on_b = contacts.point[nearest] - 0.5 * gap * n;
  // A point of each surface: apart they prove the gap, as their distance is the one shown.
  tally.points = std::max({tally.points, std::abs(oracle::signed_distance_bound(a, on_a)),
                           std::abs(oracle::signed_distance_bound(b, on_b))});
  ++(gap > 0 ? tally.apart : tally.overlapping);
  if (gap < 0) tally.refuted = std::max(tally.refuted, oracle::search(a, b, tries, random).gap - gap);
}

}  // namespace

TEST_CASE(
    "every pair of solids: points on both surfaces at the gap that the normal shows, and no direction shows more") {
  RandomStream random(51, 0);
  constexpr int kCount = 3000;
  for (const ShapeKind kind_a : kSolids) {
    for (const ShapeKind kind_b : kSolids) {
      if (kind_b < kind_a) continue;
      CAPTURE(name_of(kind_a));
      CAPTURE(name_of(kind_b));
      const bool capsule = kind_a == ShapeKind::Capsule || kind_b == ShapeKind::Capsule;
      Tally tally;
      for (int k = 0; k < kCount; ++k) {
        const PlacedShape a = random_placed(random, kind_a, 0.7), b = random_placed(random, kind_b, 0.7);
        examine(k % 2 == 0 ? a : b, k % 2 == 0 ? b : a, 100, random, tally);
      }
      MESSAGE(name_of(kind_a) << " " << name_of(kind_b) << ": " << tally.apart << " apart, " << tally.overlapping
                              << " overlapping; shown " << tally.shown << ", points " << tally.points << ", refuted "
                              << tally.refuted);
      // Of nearly parallel features a point within 1e-9 of the size of the deepest stands for it.
      CHECK(tally.shown < (capsule ? 1e-9 : 1e-12));
      // A capsule beside a rounded side takes corners for coinciding within 1e-3 of the radius, 5e-7 r along the
      // normal.
      CHECK(tally.points < (capsule ? 1e-6 : 1e-12));
      CHECK(tally.refuted < 1e-9);
    }
  }
}

namespace {

// A solid placed as if on the top of another, and the wanted gap between them.
struct Stacked {
  std::string name;
  Shape above, below;
  Vec3 at;  // of the upper one
  Quat turned = Quat::Identity();
  int contacts = 0;  // 0: rims that cross have as many as their points in the other, and two
};

Quat lying() { return Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitY())); }

std::vector<Stacked> resting_pairs() {
  std::vector<Vec3> block;
  for (int i = 0; i < 8; ++i) block.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 0.5 : -0.5);
  const Shape drum = Shape::cylinder(0.5, 0.25), box = Shape::box(Vec3(1, 1, 0.5)), hull = Shape::hull(block);
  const Shape cone = Shape::cone(0.5, 0.4);
  const Quat spun(Eigen::AngleAxisd(0.3, Vec3::UnitZ()));
  return {
      {"drum on drum", drum, drum, Vec3(0, 0, 0.5), Quat::Identity(), 8},
      {"drum on drum, turned", drum, drum, Vec3(0, 0, 0.5), spun, 8},
      {"drum on drum, aside", drum, drum, Vec3(0.3, 0.1, 0.5), spun, 0},
      {"drum on a wider drum", drum, Shape::cylinder(2, 0.25), Vec3(0.3, 0.1, 0.5), spun, 8},
      {"drum on box", drum, box, Vec3(0, 0, 0.75), spun, 8},
      {"drum over the edge of a box", drum, box, Vec3(0.9, 0, 0.75), spun, 0},
      {"drum on hull", drum, hull, Vec3(0.1, 0.2, 0.75), spun, 8},
      {"cone on box", cone, box, Vec3(0, 0, 0.7), spun, 8},
      {"cone on drum", cone, drum, Vec3(0.2, 0, 0.45), spun, 0},
      {"box on drum", Shape::box(Vec3(0.2, 0.2, 0.5)), drum, Vec3(0, 0, 0.75), spun, 4},
      {"wide box on drum", box, drum, Vec3(0, 0, 0.75), spun, 8},
      {"drum lying on box", drum, box, Vec3(0, 0, 1), lying(), 2},
      {"drum lying on drum", drum, Shape::cylinder(1, 0.25), Vec3(0, 0.3, 0.75), lying(), 2},
      {"drum lying over the rim of a drum", drum, drum, Vec3(0.4, 0, 0.75), lying(), 2},
      {"capsule lying on drum", Shape::capsule(0.1, 1), drum, Vec3(0, 0.1, 0.35), lying(), 2},
      {"drum beside drum", drum, drum, Vec3(1, 0, 0.1), Quat::Identity(), 2},
      {"box on box", box, box, Vec3(0.3, 0.1, 1), Quat::Identity(), 4},
      {"box flush on box", box, box, Vec3(0, 0, 1), Quat::Identity(), 4},
      {"capsule on box", Shape::capsule(0.1, 0.5), box, Vec3(0, 0, 0.6), lying(), 2},
  };
}

}  // namespace

TEST_CASE("solids that rest on each other have the corners of the common face, all touching, with keys that stay") {
  RandomStream random(52, 0);
  for (const Stacked& pair : resting_pairs()) {
    CAPTURE(pair.name);
    const PlacedShape below{pair.below, {}};
    std::vector<ContactKey> keys;
    Vec3 drift = Vec3::Zero();
    for (int k = 0; k < 300; ++k) {
      // A walk of a body at rest: nanometres and nanoradians, overlapping or not, while it turns about its own axis.
      drift += 1e-9 * random.direction();
      PlacedShape above{pair.above, {pair.at + drift, pair.turned}};
      above.pose.rotation = Quat(Eigen::AngleAxisd(1e-9, random.direction())) * above.pose.rotation;
      const ContactSet contacts = contacts_of(above, below, 1e-6);
      if (k == 0) keys = contacts.key;
      if (pair.contacts > 0) REQUIRE(contacts.size() == pair.contacts);
      if (pair.contacts == 0) REQUIRE(contacts.size() >= 5);
      CHECK(contacts.key == keys);
      for (const double gap : contacts.gap) CHECK(std::abs(gap) < 1e-7);
      for (const Vec3& n : contacts.normal) CHECK((n - contacts.normal[0]).norm() == 0);
    }
  }
}

TEST_CASE("a drum that turns about its axis takes its contact points along and keeps their keys") {
  const PlacedShape floor{Shape::box(Vec3(2, 2, 0.5)), {}}, below{Shape::cylinder(0.6, 0.5), {}};
  for (const PlacedShape& support : {floor, below}) {
    std::vector<ContactKey> keys;
    Vec3 before = Vec3::Zero();
    for (int k = 0; k < 1000; ++k) {
      const double angle = 0.01 * k;
      const PlacedShape drum{Shape::cylinder(0.5, 0.25),
                             {Vec3(0.02, 0.01, 0.75), Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ()))}};
      const ContactSet contacts = contacts_of(drum, support, 1e-6);
      if (k == 0) keys = contacts.key;
      REQUIRE(contacts.key == keys);
      if (k > 0) CHECK((contacts.point[0] - before).norm() == doctest::Approx(0.5 * 0.01).epsilon(1e-3));
      before = contacts.point[0];
    }
  }
}

TEST_CASE("a tilted drum touches with the lowest point of its rim, wherever that is") {
  const double tilt = 0.02, r = 0.5, half = 0.25;
  for (int k = 0; k < 100; ++k) {
    // Tilted about y, then spun about its own axis: the lowest point is the same.
    const Quat spin(Eigen::AngleAxisd(0.1 * k, Vec3::UnitZ())), lean(Eigen::AngleAxisd(tilt, Vec3::UnitY()));
    const double height = r * std::sin(tilt) + half * std::cos(tilt);
    const PlacedShape drum{Shape::cylinder(r, half), {Vec3(0, 0, 0.5 + height), lean * spin}};
    for (const PlacedShape& floor :
         {PlacedShape{Shape::box(Vec3(2, 2, 0.5)), {}}, PlacedShape{Shape::cylinder(2, 0.5), {}},
          PlacedShape{Shape::half_space(), {Vec3(0, 0, 0.5), Quat::Identity()}}}) {
      const ContactSet contacts = contacts_of(drum, floor, 1e-9);
      REQUIRE(contacts.size() >= 1);
      CHECK(std::abs(least_gap(contacts)) < 1e-15);
      const Vec3 lowest(r * std::cos(tilt) - half * std::sin(tilt), 0, 0.5);
      double nearest = 1;
      for (const Vec3& p : contacts.point) nearest = std::min(nearest, (p - lowest).norm());
      CHECK(nearest < 1e-12);
    }
  }
}

TEST_CASE("two cylinders in closed form: side by side, crossed, end to end") {
  const Shape a = Shape::cylinder(0.3, 1), b = Shape::cylinder(0.2, 2);
  for (const double distance : {0.4, 0.5, 0.7}) {
    // parallel: a line with an end of the shorter one each
    const ContactSet line = contacts_of({a, {Vec3(distance, 0, 0.5), Quat::Identity()}}, {b, {}}, 1);
    REQUIRE(line.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(line.gap[k] == doctest::Approx(distance - 0.5));
      CHECK(line.normal[k].isApprox(Vec3::UnitX(), 1e-12));
    }
    CHECK(std::abs(line.point[0].z() - line.point[1].z()) == doctest::Approx(2));
    // crossed at any angle: one point on the common perpendicular
    for (const double angle : {0.2, 0.7, std::numbers::pi / 2}) {
      const Quat turned(Eigen::AngleAxisd(angle, Vec3::UnitX()));
      const ContactSet crossed = contacts_of({a, {Vec3(distance, 0, 0), turned}}, {b, {}}, 1e-3);
      if (distance > 0.6) {
        CHECK(crossed.size() == 0);
        continue;
      }
      REQUIRE(crossed.size() == 1);
      CHECK(crossed.gap[0] == doctest::Approx(distance - 0.5));
      CHECK((crossed.normal[0] - Vec3::UnitX()).norm() < 1e-12);
      CHECK(crossed.point[0].tail<2>().norm() < 1e-12);
    }
    // end to end along z
    const ContactSet ends = contacts_of({a, {Vec3(0.1, 0, 2.5 + distance), Quat::Identity()}}, {b, {}}, 1);
    CHECK(least_gap(ends) == doctest::Approx(distance - 0.5));
    CHECK(ends.normal[0].isApprox(Vec3::UnitZ(), 1e-14));
  }
}

TEST_CASE("capsules on one line: end to end they push each other along it, pushed into each other across it") {
  RandomStream random(54, 0);
  for (int k = 0; k < 200; ++k) {
    const Quat turned = k == 0 ? Quat::Identity() : random.orientation();
    const Vec3 axis = turned * Vec3::UnitZ(), at = random.direction();
    const double shift = random.uniform(-3, 3), lengths = 1.0 + 0.6, radii = 0.1 + 0.2;
    const PlacedShape a{Shape::capsule(0.1, 1.0), {at + shift * axis, turned}},
        b{Shape::capsule(0.2, 0.6), {at, turned}};
    const ContactSet contacts = contacts_of(a, b);
    REQUIRE(contacts.size() >= 1);
    // Overlapping segments leave each other across the line: a gap of minus the radii.
    const double apart = std::max(0.0, std::abs(shift) - lengths);
    CHECK(least_gap(contacts) == doctest::Approx(apart - radii).epsilon(1e-9));
    if (apart > 1e-6) CHECK(std::abs(std::abs(contacts.normal[0].dot(axis)) - 1) < 1e-12);
    if (apart == 0) CHECK(std::abs(contacts.normal[0].dot(axis)) < 1e-9);
  }
}

TEST_CASE("thin solids, sizes of 1000 to 1, and centres that coincide") {
  RandomStream random(53, 0);
  const auto thin = [&](ShapeKind kind) {
    const double s = 1e-3;
    switch (kind) {
      case ShapeKind::Box:
        return random.below(2) == 0 ? Shape::box(Vec3(1, 0.7, s)) : Shape::box(Vec3(s, s, 1));
      case ShapeKind::Capsule:
        return Shape::capsule(s, 1);
      case ShapeKind::Cylinder:
        return random.below(2) == 0 ? Shape::cylinder(1, s) : Shape::cylinder(s, 1);
      case ShapeKind::Cone:
        return random.below(2) == 0 ? Shape::cone(1, s) : Shape::cone(s, 1);
      case ShapeKind::Hull: {
        std::vector<Vec3> points(12);
        for (Vec3& p : points) p = random.direction().cwiseProduct(Vec3(1, 0.8, s));
        return Shape::hull(points);
      }
      default:
        return Shape::sphere(s);
    }
  };
  Tally slender, unequal, centred;
  for (const ShapeKind kind_a : kSolids) {
    for (const ShapeKind kind_b : kSolids) {
      CAPTURE(name_of(kind_a));
      CAPTURE(name_of(kind_b));
      for (int k = 0; k < 40; ++k) {
        const Vec3 at = random.uniform(0, 0.3) * random.direction();
        examine({thin(kind_a), {at, random.orientation()}}, {thin(kind_b), {Vec3::Zero(), random.orientation()}}, 200,
                random, slender);
        // The small one somewhere at the surface of the large one.
        const PlacedShape large{random_shape(random, kind_a), {Vec3::Zero(), random.orientation()}};
        Shape small = random_shape(random, kind_b);
        if (kind_b == ShapeKind::Hull) {
          std::vector<Vec3> points;
          for (const Vec3& v : small.polyhedron().vertices) points.push_back(1e-3 * v);
          small = Shape::hull(points);
        } else {
          small.radius *= 1e-3;
          small.half_extents *= 1e-3;
        }
        const Vec3 out = random.direction();
        examine(large, {small, {large.height(out) * out, random.orientation()}}, 200, random, unequal);
        const Quat turn = k % 4 == 0 ? Quat::Identity() : random.orientation();
        examine({random_shape(random, kind_a), {Vec3::Zero(), turn}},
                {random_shape(random, kind_b), {Vec3::Zero(), Quat::Identity()}}, 200, random, centred);
      }
    }
  }
  for (const Tally& tally : {slender, unequal, centred}) {
    MESSAGE(tally.apart << " apart, " << tally.overlapping << " overlapping; shown " << tally.shown << ", points "
                        << tally.points << ", refuted " << tally.refuted);
    CHECK(tally.shown < 1e-11);
    CHECK(tally.points < 1e-6);
    CHECK(tally.refuted < 1e-11);
  }
}
