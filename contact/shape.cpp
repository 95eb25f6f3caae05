#include "contact/shape.h"

#include <numbers>

namespace carom {

std::string_view name_of(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::Sphere:
      return "sphere";
    case ShapeKind::HalfSpace:
      return "half_space";
    case ShapeKind::Plane:
      return "plane";
    case ShapeKind::Box:
      return "box";
  }
  return "unknown";
}

SolidProperties solid_properties(const Shape& shape) {
  if (shape.kind == ShapeKind::Sphere) {
    const double volume = 4.0 / 3.0 * std::numbers::pi * shape.radius * shape.radius * shape.radius;
    // 2/5 m r^2 about every axis
    return {volume, 0.4 * volume * shape.radius * shape.radius * Mat3::Identity()};
  }
  if (shape.kind == ShapeKind::Box) {
    const Vec3 squared = shape.half_extents.cwiseAbs2();
    const double volume = 8.0 * shape.half_extents.prod();
    // m/3 (b^2 + c^2) with half extents
    const Vec3 diagonal =
        volume / 3.0 * Vec3(squared.y() + squared.z(), squared.z() + squared.x(), squared.x() + squared.y());
    return {volume, Mat3(diagonal.asDiagonal())};
  }
  return {};
}

}  // namespace carom
