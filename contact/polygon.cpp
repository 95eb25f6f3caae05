// Convex polygons of planar runs: checks, and the prism that carries their mass.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "contact/polyhedron.h"
#include "contact/shape.h"

namespace carom {

namespace {

// Checking for convexity tries all corners against all edges.
constexpr std::size_t kMaxVertices = 1000;
// Of the extent: corners this near to the line through their neighbours are none.
constexpr double kStraight = 1e-9;

[[noreturn]] void reject(std::size_t index, const Vec2& v, const char* problem) {
  throw InputError({"", 0, 0, fmt::format("vertices[{}]", index)}, problem, fmt::format("[{}, {}]", v.x(), v.y()));
}

double turn(const Vec2& u, const Vec2& v) { return u.x() * v.y() - u.y() * v.x(); }

// Where x is left of the line from p to q, m.
double left_of(const Vec2& p, const Vec2& q, const Vec2& x) {
  const Vec2 d = q - p;
  return turn(d, x - p) / d.norm();
}

struct Corner {
  Vec2 point;
  std::size_t given;  // number in the list as given
};

// Counter-clockwise corners without repeated ones and without those on straight lines.
std::vector<Corner> corners_of(std::span<const Vec2> vertices) {
  if (vertices.size() < 3 || vertices.size() > kMaxVertices)
    throw InputError({"", 0, 0, "vertices"}, fmt::format("a polygon has 3 to {} vertices", kMaxVertices),
                     fmt::format("{}", vertices.size()));
  std::vector<Corner> corners;
  Vec2 low = vertices[0], high = vertices[0];
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (!vertices[i].allFinite()) reject(i, vertices[i], "must be finite");
    low = low.cwiseMin(vertices[i]);
    high = high.cwiseMax(vertices[i]);
    corners.push_back({vertices[i], i});
  }
  double area = 0;
  for (std::size_t i = 1; i + 1 < vertices.size(); ++i)
    area += turn(vertices[i] - vertices[0], vertices[i + 1] - vertices[0]);
  const double extent = (high - low).norm();
  if (!(std::abs(area) > 1e-7 * extent * extent))
    throw InputError({"", 0, 0, "vertices"}, "the polygon encloses no area", fmt::format("{} m^2", 0.5 * area));
  if (area < 0) std::reverse(corners.begin(), corners.end());

  const double tolerance = kStraight * extent;
  for (std::size_t i = 0; i < corners.size() && corners.size() >= 3;) {
    const std::size_t n = corners.size();
    const Vec2 &before = corners[(i + n - 1) % n].point, &here = corners[i].point, &after = corners[(i + 1) % n].point;
    const bool repeats = (here - before).norm() <= tolerance;
    const bool straight = !repeats && (after - before).norm() > tolerance &&
                          std::abs(left_of(before, after, here)) <= tolerance && (here - before).dot(after - here) > 0;
    if (repeats || straight)
      corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec2 &from = corners[i].point, &to = corners[(i + 1) % corners.size()].point;
    for (const Corner& c : corners)
      if (left_of(from, to, c.point) < -tolerance)
        reject(c.given, c.point, "the polygon is not convex here: make it of several convex ones");
  }
  return corners;
}

}  // namespace

Shape Shape::polygon(std::span<const Vec2> vertices, double thickness) {
  if (!(thickness > 0) || !std::isfinite(thickness))
    throw InputError({"", 0, 0, "thickness"}, "must be finite and > 0", fmt::format("{}", thickness));
  const std::vector<Corner> corners = corners_of(vertices);
  const auto count = static_cast<std::uint32_t>(corners.size());
  // The prism: the polygon at -thickness/2, then at +thickness/2.
  std::vector<Vec3> points;
  for (const double z : {-0.5 * thickness, 0.5 * thickness})
    for (const Corner& c : corners) points.emplace_back(c.point.x(), c.point.y(), z);
  IndexLists loops;
  for (std::uint32_t i = 0; i < count; ++i) loops.items.push_back(count - 1 - i);
  loops.close();
  for (std::uint32_t i = 0; i < count; ++i) loops.items.push_back(count + i);
  loops.close();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t next = (i + 1) % count;
    loops.items.insert(loops.items.end(), {i, next, count + next, count + i});
    loops.close();
  }
  auto prism = std::make_shared<Polyhedron>(assemble_polyhedron(std::move(points), loops));
  const Vec2 centroid = prism->centroid.head<2>();
  prism->centroid.z() = 0;
  double outer = 0, inner = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < count; ++i) {
    outer = std::max(outer, (corners[i].point - centroid).norm());
    inner = std::min(inner, left_of(corners[i].point, corners[(i + 1) % count].point, centroid));
  }
  return {ShapeKind::Polygon, 0, Vec3(outer, inner, 0.5 * thickness), std::move(prism)};
}

}  // namespace carom
