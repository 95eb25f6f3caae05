// What every solver must do whatever its method; shared by the tests of single solvers and of all of them together.
#pragma once

#include <doctest/doctest.h>

#include "random_problems.h"
#include "solvers/registry.h"

namespace carom {

struct Solution {
  SolveReport report;
  VectorXd r, u;
};

// Solves from r = 0 and demands an honest report: residuals are those of the r returned, `solved` means within
// tolerance.
inline Solution solve_honestly(Solver& solver, const ConeProblem& problem, double tolerance,
                               const VectorXd* guess = nullptr) {
  Solution solution;
  solution.r = guess ? *guess : VectorXd::Zero(problem.cones.rows());
  solution.u = VectorXd::Zero(problem.cones.rows());
  solution.report = solver.solve(problem, solution.r);
  const Residuals again = compute_residuals(problem, solution.r, solution.u);
  CHECK(solution.r.allFinite());
  CHECK(again.natural_map == doctest::Approx(solution.report.residuals.natural_map).epsilon(1e-9));
  if (solution.report.solved()) CHECK(again.natural_map <= tolerance);
  return solution;
}

inline Solution solve_with(const std::string& name, const ConeProblem& problem, double tolerance,
                           double max_seconds = 5) {
  const auto solver = make_solver(name, {{"tolerance", tolerance}, {"max_seconds", max_seconds}});
  return solve_honestly(*solver, problem, tolerance);
}

}  // namespace carom
