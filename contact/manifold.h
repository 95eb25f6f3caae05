// Contact manifolds: the corners of the region in which two facing features overlap when seen along the normal.
//
// A feature is a face, an edge or a vertex, as a polygon of three and more, two or one corners. The overlap of two
// convex polygons has three kinds of corners: a corner of a over b, a corner of b over a, and a crossing of two edges.
// Which of the two shapes gave the normal does not matter to them, so that neither contacts nor their keys change when
// both faces fit equally well. A corner that lies on the other's outline within a tolerance counts as over it, and of
// two corners that coincide that of a is taken: blocks stacked flush keep their keys in the noise.
#pragma once

#include "contact/convex_core.h"

namespace carom {

inline constexpr int kMaxCorners = 64;  // of a feature; a face with more is thinned out evenly

struct FeaturePolygon {
  int count = 0;
  std::array<Vec3, kMaxCorners> corner;           // counter-clockwise from outside
  std::array<std::uint32_t, kMaxCorners> vertex;  // number of each corner
  std::array<std::uint32_t, kMaxCorners> edge;    // number of the edge from each corner to the next
  FacePlane plane;                                // of three corners and more

  void add(const Vec3& x, std::uint32_t vertex_number, std::uint32_t edge_number) {
    const auto k = static_cast<std::size_t>(count++);
    corner[k] = x;
    vertex[k] = vertex_number;
    edge[k] = edge_number;
  }
};

struct ManifoldPoint {
  std::uint64_t feature;
  double gap;  // between the cores along the normal
  Vec3 on_a, on_b;
};

struct Manifold {
  int count = 0;
  std::array<ManifoldPoint, 2 * kMaxCorners> point;

  void clear() { count = 0; }
  void add(const ManifoldPoint& p) {
    if (count < static_cast<int>(point.size())) point[static_cast<std::size_t>(count++)] = p;
  }
};

// Points of the overlap whose gap is at most `limit`. `normal` is unit and points from b to a; `tolerance` is the
// distance (m) within which corners and outlines coincide. Everything is in one frame.
void intersect_features(const FeaturePolygon& a, const FeaturePolygon& b, const Vec3& normal, double tolerance,
                        double limit, Manifold& out);

// The face, edge or vertex around the vertex `extreme` of a core, the farthest along `direction`, with the most corners
// within `reach` of it along that direction; in the frame that `to_frame` maps the core's own to.
void facing_feature(const ConvexCore& core, std::uint32_t extreme, const Vec3& direction, double reach,
                    const RelativeFrame& to_frame, FeaturePolygon& out);

}  // namespace carom
