#include "io/shape_surface.h"

#include <cmath>
#include <numbers>

#include "contact/height_field.h"
#include "contact/polyhedron.h"
#include "contact/triangle_mesh.h"

namespace carom {

namespace {

using Index = std::uint32_t;

Surface of_polyhedron(const Polyhedron& solid) {
  Surface surface{solid.vertices, {}};
  for (std::size_t f = 0; f < solid.planes.size(); ++f) {
    const auto loop = solid.face_vertices[f];
    for (std::size_t k = 2; k < loop.size(); ++k) surface.triangles.push_back({loop[0], loop[k - 1], loop[k]});
  }
  return surface;
}

Surface of_box(const Vec3& half) {
  Surface surface;
  for (Index k = 0; k < 8; ++k)
    surface.points.emplace_back((k & 1 ? 1 : -1) * half.x(), (k & 2 ? 1 : -1) * half.y(), (k & 4 ? 1 : -1) * half.z());
  for (const std::array<Index, 4>& face : {std::array<Index, 4>{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3},
                                           {0, 2, 3, 1}, {4, 5, 7, 6}}) {
    surface.triangles.push_back({face[0], face[1], face[2]});
    surface.triangles.push_back({face[0], face[2], face[3]});
  }
  return surface;
}

// A solid of revolution about z: rings from the lowest up, (radius, z) each; the first and the last close it, as points
// where their radius is 0, else as flat ends.
Surface revolved(const std::vector<Vec2>& profile, int sides) {
  Surface surface;
  const auto n = static_cast<Index>(sides);
  std::vector<Index> first, size;
  for (const Vec2& ring : profile) {
    first.push_back(static_cast<Index>(surface.points.size()));
    size.push_back(ring[0] > 0 ? n : 1);
    for (Index k = 0; k < size.back(); ++k) {
      const double angle = 2 * std::numbers::pi * k / sides;
      surface.points.emplace_back(ring[0] * std::cos(angle), ring[0] * std::sin(angle), ring[1]);
    }
  }
  for (std::size_t i = 0; i + 1 < profile.size(); ++i)
    for (Index k = 0; k < n; ++k) {
      const auto at = [&](std::size_t ring, Index turn) { return first[ring] + turn % n % size[ring]; };
      const Index a = at(i, k), b = at(i, k + 1), c = at(i + 1, k + 1), d = at(i + 1, k);
      if (a != b) surface.triangles.push_back({a, b, c});
      if (c != d) surface.triangles.push_back({a, c, d});
    }
  const auto end = [&](std::size_t ring, bool up) {
    if (size[ring] == 1) return;
    for (Index k = 2; k < n; ++k)
      surface.triangles.push_back({first[ring], first[ring] + (up ? k - 1 : k), first[ring] + (up ? k : k - 1)});
  };
  end(0, false);
  end(profile.size() - 1, true);
  return surface;
}

// Two half balls of `radius`, `half` above and below the middle.
Surface of_capsule(double radius, double half, int sides) {
  std::vector<Vec2> profile;
  const int quarter = std::max(2, sides / 4);
  for (const int side : {-1, 1})
    for (int k = side < 0 ? -quarter : 0; k <= (side < 0 ? 0 : quarter); ++k) {
      const double angle = 0.5 * std::numbers::pi * k / quarter;
      const bool pole = std::abs(k) == quarter;
      if (half == 0 && side > 0 && k == 0) continue;  // a ball has one equator
      profile.emplace_back(pole ? 0 : radius * std::cos(angle), side * half + radius * std::sin(angle));
    }
  return revolved(profile, sides);
}

Surface of_terrain(const HeightField& field, Index stride) {
  Surface surface;
  // Every stride-th sample, and the last.
  const auto samples = [&](Index count) {
    std::vector<Index> list;
    for (Index i = 0; i + 1 < count; i += stride) list.push_back(i);
    list.push_back(count - 1);
    return list;
  };
  const std::vector<Index> columns = samples(field.columns), rows = samples(field.rows);
  const auto width = static_cast<Index>(columns.size());
  std::vector<Index> number(columns.size() * rows.size(), ~Index{0});
  for (std::size_t j = 0; j < rows.size(); ++j)
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (!std::isnan(field.height(columns[i], rows[j]))) {
        number[j * width + i] = static_cast<Index>(surface.points.size());
        surface.points.push_back(field.sample(columns[i], rows[j]));
      }
  const auto add = [&](Index a, Index b, Index c) {
    if (a != ~Index{0} && b != ~Index{0} && c != ~Index{0}) surface.triangles.push_back({a, b, c});
  };
  for (std::size_t j = 0; j + 1 < rows.size(); ++j)
    for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
      const Index a = number[j * width + i], b = number[j * width + i + 1];
      const Index c = number[(j + 1) * width + i + 1], d = number[(j + 1) * width + i];
      if (a == ~Index{0} || b == ~Index{0} || c == ~Index{0} || d == ~Index{0}) continue;  // no surface there
      add(a, b, c);
      add(a, c, d);
    }
  return surface;
}

}  // namespace

Surface surface_of(const Shape& shape, int sides, std::uint32_t stride) {
  const double r = shape.radius, half = shape.half_length();
  switch (shape.kind) {
    case ShapeKind::Sphere:
      return of_capsule(r, 0, sides);
    case ShapeKind::Box:
      return of_box(shape.half_extents);
    case ShapeKind::Capsule:
      return of_capsule(r, half, sides);
    case ShapeKind::Cylinder:
    case ShapeKind::Disk:
      return revolved({{r, -half}, {r, half}}, sides);
    case ShapeKind::Cone:
      return revolved({{r, -0.5 * half}, {0, 1.5 * half}}, sides);
    case ShapeKind::Hull:
    case ShapeKind::Polygon:
      return of_polyhedron(shape.polyhedron());
    case ShapeKind::Mesh:
      if (!shape.data) return {};
      return {shape.triangle_mesh().vertices, shape.triangle_mesh().triangles};
    case ShapeKind::HeightField:
      if (!shape.data) return {};
      return of_terrain(shape.terrain(), stride);
    case ShapeKind::HalfSpace:
    case ShapeKind::Plane:
      break;
  }
  return {};
}

std::uint32_t terrain_stride(const Shape& terrain, double most) {
  if (!terrain.data) return 1;
  const HeightField& field = terrain.terrain();
  const double samples = double(field.columns) * double(field.rows);
  return samples <= most ? 1 : static_cast<std::uint32_t>(std::ceil(std::sqrt(samples / most)));
}

}  // namespace carom
