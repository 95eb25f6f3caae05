// Narrow phase of planar runs: solids are their silhouettes along the plane's normal, which are convex polygons,
// segments or points grown by a rounding radius. Contacts lie in the plane and a pair has at most two.
//
// The silhouette is what the solid is to the plane when it is a prism, a ball, or a solid of revolution about the
// normal; a hull that is no prism is met as the prism over its silhouette.
#pragma once

#include "contact/contact_set.h"
#include "contact/shape.h"

namespace carom {

// The plane of motion: x = u e1 + v e2 (+ a height along the normal that is left alone), e1 x e2 = normal.
struct PlaneFrame {
  Vec3 normal, e1, e2;

  explicit PlaneFrame(const Vec3& k) : normal(k), e1(k.unitOrthogonal()), e2(k.cross(e1)) {}
  Vec2 flat(const Vec3& x) const { return {e1.dot(x), e2.dot(x)}; }
  Vec3 lift(const Vec2& x) const { return x.x() * e1 + x.y() * e2; }
};

// Whether the shape has a silhouette that the narrow phase knows: a flat shape whose local z is along the normal
// (either way), a cylinder or cone with its axis along or across it; every sphere, capsule, box and hull.
bool has_silhouette(const Shape& shape, const Pose& pose, const Vec3& normal);

// Appends the contacts with gap <= margin, at most two, keys as in contact/narrow_phase.h, normals in the plane.
//
//   round - round              one contact
//   round - polygon            one contact at the nearest point
//   polygon - half-space       the lowest corner and the lower one of its neighbours; feature = number of the corner
//   polygon - polygon          the ends of the stretch along which the two facing edges overlap
//
// Corners of a box are numbered as in three dimensions, of the two that coincide the one with the lower number; so are
// those of hulls; those of a polygon as given (turned round when they came clockwise).
void collide_planar(std::uint32_t a, const Shape& shape_a, const Pose& pose_a, std::uint32_t b, const Shape& shape_b,
                    const Pose& pose_b, const PlaneFrame& plane, double margin, ContactSet& out);

}  // namespace carom
