#include <cmath>

#include "contact/narrow_phase.h"

namespace carom {

// Two boxes are apart iff one of 15 axes separates their projections (Gottschalk, Lin & Manocha 1996): the six
// face normals and the nine products of edges. The extent of a box along an axis is sum_i half_i |edge_i . axis|.
bool boxes_overlap(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  const Mat3 A = pose_a.rotation.toRotationMatrix(), B = pose_b.rotation.toRotationMatrix();
  const Vec3 between = pose_b.position - pose_a.position;
  const auto separates = [&](const Vec3& axis) {
    const double reach =
        a.half_extents.dot((A.transpose() * axis).cwiseAbs()) + b.half_extents.dot((B.transpose() * axis).cwiseAbs());
    return std::abs(between.dot(axis)) > reach;
  };
  for (int i = 0; i < 3; ++i)
    if (separates(A.col(i)) || separates(B.col(i))) return false;
  // Parallel edges give a zero axis, which separates nothing.
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (separates(A.col(i).cross(B.col(j)))) return false;
  return true;
}

}  // namespace carom
