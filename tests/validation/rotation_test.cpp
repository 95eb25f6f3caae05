#include <doctest/doctest.h>

#include <limits>

#include "validation_cases.h"

using namespace carom;
using namespace carom::validation;

TEST_CASE("a free body keeps energy and angular momentum, at any step size") {
  for (const double h : {1e-3, 1e-2, 0.1}) {
    CAPTURE(h);
    // The midpoint's equation is solved to four units of rounding in each of 10^4 steps.
    for (const Measurement& change : free_rotation_invariants(h)) {
      CAPTURE(change.law);
      CHECK(change.error() < 1e4 * 4 * std::numeric_limits<double>::epsilon());
    }
  }
}

TEST_CASE("a symmetric top precesses at (I3 - I1) w3/I1, to second order in the step") {
  // The phase of the midpoint rule over half steps: (rate h/2)^2/12.
  CHECK(symmetric_precession(1e-3).error() < 3.5e-3 * 3.5e-3 / 48 * 1.01);
  const Convergence c = symmetric_precession_convergence();
  CHECK(c.order() > 1.95);
  CHECK(c.order() < 2.05);
}

TEST_CASE("the middle axis flips after 2 K(k)/p") {
  const double coarse = middle_axis_flip(1e-2).error(), fine = middle_axis_flip(1e-3).error();
  // Second order: (w h)^2/12 with w = 5 rad/s.
  CHECK(coarse < 0.05 * 0.05 / 12);
  CHECK(fine < 0.005 * 0.005 / 12);
  CHECK(coarse / fine > 80);
}
