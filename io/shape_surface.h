// The surface of a shape as triangles, for files that other programs draw.
#pragma once

#include <array>

#include "contact/shape.h"

namespace carom {

struct Surface {
  std::vector<Vec3> points;                              // in the shape's frame
  std::vector<std::array<std::uint32_t, 3>> triangles;  // counter-clockwise seen from outside
};

// Polyhedra, polygons (as prisms), meshes and boxes exactly; what is round by `sides` facets around. Terrain by every
// `stride`-th sample. Half-spaces and planes have none.
Surface surface_of(const Shape& shape, int sides, std::uint32_t stride = 1);

// The stride at which terrain has at most `most` samples.
std::uint32_t terrain_stride(const Shape& terrain, double most);

}  // namespace carom
