// Cylinders and cones in closed form: support, distance of a point, and the features they show; for the narrow phase's
// own files only. The frame is the solid's own: its axis is z.
#pragma once

#include "contact/manifold.h"
#include "contact/shape.h"

namespace carom {

// The surface point of a solid nearest to a point x, the outward direction at it and the signed distance of x, negative
// inside: x = point + distance normal.
struct SurfacePoint {
  Vec3 point;
  Vec3 normal;
  double distance;
};

// Numbers of the points of a round solid in contact keys. Rim points 0 to 7 are fixed in the body; the lowest one goes
// where the tilt takes it.
inline constexpr std::uint32_t kRimPoints = 8;
inline constexpr std::uint32_t kLowestOfRim = 8, kUpperRim = 16, kApex = 32;

struct RoundSolid {
  double low = 0, high = 0;  // of the base, and of the top or the apex along z, m
  double radius = 0;         // of the base
  bool cone = false;
  double side_cos = 1, side_sin = 0;  // outward normal of the side: (cos * radial direction, sin)

  RoundSolid() = default;
  explicit RoundSolid(const Shape& shape);  // Cylinder or Cone

  int rims() const { return cone ? 1 : 2; }
  double rim_height(int rim) const { return rim == 0 ? low : high; }
  double size() const { return std::max(radius, 0.5 * (high - low)); }

  // max d . x over the solid, and a point where it is taken.
  double height(const Vec3& d) const {
    const double across = std::sqrt(d.x() * d.x() + d.y() * d.y());
    if (cone) return std::max(high * d.z(), low * d.z() + radius * across);
    return (d.z() > 0 ? high : low) * d.z() + radius * across;
  }
  Vec3 support(const Vec3& d) const;

  SurfacePoint surface(const Vec3& x) const;
};

// Tilt of a cap (sine of the angle between its normal and the direction of contact) from which the lowest point of the
// rim is told apart from its neighbours, and from which on it is all that is met of the cap.
inline constexpr double kTilted = 1e-6, kCapFaces = 0.05;

// Eight directions (x, y) fixed in the body that stand for a rim.
const std::array<Vec2, kRimPoints>& rim_directions();
// Eight that begin with the lowest along `down`, or, when the axis is along it within kTilted, with a fixed one.
std::array<Vec2, kRimPoints> rim_directions(const Vec3& down);

// What a round solid shows along the outward direction d: a cap, its side as a segment, or a point of a rim or the
// apex.
struct RoundFeature {
  bool cap = false;
  int rim = 0;             // of the cap
  FeaturePolygon polygon;  // of two corners or one when it is no cap; in the frame of the solid
};
void facing_feature(const RoundSolid& solid, const Vec3& d, RoundFeature& out);

}  // namespace carom
