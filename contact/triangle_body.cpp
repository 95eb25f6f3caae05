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
  if (round) {
    round_solid = RoundSolid(solid);
    return;
  }
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
  return n.dot(frame.shift) - round_solid.height(-frame.direction_to_a(n));
}

Bounds GroundBody::bounds() const {
  Bounds box;
  for (int k = 0; k < 3; ++k) {
    box.low[k] = lowest(Vec3::Unit(k)) - radius;
    box.high[k] = -lowest(-Vec3::Unit(k)) + radius;
  }
  return box;
}

namespace {

constexpr std::uint32_t kRimCorners = kRimPoints + 1;  // those fixed in the body, then the lowest

}  // namespace

std::uint32_t GroundBody::corner_count() const {
  if (!round) return static_cast<std::uint32_t>(vertices.size());
  return round_solid.cone ? kRimCorners + 1 : 2 * kRimCorners;
}

Vec3 GroundBody::rim_point(int rim, const Vec2& direction) const {
  const Vec2 at = round_solid.radius * direction;
  return frame.point(Vec3(at.x(), at.y(), round_solid.rim_height(rim)));
}

std::optional<Vec3> GroundBody::corner(std::uint32_t number, const PatchTriangle& over) const {
  if (!round) return vertices[number];
  if (round_solid.cone && number == kRimCorners) return frame.point(Vec3(0, 0, round_solid.high));
  const int rim = number < kRimCorners ? 0 : 1;
  const std::uint32_t point = number % kRimCorners;
  const double across = std::hypot(over.down.x(), over.down.y());
  const bool faces = across < kCapFaces && (rim == 0) == (over.down.z() < 0);
  if (point < kRimPoints) return faces ? std::optional(rim_point(rim, rim_directions()[point])) : std::nullopt;
  if (faces && across <= kTilted) return std::nullopt;
  return rim_point(rim, across > 0 ? Vec2(over.down.head<2>() / across) : Vec2(1, 0));
}

}  // namespace carom
