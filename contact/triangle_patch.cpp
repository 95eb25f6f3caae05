#include "contact/triangle_patch.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

// Turns of the normal across an edge that a triangle runs along `along`.
EdgeBend bend_between(const Vec3& own, const Vec3& other, const Vec3& along) {
  const double sine = own.cross(other).dot(along);
  if (std::abs(sine) <= kFlatBend) return EdgeBend::Flat;
  return sine > 0 ? EdgeBend::Convex : EdgeBend::Concave;
}

void fill_sides(PatchTriangle& t) {
  for (std::size_t k = 0; k < 3; ++k) {
    t.along[k] = (t.corner[t.next(k)] - t.corner[k]).normalized();
    t.side[k] = t.along[k].cross(t.normal);
  }
}

// Cells [low, high) of the grid along one direction that a span of the map meets.
struct CellRange {
  std::uint32_t low = 0, high = 0;
  bool empty() const { return low >= high; }
};
CellRange cells(double from, double to, double spacing, std::uint32_t samples) {
  const double last = samples - 1.0;
  const double low = std::floor(from / spacing), high = std::floor(to / spacing) + 1;
  // NaN compares false.
  if (!(high > 0) || !(low < last)) return {};
  return {static_cast<std::uint32_t>(std::max(low, 0.0)), static_cast<std::uint32_t>(std::min(high, last))};
}

// A terrain's triangle 2 cell (lower: corners (i, j), (i + 1, j), (i + 1, j + 1)) or 2 cell + 1 (upper: (i, j),
// (i + 1, j + 1), (i, j + 1)). Edges have the number of their first sample, times 3: plus 0 along x, 1 along y, 2 on
// the diagonal.
class TerrainTriangles {
 public:
  explicit TerrainTriangles(const HeightField& field) : field_(field) {}

  Vec3 normal(std::uint32_t i, std::uint32_t j, bool upper) const {
    const double z00 = field_.height(i, j), z11 = field_.height(i + 1, j + 1);
    const double z10 = upper ? 0 : field_.height(i + 1, j), z01 = upper ? field_.height(i, j + 1) : 0;
    const double along_x = upper ? z11 - z01 : z10 - z00, along_y = upper ? z01 - z00 : z11 - z10;
    return Vec3(-along_x / field_.spacing_x, -along_y / field_.spacing_y, 1).normalized();
  }

  void place(std::uint32_t i, std::uint32_t j, bool upper, PatchTriangle& t) const {
    t.number = 2 * (j * (field_.columns - 1) + i) + (upper ? 1 : 0);
    t.corner = {field_.sample(i, j), upper ? field_.sample(i + 1, j + 1) : field_.sample(i + 1, j),
                upper ? field_.sample(i, j + 1) : field_.sample(i + 1, j + 1)};
    const std::uint32_t v = j * field_.columns + i;
    t.vertex = {v, upper ? v + field_.columns + 1 : v + 1, upper ? v + field_.columns : v + field_.columns + 1};
  }

  void link(std::uint32_t i, std::uint32_t j, bool upper, PatchTriangle& t) const {
    const std::uint32_t v = j * field_.columns + i;
    if (upper) {
      t.edge = {3 * v + 2, 3 * (v + field_.columns), 3 * v + 1};
      join(t, 0, i, j, false, true);
      join(t, 1, i, j + 1, false, j + 2 < field_.rows);
      join(t, 2, i - 1, j, false, i > 0);
    } else {
      t.edge = {3 * v, 3 * (v + 1) + 1, 3 * v + 2};
      join(t, 0, i, j - 1, true, j > 0);
      join(t, 1, i + 1, j, true, i + 2 < field_.columns);
      join(t, 2, i, j, true, true);
    }
  }

 private:
  void join(PatchTriangle& t, std::size_t k, std::uint32_t i, std::uint32_t j, bool upper, bool on_map) const {
    if (!on_map || !field_.cell_has_surface(i, j)) {
      t.bend[k] = EdgeBend::Border;
      t.across[k] = t.side[k];
      t.own[k] = true;
      return;
    }
    t.across[k] = normal(i, j, upper);
    t.bend[k] = bend_between(t.normal, t.across[k], t.along[k]);
    t.own[k] = t.number < 2 * (j * (field_.columns - 1) + i) + (upper ? 1 : 0);
  }

  const HeightField& field_;
};

template <class Visit>
void for_each_cell(const HeightField& field, const Bounds& box, Visit&& visit) {
  constexpr std::uint32_t kBlock = HeightField::kBlock;
  const CellRange x = cells(box.low.x(), box.high.x(), field.spacing_x, field.columns);
  const CellRange y = cells(box.low.y(), box.high.y(), field.spacing_y, field.rows);
  if (x.empty() || y.empty()) return;
  for (std::uint32_t jb = y.low / kBlock; jb * kBlock < y.high; ++jb)
    for (std::uint32_t ib = x.low / kBlock; ib * kBlock < x.high; ++ib) {
      if (field.block_highest[std::size_t{jb} * field.block_columns + ib] < box.low.z()) continue;
      for (std::uint32_t j = std::max(y.low, jb * kBlock); j < std::min(y.high, (jb + 1) * kBlock); ++j)
        for (std::uint32_t i = std::max(x.low, ib * kBlock); i < std::min(x.high, (ib + 1) * kBlock); ++i) visit(i, j);
    }
}

