#include "contact/height_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace carom {

namespace {

[[noreturn]] void reject(const std::string& item, const std::string& problem, const std::string& value) {
  throw InputError({"", 0, 0, item}, problem, value);
}

void check_field(const HeightField& field) {
  const std::size_t count = std::size_t{field.columns} * field.rows;
  if (field.columns < 2 || field.rows < 2)
    reject("height field", "needs at least 2 x 2 samples", fmt::format("{} x {}", field.columns, field.rows));
  if (count > kMaxTriangles)
    reject("height field", fmt::format("has more than {} samples", kMaxTriangles),
           fmt::format("{} x {}", field.columns, field.rows));
  if (field.heights.size() != count)
    reject("height field", fmt::format("needs columns x rows = {} heights", count),
           fmt::format("{}", field.heights.size()));
  for (const double spacing : {field.spacing_x, field.spacing_y})
    if (!(spacing > 0) || !std::isfinite(spacing * (field.columns + field.rows)))
      reject("height field", "its spacing must be finite and > 0", fmt::format("{}", spacing));
  for (std::size_t k = 0; k < count; ++k)
    if (std::isinf(field.heights[k]))
      reject(fmt::format("height field sample ({}, {})", k % field.columns, k / field.columns),
             "must be finite, or NaN for no data", fmt::format("{}", field.heights[k]));
}

}  // namespace

bool HeightField::cell_has_surface(std::uint32_t i, std::uint32_t j) const {
  // A sum with NaN is NaN.
  const double* row = heights.data() + std::size_t{j} * columns + i;
  return !std::isnan(row[0] + row[1] + row[columns] + row[columns + 1]);
}

std::optional<HeightField::Ground> HeightField::ground(double x, double y) const {
  const double u = x / spacing_x, v = y / spacing_y;
  if (!(u >= 0 && v >= 0 && u <= columns - 1 && v <= rows - 1)) return {};
  const std::uint32_t i = std::min(static_cast<std::uint32_t>(u), columns - 2),
                      j = std::min(static_cast<std::uint32_t>(v), rows - 2);
  if (!cell_has_surface(i, j)) return {};
  const double z00 = height(i, j), z10 = height(i + 1, j), z01 = height(i, j + 1), z11 = height(i + 1, j + 1);
  const bool upper = v - j > u - i;
  // Rises per cell along x and y, on this side of the diagonal.
  const double along_x = upper ? z11 - z01 : z10 - z00, along_y = upper ? z01 - z00 : z11 - z10;
  Ground ground;
  ground.height = z00 + (u - i) * along_x + (v - j) * along_y;
  ground.normal = Vec3(-along_x / spacing_x, -along_y / spacing_y, 1).normalized();
  ground.triangle = 2 * (j * (columns - 1) + i) + (upper ? 1 : 0);
  return ground;
}

std::shared_ptr<const HeightField> make_height_field(std::uint32_t columns, std::uint32_t rows, double spacing_x,
                                                     double spacing_y, std::vector<double> heights) {
  auto field = std::make_shared<HeightField>();
  field->columns = columns;
  field->rows = rows;
  field->spacing_x = spacing_x;
  field->spacing_y = spacing_y;
  field->heights = std::move(heights);
  check_field(*field);

  constexpr std::uint32_t kBlock = HeightField::kBlock;
  const std::uint32_t block_rows = (rows - 1 + kBlock - 1) / kBlock;
  field->block_columns = (columns - 1 + kBlock - 1) / kBlock;
  field->block_highest.assign(std::size_t{field->block_columns} * block_rows, -std::numeric_limits<double>::infinity());
  field->lowest = std::numeric_limits<double>::infinity();
  field->highest = -field->lowest;
  bool any = false;
  for (std::uint32_t j = 0; j + 1 < rows; ++j)
    for (std::uint32_t i = 0; i + 1 < columns; ++i) {
      if (!field->cell_has_surface(i, j)) continue;
      any = true;
      const auto [low, high] = std::minmax(
          {field->height(i, j), field->height(i + 1, j), field->height(i, j + 1), field->height(i + 1, j + 1)});
      double& block = field->block_highest[std::size_t{j / kBlock} * field->block_columns + i / kBlock];
      block = std::max(block, high);
      field->lowest = std::min(field->lowest, low);
      field->highest = std::max(field->highest, high);
    }
  if (!any) reject("height field", "has no cell with four heights", fmt::format("{} x {} samples", columns, rows));
  return field;
}

std::shared_ptr<const TriangleMesh> mesh_of(const HeightField& field) {
  std::vector<Vec3> vertices;
  std::vector<TriangleCorners> triangles;
  std::vector<std::uint32_t> number(field.heights.size(), kNoTriangle);
  const auto vertex = [&](std::uint32_t i, std::uint32_t j) {
    std::uint32_t& n = number[std::size_t{j} * field.columns + i];
    if (n == kNoTriangle) {
      n = static_cast<std::uint32_t>(vertices.size());
      vertices.push_back(field.sample(i, j));
    }
    return n;
  };
  for (std::uint32_t j = 0; j + 1 < field.rows; ++j)
    for (std::uint32_t i = 0; i + 1 < field.columns; ++i) {
      if (!field.cell_has_surface(i, j)) continue;
      const std::uint32_t a = vertex(i, j), b = vertex(i + 1, j), c = vertex(i + 1, j + 1), d = vertex(i, j + 1);
      triangles.push_back({a, b, c});
      triangles.push_back({a, c, d});
    }
  return make_triangle_mesh(std::move(vertices), std::move(triangles));
}

}  // namespace carom
