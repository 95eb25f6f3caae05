#include <doctest/doctest.h>

#include "block_cases.h"

using namespace carom;
using namespace carom::validation;

namespace {

// Impulses of a hundred steps are the weight's but for the change of momentum, and sphere k may move with k times
// the solver's tolerance at either end.
double base_error_bound(const Stack& s) { return 2 * s.height * s.tolerance / (kGravity * 100 * s.h); }

}  // namespace

TEST_CASE("the base of a column of spheres carries its weight") {
  for (const int height : {5, 10, 20, 40}) {
    CAPTURE(height);
    const Stack s = sphere_stack(height, 1);
    CHECK(s.base_error < base_error_bound(s));
    CHECK(s.failed_solves == 0);
    CHECK(s.fall < 1e-9);
    // Gauss-Seidel needs the square of the height once, from nothing, and next to nothing from a warm start.
    CHECK(s.first_iterations < 6 * height * height);
    CHECK(s.settled_iterations <= 2);
  }
}

TEST_CASE("the base carries a column whose top is a hundred times as heavy as its bottom") {
  for (const int height : {5, 10, 20, 40}) {
    CAPTURE(height);
    const Stack s = sphere_stack(height, 100);
    CHECK(s.base_error < base_error_bound(s));
    CHECK(s.settled_iterations <= 2);
    CHECK(s.fall < kGravity * s.h * s.h);
  }
}

TEST_CASE("bodies at rest cost a handful of iterations per step") {
  const double h = 1e-3;
  for (const RestCost& cost :
       {sphere_at_rest(1000), box_at_rest(1000), tripod_at_rest(1000), sphere_in_corner_at_rest(1000)}) {
    CAPTURE(cost.body);
    CHECK(cost.mean_iterations < 1.5);
    CHECK(cost.worst_iterations < 100);
    CHECK(cost.failed_solves == 0);
    CHECK(cost.drift < 3 * kGravity * h * h);
  }
  CHECK(sphere_at_rest(100).worst_iterations == 1);
}

TEST_CASE("the base of a stack of boxes carries its weight, also where the top is a hundred times as heavy") {
  for (const double ratio : {1.0, 100.0})
    for (const int height : {5, 20, 40}) {
      CAPTURE(height);
      CAPTURE(ratio);
      const Stack s = box_stack(height, ratio);
      CHECK(s.base_error < base_error_bound(s));
      CHECK(s.failed_solves == 0);
      CHECK(std::abs(s.fall) < 1e-9);
      // Newton's method does not feel the height as sweeps do.
      CHECK(s.first_iterations < 200);
      CHECK(s.settled_iterations <= height);
    }
}
