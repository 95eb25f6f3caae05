// The separation of two solids by their support functions, which are plain formulas, and search: any direction shows a
// gap that is not above the true one, so that a search can refute an answer; a pair of surface points at the distance
// that a direction shows proves it.
#pragma once

#include <array>
#include <cmath>

#include "base/random.h"
#include "contact/polyhedron.h"
#include "contact/shape.h"

namespace carom::oracle {

struct PlacedShape {
  Shape shape;
  Pose pose;

  // max d . x over the solid
  double height(const Vec3& d) const {
    const Vec3 l = pose.rotation.toRotationMatrix().transpose() * d;
    const double at = d.dot(pose.position), r = shape.radius, h = shape.half_length();
    switch (shape.kind) {
      case ShapeKind::Sphere:
        return at + r * d.norm();
      case ShapeKind::Capsule:
        return at + r * d.norm() + h * std::abs(l.z());
      case ShapeKind::Box:
        return at + l.cwiseAbs().dot(shape.half_extents);
      case ShapeKind::Cylinder:
        return at + h * std::abs(l.z()) + r * std::sqrt(l.x() * l.x() + l.y() * l.y());
      case ShapeKind::Cone:
        return at + std::max(1.5 * h * l.z(), -0.5 * h * l.z() + r * std::sqrt(l.x() * l.x() + l.y() * l.y()));
      case ShapeKind::Hull: {
        double most = -INFINITY;
        for (const Vec3& v : shape.polyhedron().vertices) most = std::max(most, l.dot(v));
        return at + most;
      }
      default:
        return NAN;
    }
  }
};

// The gap that the unit direction n, from b to a, shows.
inline double shown_gap(const PlacedShape& a, const PlacedShape& b, const Vec3& n) {
  return -a.height(-n) - b.height(n);
}

struct Searched {
  double gap = -INFINITY;
  Vec3 normal = Vec3::UnitZ();
};

// Climbs from `n` by ever smaller steps in random directions.
inline Searched climb(const PlacedShape& a, const PlacedShape& b, const Vec3& start, double step,
                      RandomStream& random) {
  Searched best{shown_gap(a, b, start), start};
  for (int round = 0; round < 2000 && step > 1e-10; ++round) {
    bool better = false;
    const Vec3 u = best.normal.cross(random.direction()).normalized(), v = best.normal.cross(u);
    for (int k = 0; k < 5 && !better; ++k) {
      const double angle = 2 * 3.141592653589793 * k / 5;
      const Vec3 n = (best.normal + step * (std::cos(angle) * u + std::sin(angle) * v)).normalized();
      const double gap = shown_gap(a, b, n);
      if (gap > best.gap) best = {gap, n}, better = true;
    }
    if (!better) step *= 0.6;
  }
  return best;
}

// The best of `tries` random directions, the best few of them climbed from.
inline Searched search(const PlacedShape& a, const PlacedShape& b, int tries, RandomStream& random) {
  std::array<Searched, 4> top;
  for (int k = 0; k < tries; ++k) {
    const Vec3 n = random.direction();
    const double gap = shown_gap(a, b, n);
    // Keeps the best of each of four quarters of the sphere, so that starts differ.
    Searched& slot = top[static_cast<std::size_t>((n.x() > 0 ? 1 : 0) + (n.y() > 0 ? 2 : 0))];
    if (gap > slot.gap) slot = {gap, n};
  }
  Searched best;
  for (const Searched& s : top) {
    if (std::isinf(s.gap)) continue;
    const Searched climbed = climb(a, b, s.normal, 0.2, random);
    if (climbed.gap > best.gap) best = climbed;
  }
  return best;
}

// How far a point is from the surface of a solid of revolution or a box; negative inside.
inline double signed_distance_bound(const PlacedShape& p, const Vec3& x) {
  const Vec3 l = p.pose.rotation.toRotationMatrix().transpose() * (x - p.pose.position);
  const double rho = std::hypot(l.x(), l.y()), r = p.shape.radius, h = p.shape.half_length();
  switch (p.shape.kind) {
    case ShapeKind::Sphere:
      return l.norm() - r;
    case ShapeKind::Capsule:
      return std::hypot(rho, std::max(0.0, std::abs(l.z()) - h)) - r;
    case ShapeKind::Box:
      return (l.cwiseAbs() - p.shape.half_extents).maxCoeff();
    case ShapeKind::Cylinder:
      return std::max(rho - r, std::abs(l.z()) - h);
    case ShapeKind::Cone: {
      const double slant = std::hypot(2 * h, r);
      return std::max(-l.z() - 0.5 * h, (2 * h * rho + r * (l.z() - 1.5 * h)) / slant);
    }
    case ShapeKind::Hull: {
      double highest = -INFINITY;
      for (const FacePlane& plane : p.shape.polyhedron().planes)
        highest = std::max(highest, plane.normal.dot(l) - plane.offset);
      return highest;
    }
    default:
      return NAN;
  }
}

}  // namespace carom::oracle
