// The triangles of a mesh or a terrain that one body may touch, copied out with all that contacts need to know of their
// neighbours; for the narrow phase's own files only.
#pragma once

#include "contact/height_field.h"
#include "contact/triangle_mesh.h"

namespace carom {

struct PatchTriangle {
  std::uint32_t number = 0;
  bool apart =
      false;  // the body lies wholly in front of its plane, beyond reach: edges and neighbours are not filled in
  Vec3 normal;
  double offset = 0;  // normal . x on its plane
  std::array<Vec3, 3> corner;
  std::array<std::uint32_t, 3> vertex, edge;  // edge k goes from corner k to the next
  std::array<Vec3, 3> along;                  // of edge k, unit
  std::array<Vec3, 3> side;                   // along x normal: in the plane, out of the triangle over edge k
  std::array<EdgeBend, 3> bend;
  std::array<Vec3, 3> across;  // normal of the neighbour over edge k; at a border `side`
  std::array<bool, 3> own;     // edge k is looked at from here, not from the neighbour
  double gap = 0;              // of the body's core over the plane
  Vec3 down = -Vec3::UnitZ();  // -normal in the frame of the body
  std::size_t next(std::size_t k) const { return k < 2 ? k + 1 : 0; }

  bool ridge(std::size_t k) const { return bend[k] == EdgeBend::Convex || bend[k] == EdgeBend::Border; }
  // A border has no back: what it holds, it holds from the front.
  bool on_border(std::size_t k) const { return bend[k] == EdgeBend::Border || bend[next(next(k))] == EdgeBend::Border; }
  double height(const Vec3& x) const { return normal.dot(x) - offset; }
  // The point of the triangle nearest to x.
  Vec3 nearest(const Vec3& x) const;
};

// Gap of the body's core over a plane: the least normal . x of the core, less the offset.
using PlaneGap = double (*)(const void* body, const Vec3& normal);

// All triangles whose boxes meet `box`, and of a terrain all above it, in the order of their numbers. Those that the
// body is farther than `limit` in front of are marked apart; from a terrain, which has nothing behind, they are left
// out.
struct PatchQuery {
  Bounds box;
  double limit = 0;
  const void* body = nullptr;
  PlaneGap gap = nullptr;
};
void gather_triangles(const TriangleMesh& mesh, const PatchQuery& query, std::vector<PatchTriangle>& out);
void gather_triangles(const HeightField& field, const PatchQuery& query, std::vector<PatchTriangle>& out);

// The highest point of the terrain over a box's map window is below its floor, or the window is off the map.
bool clear_of(const HeightField& field, const Bounds& box);
// No leaf of the mesh's tree meets the box.
bool clear_of(const TriangleMesh& mesh, const Bounds& box);

}  // namespace carom
