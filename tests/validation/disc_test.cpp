#include <doctest/doctest.h>

#include "block_cases.h"

using namespace carom;
using namespace carom::validation;

TEST_CASE("Euler's disc rolls round at Omega^2 sin(a) = 4 g/R, to order 1 in h") {
  for (const double degrees : {10.0, 2.0}) {
    CAPTURE(degrees);
    const EulerDisc coarse = euler_disc(degrees, 4e-5), fine = euler_disc(degrees, 2e-5);
    const double coarse_error = std::abs(coarse.ratio / coarse.exact - 1),
                 fine_error = std::abs(fine.ratio / fine.exact - 1);
    CHECK(fine_error < 5e-3);
    CHECK(fine_error < 0.6 * coarse_error);
    CHECK(fine.centre_wandered < 2e-3);
    CHECK(std::abs(fine.degrees / degrees - 1) < 3e-3);  // no energy lost to speak of
  }
  // near the end the thickness does not matter
  CHECK(std::abs(euler_disc(2, 2e-5).ratio - 1) < 2e-3);
}
