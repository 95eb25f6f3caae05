#pragma once

#include "contact/colliders.h"
#include "contact/contact_set.h"

namespace carom {

// Appends the contacts of one pair with gap <= margin, in feature order; key (a, b, feature), normal
// from b to a.
void collide(std::uint32_t a, const Shape& shape_a, const Pose& pose_a, std::uint32_t b, const Shape& shape_b,
             const Pose& pose_b, double margin, ContactSet& out);

// Whether a pair of shapes has a contact computation here.
bool can_collide(ShapeKind a, ShapeKind b);

}  // namespace carom
