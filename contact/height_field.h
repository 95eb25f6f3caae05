// Terrain: heights on a regular grid, two triangles per cell, solid below without end.
//
// Sample (i, j) stands at x = i spacing_x, y = j spacing_y in the local frame and its height along local z; a cell is
// cut along the diagonal from (i, j) to (i + 1, j + 1). A cell with a corner that is NaN (no data) has no surface and
// nothing below it; so has everything beyond the grid.
#pragma once

#include <memory>
#include <optional>

#include "base/types.h"
#include "contact/triangle_mesh.h"

namespace carom {

struct HeightField {
  std::uint32_t columns = 0, rows = 0;  // samples along x and y, >= 2
  double spacing_x = 0, spacing_y = 0;  // m
  std::vector<double> heights;          // m; sample (i, j) is heights[j columns + i]
  double lowest = 0, highest = 0;       // of all samples, m
  // Highest sample of each block of kBlock x kBlock cells, corners included; -infinity without any.
  static constexpr std::uint32_t kBlock = 8;
  std::uint32_t block_columns = 0;
  std::vector<double> block_highest;

  double height(std::uint32_t i, std::uint32_t j) const { return heights[std::size_t{j} * columns + i]; }
  Vec3 sample(std::uint32_t i, std::uint32_t j) const { return {i * spacing_x, j * spacing_y, height(i, j)}; }
  bool cell_has_surface(std::uint32_t i, std::uint32_t j) const;

  // The surface over a point of the map: its height and upward unit normal; none beyond the grid and over no data.
  struct Ground {
    double height = 0;
    Vec3 normal = Vec3::UnitZ();
    std::uint32_t triangle = 0;  // 2 (j (columns - 1) + i), plus 1 for the one on the side of (i, j + 1)
  };
  std::optional<Ground> ground(double x, double y) const;
};

// Throws InputError when the grid has fewer than 2 x 2 samples or too many, when their number is not columns x rows, a
// spacing is not finite and > 0, a sample is infinite (NaN is no data), or no cell has a surface.
std::shared_ptr<const HeightField> make_height_field(std::uint32_t columns, std::uint32_t rows, double spacing_x,
                                                     double spacing_y, std::vector<double> heights);

// The same surface as a mesh: triangles in the order of their numbers, cells without data left out.
std::shared_ptr<const TriangleMesh> mesh_of(const HeightField& field);

}  // namespace carom
