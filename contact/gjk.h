// Distance of two convex cores that are apart (Gilbert, Johnson & Keerthi 1988).
#pragma once

#include "contact/convex_core.h"

namespace carom {

struct Nearest {
  enum class State : std::uint8_t {
    Apart,    // on_a, on_b and normal hold
    Beyond,   // proven farther apart than the limit; nothing else holds
    Overlap,  // the cores share a point, or touch within rounding; nothing else holds
  };
  State state = State::Overlap;
  double distance = 0;         // |on_a - on_b|
  double bound = 0;            // proven lower bound of the distance: that along the normal
  Vec3 normal = Vec3::Zero();  // unit, from b to a; frame of b, as are the points
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  LowestVertex lowest_a, highest_b;  // extreme vertices along the normal
};

// `towards`: a first guess of the direction from b to a, not zero; frame of b.
Nearest nearest_points(const ConvexCore& a, const ConvexCore& b, const RelativeFrame& a_in_b, const Vec3& towards,
                       double limit);

}  // namespace carom
