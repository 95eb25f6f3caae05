// Polygons into triangles by ear clipping.
#include <cmath>

#include "io/mesh_text.h"

namespace carom {

namespace {

double cross(const Vec2& u, const Vec2& v) { return u.x() * v.y() - u.y() * v.x(); }

// Within the triangle or on its outline; the triangle is counter-clockwise.
bool holds(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& x) {
  return cross(b - a, x - a) >= 0 && cross(c - b, x - b) >= 0 && cross(a - c, x - c) >= 0;
}

struct Outline {
  std::vector<std::uint32_t> vertex;
  std::vector<Vec2> at;

  std::size_t size() const { return vertex.size(); }
  std::size_t before(std::size_t k) const { return k > 0 ? k - 1 : size() - 1; }
  std::size_t after(std::size_t k) const { return k + 1 < size() ? k + 1 : 0; }
  void remove(std::size_t k) {
    vertex.erase(vertex.begin() + static_cast<std::ptrdiff_t>(k));
    at.erase(at.begin() + static_cast<std::ptrdiff_t>(k));
  }

  // Twice the area of the ear at corner k, or 0 when it is none: turned inwards, or with another corner in it.
  double ear(std::size_t k) const {
    const Vec2 &a = at[before(k)], &b = at[k], &c = at[after(k)];
    const double area = cross(b - a, c - b);
    if (!(area > 0)) return 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (i == before(k) || i == k || i == after(k)) continue;
      if (at[i] == a || at[i] == b || at[i] == c) continue;
      if (holds(a, b, c, at[i])) return 0;
    }
    return area;
  }
};

// Shape of a triangle: twice its area over the square of its longest side.
double shape(const Outline& o, std::size_t k, double area) {
  const Vec2 &a = o.at[o.before(k)], &b = o.at[k], &c = o.at[o.after(k)];
  return area / std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
}

}  // namespace

bool triangulate(std::span<const Vec3> vertices, std::span<const std::uint32_t> polygon,
                 std::vector<TriangleCorners>& out) {
  if (polygon.size() == 3) {
    out.push_back({polygon[0], polygon[1], polygon[2]});
    return true;
  }
  // Newell's normal: the area vector, twice.
  const Vec3& origin = vertices[polygon[0]];
  Vec3 normal = Vec3::Zero();
  for (std::size_t k = 1; k + 1 < polygon.size(); ++k)
    normal += (vertices[polygon[k]] - origin).cross(vertices[polygon[k + 1]] - origin);
  if (!(normal.squaredNorm() > 0)) return false;
  normal.normalize();
  const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
  Outline outline;
  for (const std::uint32_t p : polygon) {
    outline.vertex.push_back(p);
    outline.at.emplace_back(u.dot(vertices[p] - origin), v.dot(vertices[p] - origin));
  }
  // The best shaped ear each time; of equals the first.
  while (outline.size() > 3) {
    std::size_t best = outline.size();
    double best_shape = 0;
    for (std::size_t k = 0; k < outline.size(); ++k) {
      const double area = outline.ear(k);
      if (!(area > 0)) continue;
      const double s = shape(outline, k, area);
      if (s > best_shape) best_shape = s, best = k;
    }
    if (best == outline.size()) return false;
    out.push_back({outline.vertex[outline.before(best)], outline.vertex[best], outline.vertex[outline.after(best)]});
    outline.remove(best);
  }
  out.push_back({outline.vertex[0], outline.vertex[1], outline.vertex[2]});
  return true;
}

}  // namespace carom
