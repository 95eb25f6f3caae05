#include <doctest/doctest.h>

#include "block_cases.h"

using namespace carom;
using namespace carom::validation;

namespace {

void check_standing(const Standing& s) {
  CAPTURE(s.structure);
  MESSAGE(s.structure << ": speed " << s.worst_speed << " m/s, drift " << s.drift << " of a block, iterations "
                      << s.mean_iterations << ", " << s.steps_per_second << " steps/s");
  CHECK(s.worst_speed < 1e-9);
  CHECK(s.drift < 1e-6);
  CHECK(s.failed_solves == 0);
  // No contact comes or goes, and a warm start leaves next to nothing to do.
  CHECK(s.fewest_contacts == s.contacts);
  CHECK(s.mean_iterations < 3);
}

}  // namespace

TEST_CASE("a stack of twenty boxes stands still for 100,000 steps") {
  const Standing s = standing_stack(20, 100000);
  check_standing(s);
  CHECK(s.contacts == 80);
}

// docs/validation.md has 100,000 of them, which take the better part of a minute.
TEST_CASE("a brick wall of ten courses stands still for 15,000 steps") { check_standing(standing_wall(10, 15000)); }

TEST_CASE("a wall that is pushed does the same at a tenth of its size") {
  CHECK(scaled_wall_difference(4, 200) < 1e-10);
}
