// Separation of a cylinder or cone from another solid: the largest gap that a direction shows (see
// contact/separation.h), in the frame of the round solid.
//
// With d pointing out of the round solid R towards the other solid P, the gap shown by d is
//
//     s(d) = min over P of d . x  -  max over R of d . x,
//
// never more than the true one; so candidates need not be proven, the best is taken. Overlapping solids leave each
// other along a direction where the boundary of their difference is smooth:
//
//     the normal of a cap, or of a face of P                                            in closed form
//     a normal of the side, touched by a corner or an edge of P                         in closed form
//     the direction across the rim and an edge of P: a summit over the rim's azimuth     by roots on the circle
//     of two round solids: the side of one against the other, and rim against rim        by roots on the circle
//
// Solids apart: the point of P's edges, or of the other's rims, that is nearest to R, whose distance is known in closed
// form and convex.
#pragma once

#include "contact/round_solid.h"

namespace carom {

struct RoundSeparation {
  bool beyond = true;  // farther apart than the limit; nothing else holds
  double distance = -std::numeric_limits<double>::infinity();
  Vec3 direction = Vec3::UnitZ();  // unit, out of the round solid
};

// A convex core placed in the frame of the round solid.
struct PlacedCore {
  std::vector<Vec3> vertex;
  std::vector<FacePlane> plane;
  std::span<const PolyhedronEdge> edges;
  Vec3 centre = Vec3::Zero();
  double size = 0;

  void place(const ConvexCore& core, const RelativeFrame& in_round);
  double lowest(const Vec3& d) const;  // min d . x
};

RoundSeparation separate(const RoundSolid& round, const PlacedCore& core, double limit);

// `in_round`: the frame of the other seen from that of the first.
RoundSeparation separate(const RoundSolid& round, const RoundSolid& other, const RelativeFrame& in_round, double limit);

}  // namespace carom
