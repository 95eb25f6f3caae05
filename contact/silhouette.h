// Silhouettes of solids along the normal of a planar run; for the narrow phase's own files only.
#pragma once

#include "contact/planar.h"

namespace carom {

// A point, a segment or a convex polygon, counter-clockwise in the frame of the plane, grown by `radius`.
struct Silhouette {
  std::vector<Vec2> point;            // m, from the chosen origin
  std::vector<std::uint32_t> corner;  // number of each point in contact keys
  double radius = 0;

  std::size_t size() const { return point.size(); }
  std::size_t next(std::size_t i) const { return i + 1 < point.size() ? i + 1 : 0; }
  std::size_t previous(std::size_t i) const { return i > 0 ? i - 1 : point.size() - 1; }
  void clear() {
    point.clear();
    corner.clear();
    radius = 0;
  }
  void add(const Vec2& x, std::size_t number) {
    point.push_back(x);
    corner.push_back(static_cast<std::uint32_t>(number));
  }
};

// Of a bounded shape; points are given from `origin` (world), which is near, so that a far one costs no digits.
void silhouette_of(const Shape& shape, const Pose& pose, const PlaneFrame& plane, const Vec3& origin, Silhouette& out);

}  // namespace carom
