// Narrow phase: the contacts of one pair of shapes.
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
//   sphere - any solid          one contact at the solid's nearest point; a centre inside leaves through the
//                               nearest face (of equally near ones the first: x before y before z for a box)
//   solid - half-space, plane   one contact per corner, feature = its number: corner of a box 0..7, bit i set
//                               where it has the positive half extent of axis i; vertex of a hull; end of a
//                               capsule; point of a rim, from its lowest on. Plane: on the side of the solid's
//                               centre
//   solid - solid               the manifold of the facing features: see contact/manifold.h, and for cylinders and
//                               cones contact/round_manifold.h
//   solid - mesh, height field  corners of the solid on triangles (feature: corner and slot), vertices and ridges of
//                               the surface against the solid: see contact/triangle_contacts.h
//
// Two walls or surfaces, which are never dynamic, have no contacts.
void collide(std::uint32_t a, const Shape& shape_a, const Pose& pose_a, std::uint32_t b, const Shape& shape_b,
             const Pose& pose_b, double margin, ContactSet& out);

}  // namespace carom
