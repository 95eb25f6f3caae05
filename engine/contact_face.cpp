#include "engine/contact_face.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/polyhedron.h"

namespace carom {

namespace {

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

}  // namespace

std::pair<Vec3, Vec3> plane_axes(const Vec3& n) {
  const Vec3 first = n.unitOrthogonal();
  return {first, n.cross(first)};
}

// Andrew's monotone chain.
std::vector<std::size_t> hull_of(std::span<const Vec2> points) {
  std::vector<std::size_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const Vec2 &a = points[i], &b = points[j];
    return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
  });
  std::vector<std::size_t> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (std::size_t i : order) {
      const auto turns_right = [&] {
        const Vec2 &o = points[hull[hull.size() - 2]], &a = points[hull.back()];
        return cross(a - o, points[i] - o) <= 0;
      };
      while (hull.size() >= start + 2 && turns_right()) hull.pop_back();
      hull.push_back(i);
    }
    hull.pop_back();
    std::reverse(order.begin(), order.end());
  }
  return hull;
}

std::vector<double> corner_areas(std::span<const Vec3> points, const Vec3& normal) {
  if (points.size() < 3) return {};
  const auto [e1, e2] = plane_axes(normal);
  std::vector<Vec2> flat;
  for (const Vec3& point : points) flat.emplace_back(e1.dot(point - points[0]), e2.dot(point - points[0]));
  const std::vector<std::size_t> hull = hull_of(flat);
  const std::size_t n = hull.size();
  if (n < 3) return {};
  // the centroid, by triangles from the first corner
  double area = 0, size = 0;
  Vec2 centroid = Vec2::Zero();
  const Vec2& o = flat[hull[0]];
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const Vec2 &a = flat[hull[k]], &b = flat[hull[k + 1]];
    const double t = 0.5 * cross(a - o, b - o);
    area += t;
    centroid += t / 3 * (o + a + b);
    size = std::max({size, (a - o).squaredNorm(), (b - o).squaredNorm()});
  }
  if (!(area > 1e-9 * size)) return {};
  centroid /= area;
  std::vector<double> areas(points.size(), 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t a = hull[k], b = hull[(k + 1) % n];
    const double half = 0.25 * cross(flat[a] - centroid, flat[b] - centroid);
    areas[a] += half;
    areas[b] += half;
  }
  return areas;
}

std::vector<double> end_areas(std::span<const Vec3> points, double depth) {
  if (points.size() != 2 || !std::isfinite(depth)) return {};
  const double half = 0.5 * depth * (points[1] - points[0]).norm();
  return half > 0 ? std::vector<double>(2, half) : std::vector<double>();
}

double depth_along(const Shape& shape, const Quat& rotation, const Vec3& direction) {
  const Vec3 local = rotation.conjugate() * direction;
  switch (shape.kind) {
    case ShapeKind::Box:
      return 2 * shape.half_extents.dot(local.cwiseAbs());
    case ShapeKind::Hull:
    case ShapeKind::Polygon: {
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (const Vec3& v : shape.polyhedron().vertices)
        low = std::min(low, local.dot(v)), high = std::max(high, local.dot(v));
      return high - low;
    }
    case ShapeKind::Disk:
    case ShapeKind::Cylinder:
      return 2 * (shape.half_length() * std::abs(local.z()) + shape.radius * local.head<2>().norm());
    default:
      return 2 * shape.bounding_radius();
  }
}

}  // namespace carom
