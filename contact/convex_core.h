// Convex cores: every bounded solid is a polyhedron, a segment or a point, grown by a rounding radius. Two solids grown
// by r_a and r_b have the gap of their cores less r_a + r_b along the same normal, whether they are apart or overlap,
// so that the narrow phase works on cores alone.
#pragma once

#include <array>

#include "contact/polyhedron.h"
#include "contact/shape.h"

namespace carom {

inline constexpr std::uint32_t kNoFace = ~std::uint32_t{0};  // on both sides of the edge of a segment

// A view: vertices and planes of this shape over a topology that many may share.
struct ConvexCore {
  const Polyhedron* topology = nullptr;  // loops, edges, faces around vertices
  std::span<const Vec3> vertices;
  std::span<const FacePlane> planes;  // none for a segment or a point
  std::span<const Vec3> directions;   // of edges, unit
  // The same numbers by columns, for loops that run over all: x of every vertex, then y, then z, each column padded
  // with its last entry to a multiple of 4; x, y, z of every normal, then the offsets.
  const double* vertex_columns = nullptr;
  const double* plane_columns = nullptr;
  Vec3 centre = Vec3::Zero();  // a point inside
  double inner_radius = 0;     // the ball about it that fits in
  double outer_radius = 0;     // the ball about it that holds the core
  double radius = 0;           // rounding

  std::span<const PolyhedronEdge> edges() const { return topology->edges; }
};

inline std::size_t padded(std::size_t count) { return (count + 3) / 4 * 4; }

inline void fill_vertex_columns(std::span<const Vec3> vertices, double* columns) {
  const std::size_t rows = padded(vertices.size());
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < rows; ++i)
      columns[k * rows + i] = vertices[std::min(i, vertices.size() - 1)][static_cast<int>(k)];
}
inline void fill_plane_columns(std::span<const FacePlane> planes, double* columns) {
  for (std::size_t f = 0; f < planes.size(); ++f) {
    for (std::size_t k = 0; k < 3; ++k) columns[k * planes.size() + f] = planes[f].normal[static_cast<int>(k)];
    columns[3 * planes.size() + f] = planes[f].offset;
  }
}

// Where cores of shapes without stored vertices are put.
struct CoreStorage {
  std::array<Vec3, 8> vertices;
  std::array<FacePlane, 6> planes;
  std::array<Vec3, 3> directions;
  std::array<double, 24> vertex_columns;
  std::array<double, 24> plane_columns;
};

// Sphere, Box, Capsule, Hull. Vertex i of a box has the positive half extent of axis k where bit k of i is set; its
// face 2 k + 1 looks along +k, face 2 k along -k. Vertex 1 of a capsule is the upper end.
ConvexCore core_of(const Shape& shape, CoreStorage& storage);

// The cube |x| <= 1 with that numbering.
const Polyhedron& unit_box();

// A triangle as a core with two faces: 0 with the given unit normal, 1 with its opposite. Edge k goes from corner k to
// the next.
ConvexCore triangle_core(std::span<const Vec3> corners, const Vec3& normal, CoreStorage& storage);

// x_b = rotation x_a + shift: the frame of one shape seen from that of another, positions subtracted first so that a
// far origin costs no digits.
struct RelativeFrame {
  Mat3 rotation;
  Vec3 shift;

  static RelativeFrame of(const Pose& a, const Pose& b) {
    const Quat to_b = b.rotation.conjugate();
    return {(to_b * a.rotation).toRotationMatrix(), to_b * (a.position - b.position)};
  }
  // Times zero, infinities and NaN are NaN.
  bool finite() const { return 0.0 * (rotation.sum() + shift.sum()) == 0.0; }
  Vec3 point(const Vec3& x) const { return rotation * x + shift; }
  Vec3 to_a(const Vec3& x) const { return rotation.transpose() * (x - shift); }
  Vec3 direction_to_a(const Vec3& d) const { return rotation.transpose() * d; }
};

// The vertex with the least d . x, the first of equals, and that value.
struct LowestVertex {
  std::uint32_t index = 0;
  double height = 0;
};
inline LowestVertex lowest_vertex(std::span<const Vec3> vertices, const Vec3& d) {
  const double x = d.x(), y = d.y(), z = d.z();
  const double* v = vertices.data()->data();
  LowestVertex best{0, x * v[0] + y * v[1] + z * v[2]};
  for (std::uint32_t i = 1; i < vertices.size(); ++i) {
    v += 3;
    const double height = x * v[0] + y * v[1] + z * v[2];
    if (height < best.height) best = {i, height};
  }
  return best;
}

// The least d . x alone, several vertices at a time.
inline double lowest_height(const ConvexCore& core, const Vec3& d) {
  const auto rows = static_cast<Eigen::Index>(padded(core.vertices.size()));
  const auto column = [&](Eigen::Index k) {
    return Eigen::Map<const Eigen::ArrayXd>(core.vertex_columns + k * rows, rows);
  };
  return (d.x() * column(0) + d.y() * column(1) + d.z() * column(2)).minCoeff();
}

}  // namespace carom
