// The closed set of shapes. A shape knows its own frame only; a Pose places it.
#pragma once

#include <limits>
#include <string_view>

#include "base/types.h"

namespace carom {

enum class ShapeKind : std::uint8_t {
  Sphere,     // radius about the local origin
  HalfSpace,  // solid is local z <= 0, outward normal is local +z; unbounded
  Plane,      // the sheet local z = 0, felt from both sides; unbounded
  Box,        // |x| <= half_extents, any orientation
};

struct Shape {
  ShapeKind kind = ShapeKind::Sphere;
  double radius = 0;                 // Sphere, m
  Vec3 half_extents = Vec3::Zero();  // Box, m

  static Shape sphere(double radius) { return {ShapeKind::Sphere, radius, Vec3::Zero()}; }
  static Shape half_space() { return {ShapeKind::HalfSpace, 0, Vec3::Zero()}; }
  static Shape plane() { return {ShapeKind::Plane, 0, Vec3::Zero()}; }
  static Shape box(const Vec3& half_extents) { return {ShapeKind::Box, 0, half_extents}; }

  bool bounded() const { return kind == ShapeKind::Sphere || kind == ShapeKind::Box; }
  // Radius of the ball about the local origin that holds the shape; infinite when unbounded.
  double bounding_radius() const {
    if (kind == ShapeKind::Sphere) return radius;
    if (kind == ShapeKind::Box) return half_extents.norm();
    return std::numeric_limits<double>::infinity();
  }
};

std::string_view name_of(ShapeKind kind);  // "sphere", "half_space", "plane", "box"

// Mass properties of the solid at density 1: volume and inertia tensor about the local origin,
// which is the centroid of every bounded shape here. Unbounded shapes have none (zero).
struct SolidProperties {
  double volume = 0;            // m^3
  Mat3 inertia = Mat3::Zero();  // m^5
};
SolidProperties solid_properties(const Shape& shape);

}  // namespace carom
