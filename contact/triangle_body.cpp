#include <cmath>

#include "contact/triangle_contacts.h"

namespace carom {

void GroundBody::place(const Shape& solid, const RelativeFrame& in_surface) {
  shape = &solid;
  frame = in_surface;
  round = solid.kind == ShapeKind::Cylinder || solid.kind == ShapeKind::Cone;
  size = solid.bounding_radius();
  vertices.clear();
  planes.clear();
  radius = 0;
  centre = frame.shift;
  if (round) return;
  core = core_of(solid, storage);
  radius = core.radius;
  centre = frame.point(core.centre);
  for (const Vec3& v : core.vertices) vertices.push_back(frame.point(v));
  for (const FacePlane& plane : core.planes) {
    const Vec3 normal = frame.rotation * plane.normal;
    planes.push_back({normal, plane.offset + normal.dot(frame.shift)});
  }
}

double GroundBody::lowest(const Vec3& n) const {
  if (!round) return lowest_vertex(vertices, n).height;
  const Vec3 d = frame.direction_to_a(n);
  const double across = shape->radius * std::hypot(d.x(), d.y()), half = shape->half_length();
  const double at_base = shape->kind == ShapeKind::Cone ? -0.5 * half : -half;
  const double base = d.z() * at_base - across;
  const double top = shape->kind == ShapeKind::Cone ? 1.5 * half * d.z() : half * d.z() - across;
  return n.dot(frame.shift) + std::min(base, top);
}

Bounds GroundBody::bounds() const {
  Bounds box;
  for (int k = 0; k < 3; ++k) {
    box.low[k] = lowest(Vec3::Unit(k)) - radius;
    box.high[k] = -lowest(-Vec3::Unit(k)) + radius;
  }
  return box;
}

std::uint32_t GroundBody::corner_count() const {
  if (!round) return static_cast<std::uint32_t>(vertices.size());
  return static_cast<std::uint32_t>(shape->kind == ShapeKind::Cone ? kRimPoints + 1 : 2 * kRimPoints);
}

Vec3 GroundBody::corner(std::uint32_t number, const PatchTriangle& over) const {
  if (!round) return vertices[number];
  const double half = shape->half_length();
  if (shape->kind == ShapeKind::Cone && number == kRimPoints) return frame.point(Vec3(0, 0, 1.5 * half));
  const double z = number >= kRimPoints ? half : shape->kind == ShapeKind::Cone ? -0.5 * half : -half;
  const Vec2 at = shape->radius * rim_directions(over.down)[number % kRimPoints];
  return frame.point(Vec3(at.x(), at.y(), z));
}

}  // namespace carom
