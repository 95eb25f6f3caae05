#include "solvers/newton.h"

#include "allocation_counter.h"
#include "solver_checks.h"

using namespace carom;

TEST_CASE("near the solution Newton doubles the digits at every iteration") {
  RandomStream random(651, 0);
  int quadratic = 0, problems = 0, solved = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const ConeProblem problem = random_dense_problem(
        random, 15, 1.5, {.free = false, .orthant = false, .associated = false, .largest_mu = 0.5});
    NewtonOptions options;
    options.stop.tolerance = 1e-13;
    options.record_history = true;
    options.start_sweeps = 2;
    Newton solver(options);
    const Solution solution = solve_honestly(solver, problem, 1e-13);
    if (!solution.report.solved()) continue;
    ++solved;
    // sweeps, then at least two iterations of which the last is judged
    const auto& history = solution.report.history;
    if (history.size() < 3) continue;
    ++problems;
    const double last = history.back().residuals.natural_map,
                 before = history[history.size() - 2].residuals.natural_map;
    quadratic += last <= 1e-3 * before;
  }
  CHECK(solved >= 38);
  REQUIRE(problems >= 5);
  CHECK(quadratic >= problems * 9 / 10);
}

TEST_CASE("a hyperstatic pile is solved to all digits where Gauss-Seidel crawls") {
  RandomStream random(652, 0);
  int solved = 0;
  for (int trial = 0; trial < 30; ++trial) {
    // four times as many rows as degrees of freedom
    const ConeProblem problem = random_rigid_problem(
        random, 40, 6, {.free = false, .orthant = false, .associated = false, .planar = false, .largest_mu = 0.6});
    solved += solve_with("newton", problem, 1e-10).report.solved();
  }
  MESSAGE(solved << " of 30 solved to 1e-10");
  CHECK(solved >= 28);
}

TEST_CASE("Newton never ends worse than it began") {
  RandomStream random(653, 0);
  for (int trial = 0; trial < 100; ++trial) {
    const ConeProblem problem = random_rigid_problem(random, 30, 10);
    NewtonOptions options;
    options.stop.tolerance = 1e-14;
    options.stop.max_iterations = 1 + static_cast<int>(random.below(4));
    options.start_sweeps = static_cast<int>(random.below(2));
    Newton solver(options);
    VectorXd guess = random_vector(random, problem.cones.rows());
    for (int i = 0; i < problem.cones.count(); ++i) project(problem.cones[i], guess.data() + problem.cones.offset(i));
    const double before = natural_map_residual(problem, guess);
    CHECK(solve_honestly(solver, problem, 1e-14, &guess).report.residuals.natural_map <= before);
  }
}

TEST_CASE("solving the same problem again allocates nothing but LU's own scratch") {
  RandomStream random(654, 0);
  const ConeProblem problem = assembled_copy(random_rigid_problem(random, 40, 30, {.free = false}));
  Newton solver;
  VectorXd r = VectorXd::Zero(problem.cones.rows());
  solver.solve(problem, r);
  r.setZero();
  AllocationCounter counter;
  const SolveReport report = solver.solve(problem, r);
  CHECK(report.iterations > 1);
  if (AllocationCounter::available()) CHECK(counter.count() <= 20);
}
