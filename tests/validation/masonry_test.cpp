#include <doctest/doctest.h>

#include "block_cases.h"

using namespace carom;
using namespace carom::validation;

TEST_CASE("the line of thrust of very many voussoirs gives Milankovitch's thickness and hinge") {
  double hinge = 0;
  CHECK(arch_limit_of_statics(400, &hinge) == doctest::Approx(0.1075).epsilon(1e-3));
  CHECK(hinge == doctest::Approx(54.5).epsilon(0.01));
}

TEST_CASE("a semicircular arch falls below the thickness that statics asks for, by hinges where it says") {
  for (const int voussoirs : {16, 31}) {
    CAPTURE(voussoirs);
    const ArchLimit arch = arch_limit(voussoirs);
    MESSAGE(voussoirs << " voussoirs: " << arch.ours << ", statics " << arch.line_of_thrust << ", hinge at "
                      << arch.hinge_degrees);
    CHECK(arch.ours == doctest::Approx(arch.line_of_thrust).epsilon(2e-3));
    CHECK(arch.ours == doctest::Approx(arch.continuous).epsilon(0.02));
    CHECK(std::abs(arch.hinge_degrees - arch.hinge_expected) < 180.0 / voussoirs);
    CHECK(std::abs(arch.hinge_degrees - 54.5) < 180.0 / voussoirs);
  }
}

TEST_CASE("an arch a little thicker than the limit stands for good, one a little thinner falls") {
  CHECK(arch_stands(31, 1.005 * arch_limit_of_statics(31), 2));
  CHECK_FALSE(arch_stands(31, 0.995 * arch_limit_of_statics(31), 0.2));
}

TEST_CASE("a column on a slope slides at the angle of friction or overturns at b/h, whichever comes first") {
  for (const int blocks : {1, 5}) {
    CHECK(tilted_column(blocks, 0.25, 0.6).error() < 1e-5);
    CHECK(tilted_column(blocks, 0.8, 0.4).error() < 1e-5);
  }
}

TEST_CASE("a block on a base that is pushed slips by Newmark's length") {
  // Where the block comes to rest within a step, it comes to rest at its end: mu g h^2/2 at most.
  for (const double h : {2e-3, 1e-3}) {
    const Measurement slip = newmark_slip(0.4, 0.5, 0.3, h);
    CHECK(slip.error() * slip.scale < 0.5 * 0.4 * kGravity * h * h);
  }
  // Where it does so at the end of a step, nothing is left but the solver's tolerance.
  CHECK(newmark_slip(0.2, 0.5, 0.4, 1e-3).error() < 1e-9);
}
