// Triangles and heights of meshes and terrain in run files: once each, however many colliders wear them.
#include <map>

#include "contact/height_field.h"
#include "io/run_columns.h"
#include "io/run_statics.h"

namespace carom {

namespace layout = run_layout;
using h5::Type;

namespace {

void write_meshes(h5::File& file, const std::vector<const TriangleMesh*>& meshes) {
  const std::string group = layout::kMeshes;
  std::vector<std::int64_t> vertex_first = {0}, triangle_first = {0};
  std::vector<double> vertices, thickness;
  std::vector<std::uint32_t> triangles;
  for (const TriangleMesh* mesh : meshes) {
    for (const Vec3& v : mesh->vertices) vertices.insert(vertices.end(), v.data(), v.data() + 3);
    for (const TriangleCorners& t : mesh->triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    vertex_first.push_back(static_cast<std::int64_t>(vertices.size() / 3));
    triangle_first.push_back(static_cast<std::int64_t>(triangles.size() / 3));
    thickness.push_back(mesh->thickness);
  }
  write_column(file, group + "vertex_first", vertex_first, {}, "1");
  write_column(file, group + "vertices", vertices, {3}, "m");
  write_column(file, group + "triangle_first", triangle_first, {}, "1");
  write_column(file, group + "triangles", triangles, {3}, "1");
  write_column(file, group + "thickness", thickness, {}, "m");
}

void write_height_fields(h5::File& file, const std::vector<const HeightField*>& fields) {
  const std::string group = layout::kHeightFields;
  std::vector<std::int64_t> first = {0};
  std::vector<std::uint32_t> size;
  std::vector<double> spacing, heights;
  for (const HeightField* field : fields) {
    size.insert(size.end(), {field->columns, field->rows});
    spacing.insert(spacing.end(), {field->spacing_x, field->spacing_y});
    heights.insert(heights.end(), field->heights.begin(), field->heights.end());
    first.push_back(static_cast<std::int64_t>(heights.size()));
  }
  write_column(file, group + "size", size, {2}, "1");
  write_column(file, group + "spacing", spacing, {2}, "m");
  write_column(file, group + "first", first, {}, "1");
  write_column(file, group + "heights", heights, {}, "m");
}

// Where each list starts in an array of lists, and where the last one ends.
std::vector<std::int64_t> read_starts(const h5::File& file, const std::string& path) {
  const std::uint64_t count = file.open_dataset(path, Type::Int64, 1).rows();
  if (count < 1 || count > file.size_on_disk()) file.fail(path, "has an unexpected size");
  std::vector<std::int64_t> first = read_column<std::int64_t>(file, path, count);
  for (std::size_t i = 0; i + 1 < count; ++i)
    if (first[0] != 0 || first[i] > first[i + 1]) file.fail(path, "does not increase from 0");
  return first;
}

std::vector<Shape> read_meshes(const h5::File& file) {
  const std::string group = layout::kMeshes;
  if (!file.exists(group + "vertices")) return {};
  const auto vertex_first = read_starts(file, group + "vertex_first");
  const auto triangle_first = read_starts(file, group + "triangle_first");
  if (vertex_first.size() != triangle_first.size()) file.fail(group + "triangle_first", "has an unexpected size");
  const std::size_t count = vertex_first.size() - 1;
  const auto coordinates =
      read_column<double>(file, group + "vertices", static_cast<std::uint64_t>(vertex_first.back()), 3);
  const auto numbers =
      read_column<std::uint32_t>(file, group + "triangles", static_cast<std::uint64_t>(triangle_first.back()), 3);
  const auto thickness = read_column<double>(file, group + "thickness", count);
  std::vector<Shape> meshes;
  for (std::size_t m = 0; m < count; ++m) {
    std::vector<Vec3> vertices;
    std::vector<TriangleCorners> triangles;
    for (auto k = static_cast<std::size_t>(vertex_first[m]); k < static_cast<std::size_t>(vertex_first[m + 1]); ++k)
      vertices.emplace_back(Vec3(&coordinates[3 * k]));
    for (auto k = static_cast<std::size_t>(triangle_first[m]); k < static_cast<std::size_t>(triangle_first[m + 1]); ++k)
      triangles.push_back({numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]});
    try {
      meshes.push_back(
          Shape::mesh(make_triangle_mesh(std::move(vertices), std::move(triangles), {.thickness = thickness[m]})));
    } catch (const InputError& error) {
      file.fail(group + "triangles", error.what());
    }
  }
  return meshes;
}

std::vector<Shape> read_height_fields(const h5::File& file) {
  const std::string group = layout::kHeightFields;
  if (!file.exists(group + "heights")) return {};
  const auto first = read_starts(file, group + "first");
  const std::size_t count = first.size() - 1;
  const auto size = read_column<std::uint32_t>(file, group + "size", count, 2);
  const auto spacing = read_column<double>(file, group + "spacing", count, 2);
  const auto heights = read_column<double>(file, group + "heights", static_cast<std::uint64_t>(first.back()));
  std::vector<Shape> fields;
  for (std::size_t f = 0; f < count; ++f) {
    std::vector<double> samples(heights.begin() + first[f], heights.begin() + first[f + 1]);
    try {
      fields.push_back(Shape::height_field(
          make_height_field(size[2 * f], size[2 * f + 1], spacing[2 * f], spacing[2 * f + 1], std::move(samples))));
    } catch (const InputError& error) {
      file.fail(group + "heights", error.what());
    }
  }
  return fields;
}

// Other shapes than meshes and terrain are not compared, nor are those of files that do not keep them.
bool same_surface(const Shape& a, const Shape& b) {
  if (a.kind != b.kind) return false;
  if (!a.data || !b.data) return true;
  if (a.kind == ShapeKind::Mesh) {
    const TriangleMesh &p = a.triangle_mesh(), &q = b.triangle_mesh();
    return p.vertices == q.vertices && p.triangles == q.triangles && p.thickness == q.thickness;
  }
  if (a.kind != ShapeKind::HeightField) return true;
  const HeightField &p = a.terrain(), &q = b.terrain();
  const auto same = [](double x, double y) { return x == y || (x != x && y != y); };
  return p.columns == q.columns && p.rows == q.rows && p.spacing_x == q.spacing_x && p.spacing_y == q.spacing_y &&
         std::equal(p.heights.begin(), p.heights.end(), q.heights.begin(), same);
}

}  // namespace

void write_surfaces(h5::File& file, const Colliders& colliders) {
  std::vector<const TriangleMesh*> meshes;
  std::vector<const HeightField*> fields;
  std::map<const void*, std::int32_t> number;
  std::vector<std::int32_t> surface;
  for (const Shape& shape : colliders.shape) {
    surface.push_back(-1);
    if (shape.kind != ShapeKind::Mesh && shape.kind != ShapeKind::HeightField) continue;
    const bool mesh = shape.kind == ShapeKind::Mesh;
    const auto [known, added] =
        number.try_emplace(shape.data.get(), static_cast<std::int32_t>(mesh ? meshes.size() : fields.size()));
    surface.back() = known->second;
    if (added && mesh) meshes.push_back(&shape.triangle_mesh());
    if (added && !mesh) fields.push_back(&shape.terrain());
  }
  if (number.empty()) return;
  write_column(file, layout::kSurface, surface, {}, "1");
  if (!meshes.empty()) write_meshes(file, meshes);
  if (!fields.empty()) write_height_fields(file, fields);
}

void read_surfaces(const h5::File& file, std::vector<RunCollider>& colliders) {
  if (!file.exists(layout::kSurface)) return;
  const auto surface = read_column<std::int32_t>(file, layout::kSurface, colliders.size());
  const std::vector<Shape> meshes = read_meshes(file), fields = read_height_fields(file);
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    Shape& shape = colliders[i].shape;
    if (shape.kind != ShapeKind::Mesh && shape.kind != ShapeKind::HeightField) continue;
    const std::vector<Shape>& known = shape.kind == ShapeKind::Mesh ? meshes : fields;
    if (surface[i] < 0 || static_cast<std::size_t>(surface[i]) >= known.size())
      file.fail(layout::kSurface, "names no mesh or height field");
    shape = known[static_cast<std::size_t>(surface[i])];
  }
}

bool same_surfaces(const std::vector<RunCollider>& kept, const Colliders& colliders) {
  if (kept.size() != colliders.shape.size()) return false;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (!same_surface(kept[i].shape, colliders.shape[i])) return false;
  return true;
}

}  // namespace carom
