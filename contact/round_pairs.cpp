// Contacts of cylinders and cones with other solids.
#include <algorithm>
#include <cmath>

#include "contact/feature_key.h"
#include "contact/pair_context.h"
#include "contact/round_manifold.h"
#include "contact/round_separation.h"

namespace carom {

namespace {

// As for polyhedra: see contact/convex_pairs.cpp.
constexpr double kCoincide = 1e-7, kCoincideRounded = 1e-3;
constexpr double kDeepReach = 1e-3, kNoise = 1e-9;

bool holds_nearest(const Manifold& manifold, double separation, double noise) {
  const auto points = std::span(manifold.point).first(static_cast<std::size_t>(manifold.count));
  return std::any_of(points.begin(), points.end(), [&](const ManifoldPoint& p) { return p.gap <= separation + noise; });
}

// The manifold has the solid called first as a, with normal -d out of the other; in the frame of the first.
void push_first(const PairContext& pair, First first, Manifold& manifold, const Vec3& d, double separation,
                double other_radius, const Pose& frame) {
  if (first == First::A) return push_manifold(pair, manifold, -d, separation, 0, other_radius, frame);
  for (ManifoldPoint& p : std::span(manifold.point).first(static_cast<std::size_t>(manifold.count))) {
    p.feature = mirrored_feature(p.feature);
    std::swap(p.on_a, p.on_b);
  }
  push_manifold(pair, manifold, d, separation, other_radius, 0, frame);
}

void move(FeaturePolygon& polygon, const RelativeFrame& frame) {
  for (int k = 0; k < polygon.count; ++k) {
    Vec3& x = polygon.corner[static_cast<std::size_t>(k)];
    x = frame.point(x);
  }
}

}  // namespace

void collide_round_core(const PairContext& pair, First first, const RoundSolid& round, const Pose& pose,
                        const ConvexCore& core, const Pose& core_pose) {
  const RelativeFrame core_in_round = RelativeFrame::of(core_pose, pose);
  if (!core_in_round.finite()) return;
  thread_local PlacedCore placed;
  placed.place(core, core_in_round);
  const double limit = pair.margin + core.radius;
  const RoundSeparation s = separate(round, placed, limit);
  if (s.beyond) return;
  const Vec3& d = s.direction;

  const double size = std::min(round.size(), core.outer_radius + core.radius);
  const double reach = std::clamp(limit - s.distance, kNoise * size, kDeepReach * size);
  const std::uint32_t extreme = lowest_vertex(placed.vertex, d).index;
  thread_local FeaturePolygon polygon;
  thread_local RoundFeature feature;
  thread_local Manifold manifold;
  facing_feature(core, extreme, core_in_round.direction_to_a(-d), reach, core_in_round, polygon);
  facing_feature(round, d, feature);
  manifold.clear();
  const bool side = feature.polygon.count == 2;
  const double tolerance =
      std::max(kCoincide * size, side ? kCoincideRounded * std::min(round.radius, core.radius) : 0.0);
  if (feature.cap)
    intersect_cap({&round, feature.rim, d}, polygon, tolerance, limit, manifold);
  else
    intersect_features(feature.polygon, polygon, -d, tolerance, limit, manifold);
  if (!holds_nearest(manifold, s.distance, kNoise * size)) {
    // A lone point of the rim, or else the corner of the core.
    const bool lone = feature.polygon.count == 1;
    const Vec3 on_round = lone ? feature.polygon.corner[0] : Vec3(placed.vertex[extreme] - s.distance * d);
    manifold.add({feature_key(0, lone ? feature.polygon.vertex[0] : 0, lone ? 0 : extreme), s.distance, on_round,
                  on_round + s.distance * d});
  }
  push_first(pair, first, manifold, d, s.distance, core.radius, pose);
}

void collide_rounds(const PairContext& pair, const RoundSolid& a, const Pose& pose_a, const RoundSolid& b,
                    const Pose& pose_b) {
  const RelativeFrame b_in_a = RelativeFrame::of(pose_b, pose_a);
  if (!b_in_a.finite()) return;
  const RoundSeparation s = separate(a, b, b_in_a, pair.margin);
  if (s.beyond) return;
  const Vec3 &d = s.direction, out_of_b = b_in_a.direction_to_a(-d);
  const double size = std::min(a.size(), b.size());
  thread_local RoundFeature feature_a, feature_b;
  thread_local Manifold manifold;
  facing_feature(a, d, feature_a);
  facing_feature(b, out_of_b, feature_b);
  manifold.clear();
  const bool sides = feature_a.polygon.count == 2 && feature_b.polygon.count == 2;
  const double tolerance = std::max(kCoincide * size, sides ? kCoincideRounded * std::min(a.radius, b.radius) : 0.0);
  if (feature_b.cap && !feature_a.cap) {
    // In the frame of b, whose cap comes first.
    move(feature_a.polygon, RelativeFrame::of(pose_a, pose_b));
    intersect_cap({&b, feature_b.rim, out_of_b}, feature_a.polygon, tolerance, pair.margin, manifold);
    if (holds_nearest(manifold, s.distance, kNoise * size))
      return push_first(pair, First::B, manifold, out_of_b, s.distance, 0, pose_b);
    manifold.clear();
  } else if (feature_a.cap && feature_b.cap) {
    intersect_caps({&a, feature_a.rim, d}, b, feature_b.rim, b_in_a, tolerance, pair.margin, manifold);
  } else {
    move(feature_b.polygon, b_in_a);
    if (feature_a.cap)
      intersect_cap({&a, feature_a.rim, d}, feature_b.polygon, tolerance, pair.margin, manifold);
    else
      intersect_features(feature_a.polygon, feature_b.polygon, -d, tolerance, pair.margin, manifold);
  }
  if (!holds_nearest(manifold, s.distance, kNoise * size)) {
    // The one that shows a lone point knows where it is.
    const bool lone_b = feature_b.polygon.count == 1;
    const Vec3 on_a = lone_b ? Vec3(b_in_a.point(b.support(out_of_b)) - s.distance * d) : a.support(d);
    manifold.add({feature_key(0, 0, 0), s.distance, on_a, on_a + s.distance * d});
  }
  push_first(pair, First::A, manifold, d, s.distance, 0, pose_a);
}

}  // namespace carom
