// Thin bodies that rocks stick through.
#include <algorithm>
#include <cmath>

#include "contact/feature_key.h"
#include "contact/triangle_contacts.h"

namespace carom {

namespace {

// Points of an edge that are looked at, between its ends: some in every cell, and one at least.
constexpr double kPerCell = 8;
constexpr int kMostParts = 16;

// The deepest point of a body under a terrain, among those offered.
struct Deepest {
  const HeightField& terrain;
  double depth = 0;
  Vec3 at = Vec3::Zero();
  std::uint32_t triangle = 0;

  void offer(const Vec3& x) {
    const auto ground = terrain.ground(x.x(), x.y());
    if (!ground || !(ground->height - x.z() > depth)) return;
    depth = ground->height - x.z();
    at = x;
    triangle = ground->triangle;
  }
  void offer_between(const Vec3& p, const Vec3& q) {
    const double cell = std::min(terrain.spacing_x, terrain.spacing_y);
    const double wanted = std::ceil(kPerCell * (q - p).head<2>().norm() / cell);
    const int parts = static_cast<int>(std::clamp(wanted, 2.0, double{kMostParts}));
    for (int k = 1; k < parts; ++k) offer(p + k * (1.0 / parts) * (q - p));
  }
};

// Where the vertical line through w enters a polyhedron from below.
void offer_below(const GroundBody& body, const Vec3& w, Deepest& deepest) {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  for (const FacePlane& plane : body.planes) {
    const double rest = plane.offset - plane.normal.x() * w.x() - plane.normal.y() * w.y(), nz = plane.normal.z();
    if (nz > 0)
      high = std::min(high, rest / nz);
    else if (nz < 0)
      low = std::max(low, rest / nz);
    else if (rest < 0)
      return;
  }
  if (low <= high) deepest.offer({w.x(), w.y(), low});
}

}  // namespace

void meet_pierced(GroundScratch& s) {
  const GroundBody& body = s.body;
  Deepest deepest{*s.terrain};
  deepest.offer(body.centre);
  if (body.round) {
    const double half = body.shape->half_length();
    const bool cone = body.shape->kind == ShapeKind::Cone;
    deepest.offer_between(body.frame.point(Vec3(0, 0, cone ? -0.5 * half : -half)),
                          body.frame.point(Vec3(0, 0, cone ? 1.5 * half : half)));
    // Lines along the side and across the ends.
    const PatchTriangle flat{};
    const std::uint32_t other_end = cone ? 0 : kRimPoints;
    for (std::uint32_t k = 0; k < kRimPoints; ++k) {
      const Vec3 low = body.corner(k, flat), high = body.corner(cone ? kRimPoints : kRimPoints + k, flat);
      deepest.offer_between(low, high);
      deepest.offer_between(low, body.corner((k + kRimPoints / 2) % kRimPoints, flat));
      deepest.offer_between(high, body.corner(other_end + (k + kRimPoints / 2) % kRimPoints, flat));
    }
  } else {
    for (const PolyhedronEdge& edge : body.core.edges())
      deepest.offer_between(body.vertices[edge.start], body.vertices[edge.end]);
    const Bounds box = body.bounds();
    if (!body.planes.empty())
      for (const PatchTriangle& t : s.triangles)
        for (const Vec3& w : t.corner) {
          const bool inside = (w.head<2>().array() >= box.low.head<2>().array()).all() &&
                              (w.head<2>().array() <= box.high.head<2>().array()).all();
          if (inside && w.z() > box.low.z()) offer_below(body, w, deepest);
        }
  }
  if (!(deepest.depth > 0)) return;
  for (const PatchTriangle& t : s.triangles) {
    if (t.number != deepest.triangle) continue;
    const double gap = t.height(deepest.at) - body.radius;
    s.add(feature_key(0, kFeatureLimit - 1, 0), deepest.at - (body.radius + 0.5 * gap) * t.normal, t.normal, gap);
    s.deepest = std::max(s.deepest, -gap);
    return;
  }
}

}  // namespace carom
