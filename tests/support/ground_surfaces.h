// Surfaces and bodies that tests of meshes and terrain share.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "base/random.h"
#include "contact/height_field.h"
#include "contact/polyhedron.h"
#include "contact/triangle_mesh.h"

namespace carom::ground {

// A grid of samples z = height(x, y) with corners at (x0, y0); columns x rows samples.
inline std::shared_ptr<const HeightField> field(std::uint32_t columns, std::uint32_t rows, double spacing,
                                                const std::function<double(double, double)>& height) {
  std::vector<double> heights;
  heights.reserve(std::size_t{columns} * rows);
  for (std::uint32_t j = 0; j < rows; ++j)
    for (std::uint32_t i = 0; i < columns; ++i) heights.push_back(height(i * spacing, j * spacing));
  return make_height_field(columns, rows, spacing, spacing, std::move(heights));
}

// Heights drawn at random, up to `relief`.
inline std::shared_ptr<const HeightField> rough_field(std::uint32_t columns, std::uint32_t rows, double spacing,
                                                      double relief, RandomStream& random) {
  return field(columns, rows, spacing, [&](double, double) { return random.uniform(0, relief); });
}

// The square |x|, |y| <= half of the plane z = 0, cut into triangles with corners at uneven places; facing +z.
inline std::shared_ptr<const TriangleMesh> plane_mesh(int cells, double half, RandomStream& random) {
  std::vector<Vec3> vertices;
  std::vector<TriangleCorners> triangles;
  const double spacing = 2 * half / cells;
  for (int j = 0; j <= cells; ++j)
    for (int i = 0; i <= cells; ++i) {
      const bool inner = i > 0 && j > 0 && i < cells && j < cells;
      const double dx = inner ? random.uniform(-0.2, 0.2) : 0, dy = inner ? random.uniform(-0.2, 0.2) : 0;
      vertices.emplace_back(-half + (i + dx) * spacing, -half + (j + dy) * spacing, 0);
    }
  for (int j = 0; j < cells; ++j)
    for (int i = 0; i < cells; ++i) {
      const auto a = static_cast<std::uint32_t>(j * (cells + 1) + i), b = a + 1;
      const auto c = b + static_cast<std::uint32_t>(cells + 1), d = c - 1;
      if (random.uniform() < 0.5) {
        triangles.push_back({a, b, c});
        triangles.push_back({a, c, d});
      } else {
        triangles.push_back({a, b, d});
        triangles.push_back({b, c, d});
      }
    }
  return make_triangle_mesh(std::move(vertices), std::move(triangles));
}

// The surface of a convex polyhedron, faces cut into fans.
inline std::shared_ptr<const TriangleMesh> mesh_of(const Polyhedron& polyhedron) {
  std::vector<TriangleCorners> triangles;
  for (std::size_t f = 0; f < polyhedron.planes.size(); ++f) {
    const auto loop = polyhedron.face_vertices[f];
    for (std::size_t k = 1; k + 1 < loop.size(); ++k) triangles.push_back({loop[0], loop[k], loop[k + 1]});
  }
  return make_triangle_mesh(polyhedron.vertices, std::move(triangles));
}

// The hull of points on an ellipsoid with the given half axes.
inline Shape random_hull(RandomStream& random, std::size_t points, const Vec3& half_axes) {
  std::vector<Vec3> cloud;
  for (std::size_t k = 0; k < points; ++k) cloud.push_back(random.direction().cwiseProduct(half_axes));
  return Shape::hull(cloud);
}

// One of every kind of solid, about `size` large: 0 sphere, 1 box, 2 capsule, 3 cylinder, 4 cone, 5 hull.
inline constexpr int kSolids = 6;
inline Shape solid(int which, double size, RandomStream& random) {
  const auto length = [&] { return size * random.uniform(0.4, 1.0); };
  switch (which % kSolids) {
    case 0:
      return Shape::sphere(length());
    case 1:
      return Shape::box(Vec3(length(), length(), length()));
    case 2:
      return Shape::capsule(0.5 * length(), length());
    case 3:
      return Shape::cylinder(length(), length());
    case 4:
      return Shape::cone(length(), length());
    default:
      return random_hull(random, 12, Vec3(length(), length(), length()));
  }
}

}  // namespace carom::ground
