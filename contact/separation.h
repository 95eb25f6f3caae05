// Separation of two convex cores: the largest gap that a direction shows,
//
//     max over unit n of  min over a, b of  n . (a - b),
//
// which is their distance when they are apart and minus the depth of the least translation that parts them when they
// overlap. Overlap: the maximum lies at a face normal of either core or at the cross product of two edges whose arcs of
// normals meet on the unit sphere (Gregorius 2013); faces and arcs that cannot beat the best so far are skipped by a
// bound from the other core's inner ball. Apart: GJK, unless the face or edge pair found is seen to be nearest.
#pragma once

#include "contact/convex_core.h"

namespace carom {

struct Separation {
  enum class Kind : std::uint8_t {
    Beyond,  // farther apart than the limit; nothing else holds
    FaceA,   // a face of a, a vertex of b
    FaceB,   // a vertex of a, a face of b
    Edges,   // an edge of each
    Points,  // anything, apart: vertex or edge against vertex or edge
  };
  Kind kind = Kind::Beyond;
  double distance = -std::numeric_limits<double>::infinity();
  Vec3 normal = Vec3::Zero();                     // unit, from b to a; frame of b, as are the points
  std::uint32_t feature_a = 0, feature_b = 0;     // face, edge or vertex by kind; Points: extreme vertices
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();  // nearest, or deepest, points of the cores
};

Separation separate(const ConvexCore& a, const ConvexCore& b, const RelativeFrame& a_in_b, double limit);

// The separation along one direction, by extreme vertices.
double separation_along(const ConvexCore& a, const ConvexCore& b, const RelativeFrame& a_in_b, const Vec3& normal);

}  // namespace carom
