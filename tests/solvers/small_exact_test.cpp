#include "solvers/small_exact.h"

#include "allocation_counter.h"
#include "base/error.h"
#include "solver_checks.h"

using namespace carom;

TEST_CASE("a rock on a few contacts is solved to machine precision") {
  RandomStream random(661, 0);
  int solved = 0;
  constexpr int kProblems = 400;
  for (int trial = 0; trial < kProblems; ++trial) {
    const int blocks = 1 + static_cast<int>(random.below(10));
    // one or two bodies: redundant from the third contact on
    const ConeProblem problem = random_rigid_problem(
        random, blocks, 2, {.free = false, .orthant = true, .associated = false, .largest_mu = 0.6});
    solved += solve_with("exact", problem, 1e-12).report.solved();
  }
  MESSAGE(solved << " of " << kProblems << " solved to 1e-12");
  CHECK(solved >= kProblems * 95 / 100);
}

TEST_CASE("one contact is solved by one visit") {
  RandomStream random(662, 0);
  for (int trial = 0; trial < 200; ++trial) {
    const ConeProblem problem = random_rigid_problem(random, 1, 2, {.free = false, .associated = false});
    CHECK(solve_with("exact", problem, 1e-12).report.iterations <= 2);
  }
}

TEST_CASE("a second solve allocates nothing, and eleven contacts are refused") {
  RandomStream random(663, 0);
  const ConeProblem problem = assembled_copy(random_rigid_problem(random, 8, 3, {.free = false}));
  SmallExact solver;
  VectorXd r = VectorXd::Zero(problem.cones.rows());
  solver.solve(problem, r);
  r.setZero();
  AllocationCounter counter;
  const SolveReport report = solver.solve(problem, r);
  if (AllocationCounter::available()) CHECK(counter.count() <= (report.message.empty() ? 0 : 3));
  const ConeProblem large = random_rigid_problem(random, 11, 3);
  VectorXd r_large = VectorXd::Zero(large.cones.rows());
  CHECK_THROWS_AS(solver.solve(large, r_large), InputError);
}
