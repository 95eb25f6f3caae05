#include "contact/polyhedron.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "contact/convex_core.h"

namespace carom {

namespace {

// Newell's normal: the area vector of a polygon, twice. Exact for planar loops, a mean for nearly planar ones.
FacePlane plane_of(std::span<const Vec3> vertices, std::span<const std::uint32_t> loop) {
  const Vec3& origin = vertices[loop[0]];
  Vec3 area = Vec3::Zero();
  for (std::size_t k = 1; k + 1 < loop.size(); ++k)
    area += (vertices[loop[k]] - origin).cross(vertices[loop[k + 1]] - origin);
  FacePlane plane{area.normalized(), 0};
  plane.offset = plane.normal.dot(origin);
  for (const std::uint32_t v : loop) plane.offset = std::max(plane.offset, plane.normal.dot(vertices[v]));
  return plane;
}

struct HalfEdge {
  std::uint32_t low, high;  // vertex numbers, low < high
  bool forward;             // the face runs low -> high
  std::uint32_t face;
  std::uint32_t place;  // in face_edges.items
};

void link_edges(Polyhedron& p) {
  std::vector<HalfEdge> halves;
  for (std::uint32_t f = 0; f < p.face_vertices.size(); ++f) {
    const auto loop = p.face_vertices[f];
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const std::uint32_t from = loop[k], to = loop[(k + 1) % loop.size()];
      const auto place = p.face_vertices.begin[f] + static_cast<std::uint32_t>(k);
      halves.push_back({std::min(from, to), std::max(from, to), from < to, f, place});
    }
  }
  std::sort(halves.begin(), halves.end(), [](const HalfEdge& x, const HalfEdge& y) {
    if (x.low != y.low) return x.low < y.low;
    return x.high != y.high ? x.high < y.high : x.forward > y.forward;
  });
  CAROM_CHECK(halves.size() % 2 == 0, "every edge of a polyhedron has two faces");
  p.face_edges.begin = p.face_vertices.begin;
  p.face_edges.items.resize(p.face_vertices.items.size());
  for (std::size_t i = 0; i < halves.size(); i += 2) {
    const HalfEdge &left = halves[i], &right = halves[i + 1];
    CAROM_CHECK(left.low == right.low && left.high == right.high && left.forward && !right.forward,
                "every edge of a polyhedron is run once in each direction");
    p.face_edges.items[left.place] = p.face_edges.items[right.place] = static_cast<std::uint32_t>(p.edges.size());
    p.edges.push_back({left.low, left.high, left.face, right.face});
    // cos(half angle)^2 = (1 + cos angle)/2
    const double cosine = p.planes[left.face].normal.dot(p.planes[right.face].normal);
    p.edge_spread.push_back(1.0 / std::sqrt(std::max(1e-300, 0.5 * (1.0 + cosine))));
    p.largest_spread = std::max(p.largest_spread, p.edge_spread.back());
    p.edge_direction.push_back((p.vertices[left.high] - p.vertices[left.low]).normalized());
  }
}

void list_vertex_faces(Polyhedron& p) {
  std::vector<std::vector<std::uint32_t>> around(p.vertices.size());
  for (std::uint32_t f = 0; f < p.face_vertices.size(); ++f)
    for (const std::uint32_t v : p.face_vertices[f]) around[v].push_back(f);
  for (const auto& faces : around) {
    p.vertex_faces.items.insert(p.vertex_faces.items.end(), faces.begin(), faces.end());
    p.vertex_faces.close();
  }
}

}  // namespace

Polyhedron assemble_polyhedron(std::vector<Vec3> vertices, const IndexLists& loops) {
  Polyhedron p;
  p.vertices = std::move(vertices);
  p.face_vertices = loops;
  for (std::size_t f = 0; f < loops.size(); ++f) p.planes.push_back(plane_of(p.vertices, loops[f]));
  link_edges(p);
  list_vertex_faces(p);
  p.vertex_columns.resize(3 * padded(p.vertices.size()));
  p.plane_columns.resize(4 * p.planes.size());
  fill_vertex_columns(p.vertices, p.vertex_columns.data());
  fill_plane_columns(p.planes, p.plane_columns.data());
  p.centroid = solid_properties(p).centroid;
  p.inner_radius = std::numeric_limits<double>::infinity();
  for (const FacePlane& plane : p.planes)
    p.inner_radius = std::min(p.inner_radius, plane.offset - plane.normal.dot(p.centroid));
  for (const Vec3& v : p.vertices) {
    p.outer_radius = std::max(p.outer_radius, (v - p.centroid).norm());
    p.bounding_radius = std::max(p.bounding_radius, v.norm());
  }
  return p;
}

}  // namespace carom
