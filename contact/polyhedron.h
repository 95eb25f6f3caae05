// A convex polyhedron: immutable once built, shared by all colliders of the same form.
//
// Faces are polygons (coplanar points are merged), wound counter-clockwise seen from outside. Every vertex is a corner
// of at least three faces, every edge is shared by exactly two, and V - E + F = 2.
#pragma once

#include <memory>

#include "base/types.h"

namespace carom {

// Half-space normal . x <= offset; normal is unit and points out of the solid.
struct FacePlane {
  Vec3 normal;
  double offset = 0;
};

// Face `left` runs from start to end, face `right` from end to start, so that the direction of the edge is that of
// normal_left x normal_right.
struct PolyhedronEdge {
  std::uint32_t start = 0, end = 0;
  std::uint32_t left = 0, right = 0;
};

// Lists of different lengths in one array: list i is items[begin[i]] to items[begin[i + 1]].
struct IndexLists {
  std::vector<std::uint32_t> begin = {0};
  std::vector<std::uint32_t> items;

  std::size_t size() const { return begin.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t i) const {
    return std::span(items).subspan(begin[i], begin[i + 1] - begin[i]);
  }
  void close() { begin.push_back(static_cast<std::uint32_t>(items.size())); }
};

struct Polyhedron {
  std::vector<Vec3> vertices;
  std::vector<FacePlane> planes;      // one per face
  IndexLists face_vertices;           // loop of each face
  IndexLists face_edges;              // edge k of a face goes from its vertex k to the next
  std::vector<PolyhedronEdge> edges;  // sorted by (start, end); start < end
  IndexLists vertex_faces;            // faces around each vertex
  std::vector<Vec3> edge_direction;   // unit, from start to end
  std::vector<double> edge_spread;    // 1 / cos(half the angle between the normals of the edge's two faces)
  double largest_spread = 1;
  std::vector<double> vertex_columns;  // see ConvexCore
  std::vector<double> plane_columns;
  Vec3 centroid = Vec3::Zero();  // of the solid
  double inner_radius = 0;       // of the ball about the centroid that fits in
  double outer_radius = 0;       // of the ball about the centroid that holds all
  double bounding_radius = 0;    // of the ball about the local origin that holds all
};

// The cost of a pair grows with the edges of its shapes: more than this serve nobody.
inline constexpr std::size_t kMaxPolyhedronEdges = 32767;

// The convex hull of points: at least four that are not in one plane. Points that lie inside, or in a face or an edge
// of others within 1e-9 of the whole's size, are left out. Throws InputError when a point is not finite, when the
// points are fewer than four or flat (thinner than 1e-7 of their extent), or when the hull has too many edges.
std::shared_ptr<const Polyhedron> convex_hull(std::span<const Vec3> points);

// A polyhedron from vertices and closed loops of vertex numbers that are known to bound a convex solid; computes
// planes, edges, centroid and radii. Our own callers only: the loops are not checked against bad input.
Polyhedron assemble_polyhedron(std::vector<Vec3> vertices, const IndexLists& loops);

}  // namespace carom
