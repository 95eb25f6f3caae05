#include <doctest/doctest.h>

#include <cmath>

#include "validation_cases.h"

using namespace carom;
using namespace carom::validation;

TEST_CASE("a block on an incline sticks iff tan(angle) <= mu and otherwise slides with g (sin - mu cos)") {
  // The friction angle of 0.3 is 16.70 degrees.
  const double h = 1e-3, tolerance = 1e-8;
  for (const double degrees : {5.0, 10.0, 16.6}) {
    CAPTURE(degrees);
    CHECK(incline_acceleration(degrees, 0.3, h).exact == 0);
    CHECK(std::abs(incline_acceleration(degrees, 0.3, h).ours) < tolerance / 0.5);
  }
  for (const double degrees : {16.8, 20.0, 30.0, 45.0}) {
    CAPTURE(degrees);
    const Measurement a = incline_acceleration(degrees, 0.3, h);
    CHECK(a.exact > 0);
    // Each step's velocity may be off by the tolerance.
    CHECK(std::abs(a.ours - a.exact) < tolerance / h);
  }
}

TEST_CASE("a block on the flat stops after v^2/(2 mu g)") {
  for (const double h : {1e-3, 1e-4}) {
    CAPTURE(h);
    const Measurement distance = stopping_distance(2, 0.3, h);
    // Exact but for the step in which it stops: there a h^2/2 (x - x^2), x in [0, 1].
    CHECK(std::abs(distance.ours - distance.exact) < 0.3 * kGravity * h * h / 8 + 1e-9);
  }
}

TEST_CASE("Moreau-Jean is first order in the step on a block that lands on an incline") {
  const Convergence c = incline_landing_convergence();
  CHECK(c.order() > 0.9);
  CHECK(c.order() < 1.1);
}

TEST_CASE("a block below the friction angle does not creep in 10,000 steps") {
  const double h = 1e-3;
  const Creep creep = block_below_friction_angle(0.9, 0.3, 10000, h);
  CHECK(creep.drift < 1e-12);
  // It starts exactly in touch: corners that rounding opens fall for a step or two.
  CHECK(creep.settling < 3 * kGravity * h * h);
  CHECK(creep.worst_iterations <= 5);
  CHECK(creep.failed_solves == 0);
}

TEST_CASE("the friction cone is round: a push of mu m g moves a block whatever its direction") {
  for (const double degrees : {0.0, 15.0, 30.0, 45.0, 60.0, 75.0}) {
    CAPTURE(degrees);
    // "Moves" is 1e-7 m/s after 20 ms: 1.7e-6 of mu g above the threshold.
    CHECK(push_threshold(degrees, 0.3).error() < 2e-6);
  }
}
