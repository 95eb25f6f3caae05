#pragma once

#include "contact/triangle_mesh.h"

namespace carom {

// Halves the triangles by the middles of their boxes along the longest side, down to leaves of a few. The same mesh
// always gives the same tree.
MeshTree build_mesh_tree(std::span<const Vec3> vertices, std::span<const TriangleCorners> triangles);

}  // namespace carom
