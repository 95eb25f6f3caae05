// Manifolds of caps: the corners of the region in which a disc and a facing feature overlap, seen along the direction
// of contact. A disc is met in eight points of its rim that are fixed in the body, so that a drum at rest, or one that
// turns about its axis, keeps its contacts; in the lowest point of the rim once it is tilted, so that it rolls and
// topples over the true circle; and where its rim crosses the outline of the other.
#pragma once

#include "contact/round_solid.h"

namespace carom {

// Which cap, seen along d, out of the solid; everything is in the frame of the solid.
struct Cap {
  const RoundSolid* solid = nullptr;
  int rim = 0;
  Vec3 d = Vec3::UnitZ();
};

// The disc is a, the polygon (one, two or more corners) is b; gaps are along d.
void intersect_cap(const Cap& cap, const FeaturePolygon& polygon, double tolerance, double limit, Manifold& out);

// Two caps; `in_frame` places the other solid in the frame of the first.
void intersect_caps(const Cap& cap, const RoundSolid& other, int other_rim, const RelativeFrame& in_frame,
                    double tolerance, double limit, Manifold& out);

}  // namespace carom
