// Bodies of several shapes whose common centroid is not where they were drawn from.
#pragma once

#include "engine/world.h"

namespace carom {

// Volume, centroid and inertia about the centroid of all solid shapes of a body together, in the frame of the body, at
// density 1. Shapes that overlap count twice where they do.
SolidProperties compound_properties(std::span<const ColliderSpec> colliders);

// Moves the frame of the body to the centre of mass of its shapes and leaves every shape where it is in the world: the
// offsets of the colliders lose the centroid, the body's position gains it. `velocity` is taken as that of the old
// origin and becomes that of the new one, v + w x d. Returns d in the world, by which the origin moved; zero when the
// body has no solid shape, is not dynamic, or has an inertia of its own, which is about the origin as it was given.
Vec3 recentre(BodySpec& spec);

}  // namespace carom
