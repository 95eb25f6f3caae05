#include "contact/round_manifold.h"

#include <cmath>

#include "contact/feature_key.h"

namespace carom {

namespace {

// Number of a rim as an edge: where it enters the other's outline, and where it leaves it.
std::uint32_t rim_edge(int rim, int slot) { return static_cast<std::uint32_t>(1 + 2 * rim + slot); }
std::uint32_t rim_vertex(int rim, std::uint32_t k) { return (rim == 0 ? 0 : kUpperRim) + k; }

double turn(const Vec2& u, const Vec2& v) { return u.x() * v.y() - u.y() * v.x(); }

// Points found so far, those that coincide left out.
class Collector {
 public:
  Collector(const Cap& cap, double tolerance, double limit, Manifold& out)
      : cap_(cap), tolerance_(tolerance), limit_(limit), out_(out), first_(out.count) {}

  // A place over the plane of the cap: its foot along d, and how far it is.
  struct Foot {
    Vec2 at;
    double gap;
  };
  Foot foot(const Vec3& x) const {
    const double gap = (x.z() - height()) / cap_.d.z();
    return {x.head<2>() - gap * cap_.d.head<2>(), gap};
  }
  double height() const { return cap_.solid->rim_height(cap_.rim); }
  double radius() const { return cap_.solid->radius; }
  Vec3 on_cap(const Vec2& at) const { return {at.x(), at.y(), height()}; }

  template <class Feature>
  void add(Feature feature, const Vec2& at, double gap) {
    if (!(gap <= limit_)) return;
    for (int k = first_; k < out_.count; ++k) {
      const Vec3& p = out_.point[static_cast<std::size_t>(k)].on_a;
      if ((p.head<2>() - at).squaredNorm() <= 16 * tolerance_ * tolerance_) return;
    }
    const Vec3 x = on_cap(at);
    out_.add({feature, gap, x, x + gap * cap_.d});
  }

  // visit(direction, number) for the points that stand for the rim.
  template <class Visit>
  static void for_rim(const Vec3& d, Visit&& visit) {
    for (std::uint32_t k = 0; k < kRimPoints; ++k) visit(rim_directions()[k], k);
    const double across = std::hypot(d.x(), d.y());
    if (across > kTilted) visit(Vec2(d.head<2>() / across), kLowestOfRim);
  }

