#include "contact/convex_core.h"

#include <fmt/format.h>

#include "base/error.h"

namespace carom {

namespace {

Polyhedron make_unit_box() {
  std::vector<Vec3> vertices;
  for (int i = 0; i < 8; ++i)
    vertices.emplace_back((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1);
  IndexLists loops;
  const std::uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                     {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& face : faces) {
    loops.items.insert(loops.items.end(), face, face + 4);
    loops.close();
  }
  return assemble_polyhedron(std::move(vertices), loops);
}

// A segment (two vertices, one edge) or, without the edge, a point.
Polyhedron make_segment(bool with_edge) {
  Polyhedron p;
  if (with_edge) {
    p.edges.push_back({0, 1, kNoFace, kNoFace});
    p.edge_direction.push_back(Vec3::UnitZ());
    p.edge_spread.push_back(std::numeric_limits<double>::infinity());
    p.vertex_faces.close();
  }
  p.vertex_faces.close();
  return p;
}

Polyhedron make_triangle() {
  Polyhedron p;
  p.face_vertices.items = {0, 1, 2, 0, 2, 1};
  p.face_edges.items = {0, 1, 2, 2, 1, 0};
  p.face_vertices.begin = p.face_edges.begin = {0, 3, 6};
  p.edges = {{0, 1, 0, 1}, {1, 2, 0, 1}, {2, 0, 0, 1}};
  p.largest_spread = std::numeric_limits<double>::infinity();
  p.edge_spread.assign(3, p.largest_spread);
  p.vertex_faces.items = {0, 1, 0, 1, 0, 1};
  p.vertex_faces.begin = {0, 2, 4, 6};
  return p;
}

void add_columns(CoreStorage& storage, ConvexCore& core) {
  fill_vertex_columns(core.vertices, storage.vertex_columns.data());
  fill_plane_columns(core.planes, storage.plane_columns.data());
  core.vertex_columns = storage.vertex_columns.data();
  core.plane_columns = storage.plane_columns.data();
}

}  // namespace

const Polyhedron& unit_box() {
  static const Polyhedron box = make_unit_box();
  return box;
}

ConvexCore core_of(const Shape& shape, CoreStorage& storage) {
  static const Polyhedron segment = make_segment(true), point = make_segment(false);
  ConvexCore core;
  switch (shape.kind) {
    case ShapeKind::Box:
      for (std::size_t i = 0; i < 8; ++i) storage.vertices[i] = unit_box().vertices[i].cwiseProduct(shape.half_extents);
      for (std::size_t f = 0; f < 6; ++f)
        storage.planes[f] = {unit_box().planes[f].normal, shape.half_extents[static_cast<int>(f / 2)]};
      core.topology = &unit_box();
      core.vertices = storage.vertices;
      core.planes = storage.planes;
      core.directions = core.topology->edge_direction;
      add_columns(storage, core);
      core.inner_radius = shape.half_extents.minCoeff();
      core.outer_radius = shape.half_extents.norm();
      return core;
    case ShapeKind::Hull: {
      const Polyhedron& hull = shape.polyhedron();
      core.topology = &hull;
      core.vertices = hull.vertices;
      core.planes = hull.planes;
      core.directions = hull.edge_direction;
      core.vertex_columns = hull.vertex_columns.data();
      core.plane_columns = hull.plane_columns.data();
      core.centre = hull.centroid;
      core.inner_radius = hull.inner_radius;
      core.outer_radius = hull.outer_radius;
      return core;
    }
    case ShapeKind::Capsule:
      storage.vertices[0] = Vec3(0, 0, -shape.half_length());
      storage.vertices[1] = Vec3(0, 0, shape.half_length());
      core.topology = &segment;
      core.directions = segment.edge_direction;
      core.vertices = std::span<const Vec3>(storage.vertices).first(2);
      add_columns(storage, core);
      core.outer_radius = shape.half_length();
      core.radius = shape.radius;
      return core;
    case ShapeKind::Sphere:
      storage.vertices[0] = Vec3::Zero();
      core.topology = &point;
      core.vertices = std::span<const Vec3>(storage.vertices).first(1);
      add_columns(storage, core);
      core.radius = shape.radius;
      return core;
    default:
      throw InputError(
          fmt::format("contact of a {} with solids other than spheres is not available", name_of(shape.kind)));
  }
}

ConvexCore triangle_core(std::span<const Vec3> corners, const Vec3& normal, CoreStorage& storage) {
  static const Polyhedron triangle = make_triangle();
  ConvexCore core;
  for (std::size_t k = 0; k < 3; ++k) {
    storage.vertices[k] = corners[k];
    storage.directions[k] = (corners[(k + 1) % 3] - corners[k]).normalized();
  }
  storage.planes[0] = {normal, normal.dot(corners[0])};
  storage.planes[1] = {-normal, -storage.planes[0].offset};
  core.topology = &triangle;
  core.vertices = std::span<const Vec3>(storage.vertices).first(3);
  core.planes = std::span<const FacePlane>(storage.planes).first(2);
  core.directions = storage.directions;
  add_columns(storage, core);
  core.centre = (corners[0] + corners[1] + corners[2]) / 3;
  for (const Vec3& corner : corners) core.outer_radius = std::max(core.outer_radius, (corner - core.centre).norm());
  return core;
}

}  // namespace carom
