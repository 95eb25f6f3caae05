#include <doctest/doctest.h>

#include "system_validation_cases.h"

using namespace carom::validation;

TEST_CASE("under lzb the step converges to the event-driven result with order 1") {
  for (const Convergence& c : {cradle_under_lzb_convergence(), column_under_lzb_convergence()}) {
    CAPTURE(c.law);
    CAPTURE(c.error.front());
    CAPTURE(c.error.back());
    CHECK(c.order() > 0.9);
    CHECK(c.order() < 1.1);
    CHECK(c.error.back() < 5e-3);
  }
}

TEST_CASE("a stepped block rocks with Housner's period and ratio, and lifts at g tan alpha") {
  const std::vector<Measurement> rows = rocking_block(1e-4);
  // The landing is seen within a step, after about 0.25 s; the small-angle formula itself is some 1e-3 off.
  CHECK(rows[0].error() < 2 * 1e-4 / rows[0].exact);
  CHECK(rows[1].error() < 3e-3);
  // Gravity changes the angular velocity by about p^2 alpha h = 1.5e-4 1/s in each of the three steps that are looked
  // at.
  CHECK(rows[2].error() < 2e-3);
  const Measurement uplift = rocking_uplift(1e-4);
  CHECK(uplift.error() < 3 * 5 * 1e-4 / uplift.exact);  // three steps
}

TEST_CASE("three balls leave as Moreau's line and the published velocities say") {
  for (const double e : {0.0, 0.5, 1.0})
    for (const Measurement& row : three_ball_cradle(e)) CHECK(row.error() < 1e-12);
  for (const Measurement& row : three_ball_cradle_lzb()) CHECK(row.error() < 1e-4);
}

TEST_CASE("Painleve's rod is stopped by the impulse that theory names, and goes on as it must") {
  const std::vector<Measurement> rows = painleve_jump(1e-5);
  CHECK(rows[0].error() < 1e-3);
  CHECK(rows[1].error() < 1e-9);
  CHECK(painleve_convergence().order() > 0.8);
}
