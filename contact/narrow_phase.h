// Narrow phase: closed forms for the contacts of one pair of shapes.
#pragma once

#include "contact/colliders.h"
#include "contact/contact_set.h"

namespace carom {

// Appends the contacts of one pair with gap <= margin, in feature order; key (a, b, feature), normal
// from b to a. Given in the order b, a the same contacts come out: keys always have the smaller number
// first, and normals follow the key.
//
//   sphere - sphere             one contact; coincident centres (no direction) take the normal +z
//   sphere - half-space         one contact along the outward normal
//   sphere - plane              one contact, on the side of the sphere's centre (+z when it lies in the plane)
//   sphere - box                one contact at the box's nearest point; a centre inside the box leaves
//                               through the nearest face (of equally near ones: x before y before z)
//   box - half-space, plane     one contact per corner, feature = corner 0..7, bit i set where the corner
//                               has the positive half extent of axis i; plane: on the side of the box's centre
//   all others                  none
void collide(std::uint32_t a, const Shape& shape_a, const Pose& pose_a, std::uint32_t b, const Shape& shape_b,
             const Pose& pose_b, double margin, ContactSet& out);

// Whether a pair of shapes has a contact computation here.
bool can_collide(ShapeKind a, ShapeKind b);

// Whether two boxes share a point (separating axes).
bool boxes_overlap(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b);

}  // namespace carom
