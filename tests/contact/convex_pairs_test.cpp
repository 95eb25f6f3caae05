#include <doctest/doctest.h>

#include <cmath>

#include "base/random.h"
#include "contact/narrow_phase.h"
#include "convex_oracle.h"

using namespace carom;

namespace {

struct Placed {
  Shape shape;
  Pose pose;

  oracle::Solid solid() const {
    CoreStorage storage;
    return {core_of(shape, storage), pose};
  }
};

ContactSet contacts_of(const Placed& a, const Placed& b, double margin = 1e9) {
  ContactSet out;
  collide(0, a.shape, a.pose, 1, b.shape, b.pose, margin, out);
  return out;
}

double least_gap(const ContactSet& contacts) {
  double least = INFINITY;
  for (const double gap : contacts.gap) least = std::min(least, gap);
  return least;
}

Vec3 in_cube(RandomStream& random, double half) {
  return {random.uniform(-half, half), random.uniform(-half, half), random.uniform(-half, half)};
}

// A box, or the hull of a few points stretched along its axes; sizes up to 1, thickness down to `thin`.
Shape random_polyhedron(RandomStream& random, double thin) {
  const Vec3 stretch(std::pow(thin, random.uniform()), std::pow(thin, random.uniform()), 1);
  if (random.uniform() < 0.4) return Shape::box(stretch);
  std::vector<Vec3> points(4 + random.below(9));
  for (Vec3& p : points) p = random.direction().cwiseProduct(stretch);
  // Four points can be flat by bad luck.
  points.push_back(Vec3::Zero());
  return Shape::hull(points);
}

struct Tally {
  int pairs = 0, apart = 0, overlapping = 0, unique = 0;
  double worst_gap = 0, worst_normal_gap = 0, worst_normal = 0;
};

// Compares gap and normal with the oracle; lengths in units of `size`.
void compare(const Placed& a, const Placed& b, double size, Tally& tally) {
  const ContactSet contacts = contacts_of(a, b);
  REQUIRE(contacts.size() > 0);
  const oracle::Solid solid_a = a.solid(), solid_b = b.solid();
  const oracle::Best best = oracle::best_axis(solid_a, solid_b);
  const bool apart = best.gap > 0;
  const double expected = apart ? oracle::distance(solid_a, solid_b) : best.gap;
  const oracle::Point normal = oracle::plain(contacts.normal[0]);
  ++tally.pairs;
  ++(apart ? tally.apart : tally.overlapping);
  tally.worst_gap = std::max(tally.worst_gap, std::abs(least_gap(contacts) - expected) / size);
  tally.worst_normal_gap =
      std::max(tally.worst_normal_gap, std::abs(oracle::along(solid_a, solid_b, normal) - expected) / size);
  // Where no other direction is nearly as good, the normal itself is told by the oracle.
  if (!apart && best.gap - best.second > 1e-6 * size) {
    ++tally.unique;
    tally.worst_normal =
        std::max(tally.worst_normal, (contacts.normal[0] - Vec3(best.normal.x, best.normal.y, best.normal.z)).norm());
  }
}

}  // namespace

TEST_CASE("gap and normal of 100,000 random convex pairs are those of the oracle") {
  RandomStream random(31, 0);
  Tally tally;
  for (int k = 0; k < 100000; ++k) {
    const Placed a{random_polyhedron(random, 0.2), {in_cube(random, 0.8), random.orientation()}};
    const Placed b{random_polyhedron(random, 0.2), {in_cube(random, 0.8), random.orientation()}};
    compare(a, b, 1, tally);
  }
  MESSAGE(tally.apart << " apart, " << tally.overlapping << " overlapping; worst gap " << tally.worst_gap
                      << ", along the normal " << tally.worst_normal_gap << ", normal " << tally.worst_normal << " in "
                      << tally.unique);
  CHECK(tally.apart > 20000);
  CHECK(tally.overlapping > 20000);
  CHECK(tally.unique > 10000);
  CHECK(tally.worst_gap < 1e-9);
  CHECK(tally.worst_normal_gap < 1e-9);
  CHECK(tally.worst_normal < 1e-6);
}