void sort_by_number(std::vector<PatchTriangle>& triangles) {
  const auto earlier = [](const PatchTriangle& s, const PatchTriangle& t) { return s.number < t.number; };
  if (!std::is_sorted(triangles.begin(), triangles.end(), earlier))
    std::sort(triangles.begin(), triangles.end(), earlier);
}

Vec3 nearest_on_side(const PatchTriangle& t, std::size_t k, const Vec3& x) {
  const Vec3 d = t.corner[t.next(k)] - t.corner[k];
  return t.corner[k] + std::clamp(d.dot(x - t.corner[k]) / d.squaredNorm(), 0.0, 1.0) * d;
}

}  // namespace

Vec3 PatchTriangle::nearest(const Vec3& x) const {
  bool over = true;
  Vec3 best = Vec3::Zero();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3; ++k) {
    if ((corner[next(k)] - corner[k]).cross(normal).dot(x - corner[k]) <= 0) continue;
    over = false;
    const Vec3 q = nearest_on_side(*this, k, x);
    const double squared = (x - q).squaredNorm();
    if (squared < least) least = squared, best = q;
  }
  return over ? Vec3(x - height(x) * normal) : best;
}

void gather_triangles(const TriangleMesh& mesh, const PatchQuery& query, std::vector<PatchTriangle>& out) {
  out.clear();
  mesh.for_each_near(query.box, [&](std::uint32_t number) {
    const TriangleCorners& corners = mesh.triangles[number];
    Bounds own{mesh.vertices[corners[0]], mesh.vertices[corners[0]]};
    for (const std::uint32_t v : corners) {
      own.low = own.low.cwiseMin(mesh.vertices[v]);
      own.high = own.high.cwiseMax(mesh.vertices[v]);
    }
    if (!own.overlaps(query.box)) return;
    PatchTriangle& t = out.emplace_back();
    t.number = number;
    t.vertex = corners;
    for (std::size_t k = 0; k < 3; ++k) t.corner[k] = mesh.vertices[corners[k]];
    t.normal = mesh.normals[number];
    t.offset = t.normal.dot(t.corner[0]);
    t.gap = query.gap(query.body, t.normal) - t.offset;
    t.apart = t.gap > query.limit;
    if (t.apart) return;
    fill_sides(t);
    t.edge = mesh.triangle_edges[number];
    for (std::size_t k = 0; k < 3; ++k) {
      const MeshEdge& edge = mesh.edges[t.edge[k]];
      const std::uint32_t other = edge.left == number ? edge.right : edge.left;
      t.bend[k] = edge.bend;
      t.own[k] = edge.left == number;
      t.across[k] = other == kNoTriangle ? t.side[k] : mesh.normals[other];
    }
  });
  sort_by_number(out);
}

void gather_triangles(const HeightField& field, const PatchQuery& query, std::vector<PatchTriangle>& out) {
  out.clear();
  const TerrainTriangles terrain(field);
  for_each_cell(field, query.box, [&](std::uint32_t i, std::uint32_t j) {
    if (!field.cell_has_surface(i, j)) return;
    const double highest =
        std::max({field.height(i, j), field.height(i + 1, j), field.height(i, j + 1), field.height(i + 1, j + 1)});
    if (highest < query.box.low.z()) return;
    for (const bool upper : {false, true}) {
      const Vec3 normal = terrain.normal(i, j, upper);
      const double offset = normal.dot(field.sample(i, j));
      const double gap = query.gap(query.body, normal) - offset;
      if (gap > query.limit) continue;
      PatchTriangle& t = out.emplace_back();
      t.normal = normal;
      t.offset = offset;
      t.gap = gap;
      terrain.place(i, j, upper, t);
      fill_sides(t);
      terrain.link(i, j, upper, t);
    }
  });
  sort_by_number(out);
}

bool clear_of(const TriangleMesh& mesh, const Bounds& box) {
  bool clear = true;
  mesh.for_each_near(box, [&](std::uint32_t) { clear = false; });
  return clear;
}

bool clear_of(const HeightField& field, const Bounds& box) {
  bool clear = true;
  for_each_cell(field, box, [&](std::uint32_t i, std::uint32_t j) {
    if (!clear || !field.cell_has_surface(i, j)) return;
    clear = std::max({field.height(i, j), field.height(i + 1, j), field.height(i, j + 1), field.height(i + 1, j + 1)}) <
            box.low.z();
  });
  return clear;
}

}  // namespace carom
