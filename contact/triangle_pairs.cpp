// A body against a mesh or a terrain.
#include <algorithm>

#include "contact/feature_key.h"
#include "contact/triangle_contacts.h"

namespace carom {

namespace {

// Corners deeper than this share of the body's size may have come in through a side that does not reach the body any
// more: the surface is looked at again, as far around as the corners are deep, but no farther than the second share.
constexpr double kDeep = 0.25, kFarthest = 8;
constexpr double kSame = 1e-9;  // of the size: contacts this near with the same normal are one

std::uint64_t mirrored(std::uint64_t feature) {
  constexpr std::uint64_t kHalf = kFeatureLimit - 1;
  const auto kind = static_cast<std::uint32_t>(feature >> 62);
  const auto of_a = static_cast<std::uint32_t>(feature >> 31 & kHalf),
             of_b = static_cast<std::uint32_t>(feature & kHalf);
  return feature_key(kind == 1 ? 2 : kind == 2 ? 1 : kind, of_b, of_a);
}

void find_contacts(GroundScratch& s, const Shape& surface, double growth) {
  PatchQuery query;
  query.box = s.body.bounds();
  query.box.low.array() -= s.margin + growth;
  query.box.high.array() += s.margin + growth;
  query.limit = s.margin + s.body.radius;
  query.body = &s.body;
  query.gap = [](const void* body, const Vec3& normal) { return static_cast<const GroundBody*>(body)->lowest(normal); };
  if (s.terrain != nullptr)
    gather_triangles(*s.terrain, query, s.triangles);
  else
    gather_triangles(surface.triangle_mesh(), query, s.triangles);
  if (s.body.round)
    for (PatchTriangle& t : s.triangles) t.down = s.body.frame.direction_to_a(-t.normal);
  s.found.clear();
  s.deepest = 0;
  meet_corners(s);
  meet_ground_vertices(s);
  meet_ridges(s);
  const bool overlap = std::any_of(s.found.begin(), s.found.end(), [](const GroundContact& c) { return c.gap < 0; });
  if (s.terrain != nullptr && !overlap && !s.triangles.empty()) meet_pierced(s);
}

// In the order of features. A vertex may be met from its ridges and by itself, which says more; of several ridges that
// which shows the largest gap. Contacts at the same place along the same normal are one.
void tidy(std::vector<GroundContact>& found, double same) {
  std::sort(found.begin(), found.end(), [](const GroundContact& p, const GroundContact& q) {
    if (p.feature != q.feature) return p.feature < q.feature;
    return p.by_ridge != q.by_ridge ? q.by_ridge : p.gap > q.gap;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    bool repeated = kept > 0 && found[kept - 1].feature == found[i].feature;
    for (std::size_t k = 0; k < kept && !repeated; ++k)
      repeated = (found[k].point - found[i].point).squaredNorm() <= same * same &&
                 found[k].normal.dot(found[i].normal) > 1 - 1e-12;
    if (!repeated) found[kept++] = found[i];
  }
  found.resize(kept);
}

}  // namespace

void collide_triangles(const PairContext& pair, First first, const Shape& solid, const Pose& pose, const Shape& surface,
                       const Pose& surface_pose) {
  const RelativeFrame frame = RelativeFrame::of(pose, surface_pose);
  if (!frame.finite()) return;
  thread_local GroundScratch s;
  s.margin = pair.margin;
  s.terrain = surface.kind == ShapeKind::HeightField ? &surface.terrain() : nullptr;
  const double thickness = s.terrain != nullptr ? 0.0 : surface.triangle_mesh().thickness;
  // Most of the time a stone is in the air.
  const Vec3 centre = frame.point(solid.bounding_centre());
  const Vec3 reach = Vec3::Constant(solid.bounding_radius() + pair.margin + thickness);
  const Bounds around{centre - reach, centre + reach};
  if (s.terrain != nullptr ? clear_of(*s.terrain, around) : clear_of(surface.triangle_mesh(), around)) return;
  s.body.place(solid, frame);
  find_contacts(s, surface, thickness);
  if (s.deepest > kDeep * s.body.size + thickness)
    find_contacts(s, surface, std::max(thickness, std::min(s.deepest, kFarthest * s.body.size)));
  tidy(s.found, kSame * s.body.size);
  if (first == First::B) {
    for (GroundContact& c : s.found) c.feature = mirrored(c.feature);
    std::sort(s.found.begin(), s.found.end(),
              [](const GroundContact& p, const GroundContact& q) { return p.feature < q.feature; });
  }
  for (const GroundContact& c : s.found)
    pair.push(first, surface_pose.to_world(c.point), surface_pose.rotation * c.normal, c.gap, c.feature);
}

}  // namespace carom
