#include <doctest/doctest.h>

#include "block_cases.h"

using namespace carom;
using namespace carom::validation;

TEST_CASE("a block let go tilted swings upright in the quarter period of the nonlinear pendulum") {
  for (const double slenderness : {2.0, 4.0, 10.0}) {
    CAPTURE(slenderness);
    const Rocking r = rocking_block(slenderness, 0.5, 1e-3);
    CHECK(r.impact_time.error() < 1e-3 / r.impact_time.exact);  // within a step
    CHECK(r.sliding < 1e-4);
  }
  // Housner's formula takes sines for angles, which is right to the order of alpha^2.
  CHECK(rocking_block(10, 0.5, 1e-3).housner_time.error() < 0.1 * 0.1);
}

TEST_CASE("Moreau's law without restitution rocks a block on with Housner's ratio, to order 1 in h") {
  for (const double slenderness : {2.0, 4.0, 10.0}) {
    CAPTURE(slenderness);
    const double coarse = rocking_block(slenderness, 0.5, 1e-3).rate_ratio.error();
    const double fine = rocking_block(slenderness, 0.5, 2.5e-4).rate_ratio.error();
    CHECK(fine < 2e-3);
    CHECK(fine < coarse / 3);
  }
}

TEST_CASE("a base lifts a block's corner once it is accelerated by g tan(alpha)") {
  for (const double slenderness : {2.0, 4.0}) CHECK(uplift_acceleration(slenderness).error() < 1e-5);
}
