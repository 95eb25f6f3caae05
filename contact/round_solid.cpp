#include "contact/round_solid.h"

#include <cmath>
#include <numbers>

namespace carom {

namespace {

// The profile is a convex polygon in the half plane (rho, z), rho >= 0, given by the segments that are surface, each
// with its outward normal.
struct ProfileSegment {
  Vec2 from, to, normal;
};

SurfacePoint revolved_surface(std::span<const ProfileSegment> profile, const Vec3& x) {
  const double rho = std::hypot(x.x(), x.y());
  // On the axis every azimuth is as near; +x is taken.
  const Vec2 radial = rho > 0 ? Vec2(x.head<2>() / rho) : Vec2(1, 0);
  const Vec2 p(rho, x.z());
  const auto lift = [&](const Vec2& q) { return Vec3(q.x() * radial.x(), q.x() * radial.y(), q.y()); };

  double highest = -std::numeric_limits<double>::infinity(), nearest2 = std::numeric_limits<double>::infinity();
  const ProfileSegment* face = nullptr;
  Vec2 nearest = Vec2::Zero();
  for (const ProfileSegment& s : profile) {
    const double height = s.normal.dot(p - s.from);
    if (height > highest) highest = height, face = &s;
    const Vec2 d = s.to - s.from;
    const Vec2 q = s.from + std::clamp(d.dot(p - s.from) / d.squaredNorm(), 0.0, 1.0) * d;
    const double squared = (p - q).squaredNorm();
    if (squared < nearest2) nearest2 = squared, nearest = q;
  }
  if (highest > 0) {
    const Vec3 at = lift(nearest), offset = x - at;
    const double distance = offset.norm();
    if (distance > 0) return {at, offset / distance, distance};
  }
  return {lift(p - highest * face->normal), lift(face->normal), highest};
}

}  // namespace

RoundSolid::RoundSolid(const Shape& shape) : radius(shape.radius), cone(shape.kind == ShapeKind::Cone) {
  const double half = shape.half_length();
  low = cone ? -0.5 * half : -half;
  high = cone ? 1.5 * half : half;
  if (!cone) return;
  const double slant = std::hypot(2 * half, radius);
  side_cos = 2 * half / slant;
  side_sin = radius / slant;
}

Vec3 RoundSolid::support(const Vec3& d) const {
  const double across = std::hypot(d.x(), d.y());
  if (cone && high * d.z() >= low * d.z() + radius * across) return {0, 0, high};
  const double z = !cone && d.z() > 0 ? high : low;
  return across > 0 ? Vec3(radius * d.x() / across, radius * d.y() / across, z) : Vec3(0, 0, z);
}

SurfacePoint RoundSolid::surface(const Vec3& x) const {
  if (cone) {
    const ProfileSegment profile[] = {{Vec2(radius, low), Vec2(0, high), Vec2(side_cos, side_sin)},
                                      {Vec2(0, low), Vec2(radius, low), Vec2(0, -1)}};
    return revolved_surface(profile, x);
  }
  const ProfileSegment profile[] = {{Vec2(radius, low), Vec2(radius, high), Vec2(1, 0)},
                                    {Vec2(0, high), Vec2(radius, high), Vec2(0, 1)},
                                    {Vec2(0, low), Vec2(radius, low), Vec2(0, -1)}};
  return revolved_surface(profile, x);
}

const std::array<Vec2, kRimPoints>& rim_directions() {
  static const auto directions = [] {
    std::array<Vec2, kRimPoints> rim;
    for (std::size_t k = 0; k < kRimPoints; ++k) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(k) / kRimPoints;
      rim[k] = Vec2(std::cos(angle), std::sin(angle));
    }
    return rim;
  }();
  return directions;
}

std::array<Vec2, kRimPoints> rim_directions(const Vec3& down) {
  const double across = std::hypot(down.x(), down.y());
  const Vec2 lowest = across > kTilted * down.norm() ? Vec2(down.head<2>() / across) : Vec2(1, 0);
  std::array<Vec2, kRimPoints> rim;
  for (std::size_t k = 0; k < kRimPoints; ++k) {
    const Vec2& turn = rim_directions()[k];
    rim[k] = Vec2(turn.x() * lowest.x() - turn.y() * lowest.y(), turn.y() * lowest.x() + turn.x() * lowest.y());
  }
  return rim;
}

void facing_feature(const RoundSolid& solid, const Vec3& d, RoundFeature& out) {
  const double across = std::hypot(d.x(), d.y());
  out.cap = across < kCapFaces && (d.z() < 0 || !solid.cone);
  out.rim = d.z() > 0 ? 1 : 0;
  out.polygon.count = 0;
  if (out.cap) return;
  const Vec2 towards = across > 0 ? Vec2(d.head<2>() / across) : Vec2(1, 0);
  const Vec3 base(solid.radius * towards.x(), solid.radius * towards.y(), solid.low);
  const Vec3 top = solid.cone ? Vec3(0, 0, solid.high) : Vec3(base.x(), base.y(), solid.high);
  const std::uint32_t top_number = solid.cone ? kApex : kUpperRim + kLowestOfRim;
  const Vec3 along = top - base;
  const bool side = std::abs(d.dot(along)) < kCapFaces * along.norm();
  const bool upper = d.dot(along) > 0;
  if (side || !upper) out.polygon.add(base, kLowestOfRim, 0);
  if (side || upper) out.polygon.add(top, top_number, 0);
}

}  // namespace carom
