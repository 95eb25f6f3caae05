// Roots on the circle: where a function of a direction falls through zero.
#pragma once

#include <array>
#include <cmath>

#include "base/types.h"

namespace carom {

// Finds the places on the circle of unit directions where `slope(direction)` goes from positive to not positive,
// counted counter-clockwise: the local maxima of what it is the slope of. The circle is sampled, with a closer look
// where a sample is nearer to zero than both its neighbours; each place is closed in on by secants and halvings down to
// rounding, and a jump is met as well as a root.
template <class Slope>
class SummitSearch {
 public:
  explicit SummitSearch(Slope& slope) : slope_(slope) {}

  // found(direction)
  template <class Found>
  void run(const Vec2& first, Found&& found) {
    const double angle = 6.283185307179586 / kSamples, c = std::cos(angle), s = std::sin(angle);
    std::array<Sample, kSamples> sample;
    Vec2 u = first;
    for (Sample& here : sample) {
      here = {u, slope_(u)};
      u = Vec2(c * u.x() - s * u.y(), s * u.x() + c * u.y());
    }
    bool any = false;
    const auto report = [&](const Vec2& at) {
      any = true;
      found(at);
    };
    for (std::size_t k = 0; k < kSamples; ++k) {
      const Sample &before = sample[(k + kSamples - 1) % kSamples], &here = sample[k];
      const Sample& after = sample[(k + 1) % kSamples];
      if (here.value > 0 && !(after.value > 0)) {
        report(close_in(here, after));
      } else if (dips(before, here, after)) {
        Sample across;
        if (cross(before, here, after, across))
          report(here.value > 0 ? close_in(before, across) : close_in(across, after));
      }
    }
    if (!any) found(first);
  }

 private:
  static constexpr std::size_t kSamples = 24;
  struct Sample {
    Vec2 at = Vec2::Zero();
    double value = 0;
  };

  static bool dips(const Sample& p, const Sample& q, const Sample& r) {
    const bool same = (p.value > 0) == (q.value > 0) && (r.value > 0) == (q.value > 0);
    return same && std::abs(q.value) <= std::abs(p.value) && std::abs(q.value) <= std::abs(r.value);
  }
  Sample between(const Sample& p, const Sample& q) {
    const Vec2 middle = (p.at + q.at).normalized();
    return {middle, slope_(middle)};
  }
  // Looks for a place of the other sign where the value comes nearest to zero.
  bool cross(Sample p, Sample q, Sample r, Sample& out) {
    for (int round = 0; round < 12; ++round) {
      const Sample left = between(p, q), right = between(q, r);
      for (const Sample& s : {left, right}) {
        out = s;
        if ((s.value > 0) != (q.value > 0)) return true;
      }
      if (std::abs(left.value) < std::abs(q.value) && std::abs(left.value) <= std::abs(right.value))
        r = q, q = left;
      else if (std::abs(right.value) < std::abs(q.value))
        p = q, q = right;
      else
        p = left, r = right;
    }
    return false;
  }
  // p.value > 0, q.value <= 0
  Vec2 close_in(Sample p, Sample q) {
    Vec2 middle = q.at;
    for (int round = 0; round < 160; ++round) {
      // Every third step halves, so that jumps and flat stretches cost no more than 3 x 53.
      const bool secant = round % 3 != 2;
      middle = (secant ? Vec2(-q.value * p.at + p.value * q.at) : Vec2(p.at + q.at)).normalized();
      if (middle == p.at || middle == q.at || (p.at - q.at).squaredNorm() < 1e-31) break;
      const double value = slope_(middle);
      if (value > 0)
        p = {middle, value}, q.value *= 0.5;
      else
        q = {middle, value}, p.value *= 0.5;
    }
    return middle;
  }

  Slope& slope_;
};

template <class Slope, class Found>
void for_each_summit(const Vec2& first, Slope&& slope, Found&& found) {
  SummitSearch<std::remove_reference_t<Slope>>(slope).run(first, found);
}

}  // namespace carom
