#include "contact/triangle_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "contact/mesh_tree.h"

namespace carom {

namespace {

// Triangles lower than this share of their longest side have no normal worth the name.
constexpr double kFlat = 1e-12;

[[noreturn]] void reject(const std::string& item, const std::string& problem, const std::string& value = {}) {
  throw InputError({"", 0, 0, item}, problem, value);
}

[[noreturn]] void reject_triangle(const TrianglePlace& place, std::uint32_t triangle, const std::string& problem,
                                  const std::string& value) {
  throw InputError(place_of(triangle, place), problem, value);
}

std::string text(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()); }

void check_vertices(std::span<const Vec3> vertices) {
  for (std::size_t v = 0; v < vertices.size(); ++v)
    if (!vertices[v].allFinite()) reject(fmt::format("vertex {}", v), "must be finite", text(vertices[v]));
}

// Unit normals of all triangles; corners are in range and triangles have an area, or else an error.
std::vector<Vec3> find_normals(std::span<const Vec3> vertices, std::span<const TriangleCorners> triangles,
                               const TrianglePlace& place) {
  std::vector<Vec3> normals(triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (const std::uint32_t v : triangles[t])
      if (v >= vertices.size())
        reject_triangle(place, t, fmt::format("has a corner beyond the {} vertices", vertices.size()),
                        fmt::format("{}", v));
    const auto& [a, b, c] = triangles[t];
    const Vec3 u = vertices[b] - vertices[a], v = vertices[c] - vertices[b], w = vertices[a] - vertices[c];
    const double longest = std::sqrt(std::max({u.squaredNorm(), v.squaredNorm(), w.squaredNorm()}));
    // Scaled, so that tiny and huge triangles neither underflow nor overflow.
    const Vec3 area = longest > 0 ? (u / longest).cross(v / longest) : Vec3::Zero();
    const double twice = area.norm();
    if (!(twice > kFlat))
      reject_triangle(place, t, "is degenerate: it has no area",
                      fmt::format("{}, {}, {}", text(vertices[a]), text(vertices[b]), text(vertices[c])));
    normals[t] = area / twice;
  }
  return normals;
}

struct Side {  // of a triangle, as a key to find the two of an edge
  std::uint32_t low, high;
  std::uint32_t triangle, place;
};

std::string edge_text(const Side& side, std::span<const Vec3> vertices) {
  return fmt::format("{} to {}", text(vertices[side.low]), text(vertices[side.high]));
}

EdgeBend bend_of(const TriangleMesh& mesh, const MeshEdge& edge) {
  const Vec3 along = (mesh.vertices[edge.end] - mesh.vertices[edge.start]).normalized();
  const Vec3 &left = mesh.normals[edge.left], &right = mesh.normals[edge.right];
  const double sine = left.cross(right).dot(along);
  // Folded back on itself: a ridge without thickness.
  if (left.dot(right) < 0 && std::abs(sine) <= kFlatBend) return EdgeBend::Convex;
  if (std::abs(sine) <= kFlatBend) return EdgeBend::Flat;
  return sine > 0 ? EdgeBend::Convex : EdgeBend::Concave;
}

void link_edges(TriangleMesh& mesh, const TrianglePlace& place) {
  std::vector<Side> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t from = mesh.triangles[t][k], to = mesh.triangles[t][(k + 1) % 3];
      sides.push_back({std::min(from, to), std::max(from, to), t, k});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) {
    if (x.low != y.low) return x.low < y.low;
    return x.high != y.high ? x.high < y.high : x.triangle < y.triangle;
  });
  mesh.triangle_edges.resize(mesh.triangles.size());
  mesh.closed = true;
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t end = i + 1;
    while (end < sides.size() && sides[end].low == sides[i].low && sides[end].high == sides[i].high) ++end;
    const Side& first = sides[i];
    if (end - i > 2)
      reject_triangle(
          place, sides[i + 2].triangle,
          fmt::format("is not manifold: it shares an edge with triangles {} and {}; an edge has two at most",
                      first.triangle, sides[i + 1].triangle),
          edge_text(first, mesh.vertices));
    MeshEdge edge{mesh.triangles[first.triangle][first.place], mesh.triangles[first.triangle][(first.place + 1) % 3],
                  first.triangle, kNoTriangle, EdgeBend::Border};
    const auto number = static_cast<std::uint32_t>(mesh.edges.size());
    mesh.triangle_edges[first.triangle][first.place] = number;
    if (end - i == 2) {
      const Side& second = sides[i + 1];
      if (mesh.triangles[second.triangle][second.place] == edge.start)
        reject_triangle(
            place, second.triangle,
            fmt::format("is inverted against its neighbour {}: both run their common edge in the same direction",
                        first.triangle),
            edge_text(first, mesh.vertices));
      edge.right = second.triangle;
      mesh.triangle_edges[second.triangle][second.place] = number;
      edge.bend = bend_of(mesh, edge);
    } else {
      mesh.closed = false;
    }
    mesh.edges.push_back(edge);
    i = end;
  }
}

}  // namespace

Place place_of(std::uint32_t triangle, const TrianglePlace& place) {
  return place ? place(triangle) : Place{"", 0, 0, fmt::format("triangle {}", triangle)};
}

std::shared_ptr<const TriangleMesh> make_triangle_mesh(std::vector<Vec3> vertices,
                                                       std::vector<TriangleCorners> triangles,
                                                       const MeshOptions& options) {
  if (triangles.empty()) reject("mesh", "has no triangles");
  if (triangles.size() > kMaxTriangles || vertices.size() > kMaxTriangles)
    reject("mesh", fmt::format("has more than {} triangles or vertices", kMaxTriangles),
           fmt::format("{} and {}", triangles.size(), vertices.size()));
  if (!(options.thickness >= 0) || !std::isfinite(options.thickness))
    reject("thickness", "must be finite and >= 0", fmt::format("{}", options.thickness));
  check_vertices(vertices);
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->normals = find_normals(vertices, triangles, options.place);
  mesh->vertices = std::move(vertices);
  mesh->triangles = std::move(triangles);
  mesh->thickness = options.thickness;
  link_edges(*mesh, options.place);
  mesh->tree = build_mesh_tree(mesh->vertices, mesh->triangles);
  mesh->bounds = mesh->tree.nodes[0].bounds;
  return mesh;
}

std::optional<SurfaceCrossing> first_crossing(const TriangleMesh& mesh, const Vec3& from, const Vec3& to) {
  const Vec3 way = to - from;
  std::optional<SurfaceCrossing> first;
  mesh.for_each_near({from.cwiseMin(to), from.cwiseMax(to)}, [&](std::uint32_t t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const Vec3& n = mesh.normals[t];
    const double start = n.dot(from - mesh.vertices[a]), end = n.dot(to - mesh.vertices[a]);
    if (!(start >= 0 && end < 0)) return;
    const double fraction = start / (start - end);
    if (first && (fraction > first->fraction || (fraction == first->fraction && t > first->triangle))) return;
    // The line passes on the left of all three sides, or on one: signed volumes with the way.
    const Vec3 pa = mesh.vertices[a] - from, pb = mesh.vertices[b] - from, pc = mesh.vertices[c] - from;
    const double u = way.dot(pb.cross(pa)), v = way.dot(pc.cross(pb)), w = way.dot(pa.cross(pc));
    if (u < 0 || v < 0 || w < 0) return;
    first = SurfaceCrossing{t, fraction, from + fraction * way};
  });
  return first;
}

}  // namespace carom
