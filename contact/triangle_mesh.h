// A surface of triangles at rest: immutable once built, shared by all colliders that wear it.
//
// Triangles are wound counter-clockwise seen from the side that bodies touch; the other side is the inside. An edge has
// one triangle (a border) or two, which run it in opposite directions. A mesh without borders is closed.
//
// One-sided: a body is pushed out towards the front of the triangle under it, as long as any part of it reaches the
// surface or lies within `thickness` behind it. A body that jumps wholly past the surface and that depth within half a
// step is lost; `first_crossing` along its path tells.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/types.h"
#include "contact/shape.h"

namespace carom {

using TriangleCorners = std::array<std::uint32_t, 3>;  // numbers of vertices

inline constexpr std::uint32_t kNoTriangle = ~std::uint32_t{0};
// Of triangles, and of vertices: edges are numbered up to three times that, in the 31 bits of a contact key.
inline constexpr std::size_t kMaxTriangles = 700'000'000;

// How the surface bends at an edge, seen from the front.
enum class EdgeBend : std::uint8_t {
  Flat,     // within kFlatBend: felt as a plane
  Convex,   // a ridge
  Concave,  // a valley: bodies touch its two sides, never the edge
  Border,   // one triangle only
};
inline constexpr double kFlatBend = 1e-6;  // rad

struct MeshEdge {
  std::uint32_t start = 0, end = 0;                       // vertices, as the left triangle runs them
  std::uint32_t left = kNoTriangle, right = kNoTriangle;  // right: kNoTriangle at a border
  EdgeBend bend = EdgeBend::Border;
};

struct Bounds {
  Vec3 low, high;

  bool overlaps(const Bounds& other) const {
    return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all();
  }
};

// A binary tree of boxes over triangles; depth is that of halving.
struct MeshTree {
  struct Node {
    Bounds bounds;
    std::uint32_t first = 0;  // leaf: first place in `order`; inner: its second child, the first comes next
    std::uint32_t count = 0;  // leaf: triangles; inner: 0
  };
  std::vector<Node> nodes;
  std::vector<std::uint32_t> order;  // triangles, leaf by leaf
};

struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<TriangleCorners> triangles;
  std::vector<Vec3> normals;                    // unit, to the front
  std::vector<TriangleCorners> triangle_edges;  // edge k goes from corner k to the next
  std::vector<MeshEdge> edges;                  // sorted by their smaller, then their larger vertex
  MeshTree tree;
  Bounds bounds;
  double thickness = 0;  // m, >= 0: how far behind the surface a body is still pushed out
  bool closed = false;

  // Calls visit(triangle) for every triangle whose box meets `box`, and maybe some more, in no particular order.
  template <class Visit>
  void for_each_near(const Bounds& box, Visit&& visit) const {
    if (tree.nodes.empty()) return;
    std::array<std::uint32_t, 64> stack;
    std::size_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
      const std::uint32_t at = stack[--depth];
      const MeshTree::Node& node = tree.nodes[at];
      if (!node.bounds.overlaps(box)) continue;
      if (node.count > 0) {
        for (std::uint32_t k = 0; k < node.count; ++k) visit(tree.order[node.first + k]);
      } else {
        stack[depth++] = node.first;
        stack[depth++] = at + 1;
      }
    }
  }
};

// Where a triangle stands in the user's data, for messages; without it they say "triangle 12".
using TrianglePlace = std::function<Place(std::uint32_t triangle)>;

Place place_of(std::uint32_t triangle, const TrianglePlace& place);

struct MeshOptions {
  double thickness = 0;  // m, >= 0
  TrianglePlace place = {};
};

// Links edges and builds the tree. Throws InputError that names the triangle, vertex or edge (numbers from 0) when
// there are none or too many, a vertex is not finite, a corner's number is out of range, a triangle has no area, an
// edge has three triangles, or two neighbours run their edge in the same direction (one of them is inverted).
std::shared_ptr<const TriangleMesh> make_triangle_mesh(std::vector<Vec3> vertices,
                                                       std::vector<TriangleCorners> triangles,
                                                       const MeshOptions& options = {});

// Of the solid inside a closed mesh, by exact integrals. Throws InputError when the mesh is open, naming an edge of the
// border, or inverted (its front looks inwards).
SolidProperties solid_properties(const TriangleMesh& mesh, const TrianglePlace& place = {});

// Where the path from one point to another first passes from the front to the back of a triangle.
struct SurfaceCrossing {
  std::uint32_t triangle = 0;
  double fraction = 0;  // of the path, in [0, 1]
  Vec3 point = Vec3::Zero();
};
std::optional<SurfaceCrossing> first_crossing(const TriangleMesh& mesh, const Vec3& from, const Vec3& to);

}  // namespace carom
