#include "contact/silhouette.h"

#include <algorithm>
#include <cmath>

#include "contact/convex_core.h"

namespace carom {

namespace {

// Directions within this angle (rad) of the plane or of its normal are in it, or along it.
constexpr double kAligned = 1e-6;
// Corners that coincide within this share of the size when seen along the normal are one.
constexpr double kCoincide = 1e-9;

double turn(const Vec2& u, const Vec2& v) { return u.x() * v.y() - u.y() * v.x(); }

void orient(Silhouette& s) {
  double area = 0;
  for (std::size_t i = 1; i + 1 < s.size(); ++i) area += turn(s.point[i] - s.point[0], s.point[i + 1] - s.point[0]);
  if (area >= 0) return;
  std::reverse(s.point.begin(), s.point.end());
  std::reverse(s.corner.begin(), s.corner.end());
}

// Projected vertices to their convex hull (Andrew 1979), coinciding ones merged under the lowest number.
class Outline {
 public:
  void build(std::span<const Vec3> vertices, const Mat3& R, const Vec3& shift, const PlaneFrame& plane, double size,
             Silhouette& out) {
    tolerance_ = kCoincide * size;
    spot_.clear();
    for (std::uint32_t i = 0; i < vertices.size(); ++i) spot_.push_back({plane.flat(R * vertices[i] + shift), i});
    std::sort(spot_.begin(), spot_.end(), before);
    merge();
    chain_.clear();
    half(spot_.begin(), spot_.end());
    half(spot_.rbegin(), spot_.rend());
    for (const Spot& s : chain_) out.add(s.at, s.number);
  }

 private:
  struct Spot {
    Vec2 at;
    std::uint32_t number;
  };
  static bool before(const Spot& p, const Spot& q) {
    if (p.at.x() != q.at.x()) return p.at.x() < q.at.x();
    return p.at.y() != q.at.y() ? p.at.y() < q.at.y() : p.number < q.number;
  }
  void merge() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < spot_.size(); ++i) {
      bool found = false;
      for (std::size_t j = kept; j-- > 0 && spot_[j].at.x() >= spot_[i].at.x() - tolerance_ && !found;) {
        found = (spot_[j].at - spot_[i].at).norm() <= tolerance_;
        if (found) spot_[j].number = std::min(spot_[j].number, spot_[i].number);
      }
      if (!found) spot_[kept++] = spot_[i];
    }
    spot_.resize(kept);
    // Merging may have left points in another order by rounding.
    std::sort(spot_.begin(), spot_.end(), before);
  }
  template <class Iterator>
  void half(Iterator from, Iterator to) {
    const std::size_t first = chain_.size();
    for (; from != to; ++from) {
      while (chain_.size() >= first + 2) {
        const Vec2 &p = chain_[chain_.size() - 2].at, &q = chain_.back().at;
        if (turn(q - p, from->at - p) > tolerance_ * (from->at - p).norm()) break;
        chain_.pop_back();
      }
      chain_.push_back(*from);
    }
    chain_.pop_back();  // it starts the other half
  }

  double tolerance_ = 0;
  std::vector<Spot> spot_, chain_;
};

// A cylinder or cone: a circle when its axis is along the normal, otherwise its section through the axis.
void revolved_silhouette(const Shape& shape, const Mat3& R, const Vec2& centre, const PlaneFrame& plane,
                         Silhouette& out) {
  const Vec2 axis = plane.flat(R.col(2));
  if (axis.norm() < 0.5) {
    out.add(centre, 0);
    out.radius = shape.radius;
    return;
  }
  const Vec2 along = axis.normalized(), across(-along.y(), along.x());
  const bool cone = shape.kind == ShapeKind::Cone;
  const double low = cone ? -0.5 * shape.half_length() : -shape.half_length();
  const double high = cone ? 1.5 * shape.half_length() : shape.half_length();
  out.add(centre + low * along + shape.radius * across, 0);
  out.add(centre + low * along - shape.radius * across, 1);
  if (cone) return out.add(centre + high * along, 2);
  out.add(centre + high * along - shape.radius * across, 2);
  out.add(centre + high * along + shape.radius * across, 3);
}

void box_silhouette(const Vec3& half, const Mat3& R, const Vec3& shift, const PlaneFrame& plane, Silhouette& out) {
  const Vec3 normal = R.transpose() * plane.normal;
  int axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  if (std::hypot(normal[u], normal[v]) > kAligned) {
    thread_local Outline outline;
    std::array<Vec3, 8> vertices;
    for (std::size_t i = 0; i < 8; ++i) vertices[i] = unit_box().vertices[i].cwiseProduct(half);
    return outline.build(vertices, R, shift, plane, half.norm(), out);
  }
  const Vec2 centre = plane.flat(shift), du = half[u] * plane.flat(R.col(u)), dv = half[v] * plane.flat(R.col(v));
  const std::size_t bit_u = std::size_t{1} << u, bit_v = std::size_t{1} << v;
  out.add(centre - du - dv, 0);
  out.add(centre + du - dv, bit_u);
  out.add(centre + du + dv, bit_u | bit_v);
  out.add(centre - du + dv, bit_v);
  orient(out);
}

}  // namespace

bool has_silhouette(const Shape& shape, const Pose& pose, const Vec3& normal) {
  if (!shape.flat() && shape.kind != ShapeKind::Cylinder && shape.kind != ShapeKind::Cone) return true;
  const Vec3 axis = pose.rotation.normalized() * Vec3::UnitZ();
  const bool along = axis.cross(normal).norm() <= kAligned;
  return along || (!shape.flat() && std::abs(axis.dot(normal)) <= kAligned);
}

void silhouette_of(const Shape& shape, const Pose& pose, const PlaneFrame& plane, const Vec3& origin, Silhouette& out) {
  out.clear();
  const Vec3 shift = pose.position - origin;
  const Vec2 centre = plane.flat(shift);
  if (shape.kind == ShapeKind::Sphere || shape.kind == ShapeKind::Disk) {
    out.add(centre, 0);
    out.radius = shape.radius;
    return;
  }
  const Mat3 R = pose.rotation.toRotationMatrix();
  switch (shape.kind) {
    case ShapeKind::Capsule: {
      const Vec2 arm = shape.half_length() * plane.flat(R.col(2));
      out.radius = shape.radius;
      if (arm.norm() <= kCoincide * shape.half_length()) return out.add(centre, 0);
      out.add(centre - arm, 0);
      return out.add(centre + arm, 1);
    }
    case ShapeKind::Cylinder:
    case ShapeKind::Cone:
      return revolved_silhouette(shape, R, centre, plane, out);
    case ShapeKind::Box:
      return box_silhouette(shape.half_extents, R, shift, plane, out);
    case ShapeKind::Polygon: {
      const auto vertices = std::span(shape.polyhedron().vertices).first(shape.polyhedron().vertices.size() / 2);
      const Vec2 x = plane.flat(R.col(0)), y = plane.flat(R.col(1));
      for (std::size_t i = 0; i < vertices.size(); ++i) out.add(centre + vertices[i].x() * x + vertices[i].y() * y, i);
      if (turn(x, y) < 0) orient(out);
      return;
    }
    case ShapeKind::Hull: {
      thread_local Outline outline;
      return outline.build(shape.polyhedron().vertices, R, shift, plane, shape.polyhedron().outer_radius, out);
    }
    default:
      CAROM_CHECK(false, "a bounded solid");
  }
}

}  // namespace carom