 private:
  const Cap& cap_;
  double tolerance_, limit_;
  Manifold& out_;
  int first_;
};

}  // namespace

void intersect_cap(const Cap& cap, const FeaturePolygon& polygon, double tolerance, double limit, Manifold& out) {
  Collector points(cap, tolerance, limit, out);
  const auto count = static_cast<std::size_t>(polygon.count);
  const double r = points.radius();
  std::array<Collector::Foot, kMaxCorners> foot;
  for (std::size_t j = 0; j < count; ++j) foot[j] = points.foot(polygon.corner[j]);
  const auto next = [&](std::size_t j) { return j + 1 < count ? j + 1 : 0; };

  if (count >= 3) {
    double area = 0;
    for (std::size_t j = 1; j + 1 < count; ++j) area += turn(foot[j].at - foot[0].at, foot[j + 1].at - foot[0].at);
    const double side = area < 0 ? -1 : 1;
    const auto over = [&](const Vec2& at) {
      for (std::size_t j = 0; j < count; ++j) {
        const Vec2 e = foot[next(j)].at - foot[j].at;
        if (-side * turn(e, at - foot[j].at) > tolerance * e.norm()) return false;
      }
      return true;
    };
    const double scale = 1 / polygon.plane.normal.dot(cap.d);
    Collector::for_rim(cap.d, [&](const Vec2& u, std::uint32_t k) {
      const Vec2 at = r * u;
      const double gap = scale * (polygon.plane.offset - polygon.plane.normal.dot(points.on_cap(at)));
      if (gap <= limit && over(at)) points.add(corner_of_a(rim_vertex(cap.rim, k)), at, gap);
    });
  }
  for (std::size_t j = 0; j < count; ++j)
    if (foot[j].at.norm() <= r + tolerance) points.add(corner_of_b(polygon.vertex[j]), foot[j].at, foot[j].gap);
  // |p + t e| = r on each edge
  for (std::size_t j = 0; j < (count >= 3 ? count : count - 1); ++j) {
    const Vec2 &p = foot[j].at, e = foot[next(j)].at - p;
    const double ee = e.squaredNorm(), pe = p.dot(e), off2 = r * r - std::pow(turn(p, e), 2) / ee;
    if (!(off2 > tolerance * tolerance)) continue;
    const double half = std::sqrt(off2 / ee), middle = -pe / ee;
    const auto add = [&](double t, int slot) {
      if (t <= 0 || t >= 1) return;
      points.add(edge_crossing(rim_edge(cap.rim, slot), polygon.edge[j]), p + t * e,
                 foot[j].gap + t * (foot[next(j)].gap - foot[j].gap));
    };
    if (p.norm() > r + tolerance) add(middle - half, 0);
    if (foot[next(j)].at.norm() > r + tolerance) add(middle + half, 1);
  }
}

void intersect_caps(const Cap& cap, const RoundSolid& other, int other_rim, const RelativeFrame& in_frame,
                    double tolerance, double limit, Manifold& out) {
  Collector points(cap, tolerance, limit, out);
  const double r = points.radius(), q = other.radius;
  const Vec3 axis = in_frame.rotation.col(2), centre = in_frame.point(Vec3(0, 0, other.rim_height(other_rim)));
  const double scale = 1 / axis.dot(cap.d);
  // From a place on the cap along d to the plane of the other, and from its centre there.
  const auto gap_at = [&](const Vec2& at) { return scale * axis.dot(centre - points.on_cap(at)); };
  const auto arm_at = [&](const Vec2& at) { return Vec3(points.on_cap(at) + gap_at(at) * cap.d - centre); };

  Collector::for_rim(cap.d, [&](const Vec2& u, std::uint32_t k) {
    const Vec2 at = r * u;
    if (arm_at(at).norm() <= q + tolerance) points.add(corner_of_a(rim_vertex(cap.rim, k)), at, gap_at(at));
  });
  const Vec2 middle = points.foot(centre).at;
  const double off = middle.norm();
  // Discs that lie flush have the points of the first alone, and the lowest of the other.
  const bool flush = off + std::abs(r - q) <= tolerance;
  Collector::for_rim(in_frame.direction_to_a(-cap.d), [&](const Vec2& u, std::uint32_t k) {
    if (flush && k != kLowestOfRim) return;
    const auto foot = points.foot(in_frame.point(Vec3(q * u.x(), q * u.y(), other.rim_height(other_rim))));
    if (foot.at.norm() <= r + tolerance) points.add(corner_of_b(rim_vertex(other_rim, k)), foot.at, foot.gap);
  });
  if (flush || off <= std::abs(r - q) || off >= r + q) return;
  // Two circles; the other is an ellipse when seen along d, which Newton's method allows for.
  const Vec2 along = middle / off, across(-along.y(), along.x());
  const double c = (off * off + r * r - q * q) / (2 * off * r), s = std::sqrt(std::max(0.0, 1 - c * c));
  for (const int slot : {0, 1}) {
    Vec2 u = c * along + (slot == 0 ? s : -s) * across;
    for (int round = 0; round < 4; ++round) {
      const Vec3 arm = arm_at(r * u), tangent(-u.y(), u.x(), 0);
      const Vec3 slide = tangent - scale * axis.dot(tangent) * cap.d;  // of the foot on the other's plane
      const double value = arm.squaredNorm() - q * q, slope = 2 * r * arm.dot(slide);
      if (!(std::abs(slope) > 1e-9 * r * q)) break;
      u = (u - value / slope * Vec2(-u.y(), u.x())).normalized();
    }
    points.add(edge_crossing(rim_edge(cap.rim, slot), rim_edge(other_rim, slot)), r * u, gap_at(r * u));
  }
}

}  // namespace carom
