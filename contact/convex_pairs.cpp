// Contacts of two solids by their cores.
#include <algorithm>

#include "contact/feature_key.h"
#include "contact/pair_context.h"
#include "contact/separation.h"

namespace carom {

namespace {

// Corners and outlines coincide within this share of the smaller shape; of a rounded one within the second share of
// its radius, where a shift sideways by d changes a gap by d^2/(2 r) only.
constexpr double kCoincide = 1e-7, kCoincideRounded = 1e-3;
// Features further off than this share of the size are not looked for.
constexpr double kDeepReach = 1e-3;
constexpr double kNoise = 1e-9;

// A vertex of a core that is extreme along the normal: of the face or the edge found, or the vertex itself.
std::uint32_t extreme_vertex(const ConvexCore& core, Separation::Kind kind, Separation::Kind own_face,
                             std::uint32_t feature) {
  if (kind == own_face) return core.topology->face_vertices[feature][0];
  return kind == Separation::Kind::Edges ? core.edges()[feature].start : feature;
}

}  // namespace

void push_manifold(const PairContext& pair, Manifold& manifold, const Vec3& normal, double separation, double radius_a,
                   double radius_b, const Pose& frame) {
  const auto points = std::span(manifold.point).first(static_cast<std::size_t>(manifold.count));
  std::sort(points.begin(), points.end(),
            [](const ManifoldPoint& p, const ManifoldPoint& q) { return p.feature < q.feature; });
  const Vec3 world_normal = frame.rotation * normal;
  const double rounding = radius_a + radius_b;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const ManifoldPoint& p = points[k];
    if (k > 0 && p.feature == points[k - 1].feature) continue;
    // midway between the surfaces: on_a - r_a n and on_b + r_b n
    const Vec3 middle = 0.5 * (p.on_a + p.on_b) + 0.5 * (radius_b - radius_a) * normal;
    pair.push(First::A, frame.to_world(middle), world_normal, std::max(p.gap, separation) - rounding, p.feature);
  }
}

void collide_cores(const PairContext& pair, const ConvexCore& a, const Pose& pose_a, const ConvexCore& b,
                   const Pose& pose_b) {
  const RelativeFrame a_in_b = RelativeFrame::of(pose_a, pose_b);
  if (!a_in_b.finite()) return;
  static const RelativeFrame here{Mat3::Identity(), Vec3::Zero()};
  const double limit = pair.margin + a.radius + b.radius;
  const Separation s = separate(a, b, a_in_b, limit);
  if (s.kind == Separation::Kind::Beyond) return;

  const double size = std::min(a.outer_radius + a.radius, b.outer_radius + b.radius);
  const double reach = std::clamp(limit - s.distance, kNoise * size, kDeepReach * size);
  thread_local FeaturePolygon polygon_a, polygon_b;
  const std::uint32_t extreme_a = extreme_vertex(a, s.kind, Separation::Kind::FaceA, s.feature_a);
  const std::uint32_t extreme_b = extreme_vertex(b, s.kind, Separation::Kind::FaceB, s.feature_b);
  facing_feature(a, extreme_a, a_in_b.direction_to_a(-s.normal), reach, a_in_b, polygon_a);
  facing_feature(b, extreme_b, s.normal, reach, here, polygon_b);

  thread_local Manifold manifold;
  manifold.clear();
  const double tolerance = std::max(kCoincide * size, kCoincideRounded * std::min(a.radius, b.radius));
  intersect_features(polygon_a, polygon_b, s.normal, tolerance, limit, manifold);
  // The nearest, or deepest, points must be among them.
  const auto points = std::span(manifold.point).first(static_cast<std::size_t>(manifold.count));
  const bool found = std::any_of(points.begin(), points.end(),
                                 [&](const ManifoldPoint& p) { return p.gap <= s.distance + kNoise * size; });
  if (!found) manifold.add({feature_key(0, extreme_a, extreme_b), s.distance, s.on_a, s.on_b});
  push_manifold(pair, manifold, s.normal, s.distance, a.radius, b.radius, pose_b);
}

}  // namespace carom
