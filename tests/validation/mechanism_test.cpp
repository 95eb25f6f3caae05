#include <doctest/doctest.h>

#include "block_cases.h"

using namespace carom;
using namespace carom::validation;

TEST_CASE("a double pendulum follows its equations in angles and keeps its energy, both to order 2 in h") {
  const PendulumConvergence c = double_pendulum_convergence();
  CHECK(c.place.order() == doctest::Approx(2).epsilon(0.15));
  CHECK(c.energy.order() == doctest::Approx(2).epsilon(0.15));
}

TEST_CASE("the energy of a double pendulum does not run away in 40 s") {
  const double coarse = double_pendulum_drift(4e-3), fine = double_pendulum_drift(2e-3);
  CHECK(fine < 2.5e-3);
  CHECK(fine < coarse / 3);
}

TEST_CASE("closed loops hold to 1e-8 m and move as their closed forms tell") {
  for (const ClosedLoop& loop : {four_bar("nsgs"), four_bar("auto"), slider_crank("nsgs"), slider_crank("auto")}) {
    CAPTURE(loop.mechanism);
    CAPTURE(loop.solver);
    CHECK(loop.open < 1e-8);
    CHECK(loop.place < 1e-8);
    CHECK(loop.failed_solves == 0);
    CHECK(loop.motor_speed_error < 1e-6);
  }
}
