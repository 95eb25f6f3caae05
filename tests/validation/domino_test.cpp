#include <doctest/doctest.h>

#include "block_cases.h"

using namespace carom;
using namespace carom::validation;

TEST_CASE("dominoes fall at a steady speed that goes with sqrt(g l)") {
  // Steps that do not scale: what is left of them is an error of order h.
  const Dominoes small = dominoes(0.05, 9.81, 5e-4), large = dominoes(0.2, 9.81, 5e-4),
                 moon = dominoes(0.2, 1.62, 1e-3);
  for (const Dominoes& row : {small, large, moon}) {
    CAPTURE(row.length);
    CAPTURE(row.gravity);
    MESSAGE("front speed " << row.front_speed << " m/s, over sqrt(g l) " << row.froude);
    CHECK(row.evenness < 0.01);
    CHECK(row.froude == doctest::Approx(large.froude).epsilon(0.015));
  }
}
