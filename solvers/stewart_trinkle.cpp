#include "solvers/stewart_trinkle.h"

#include <fmt/format.h>

#include <algorithm>

#include "solvers/lcp_pgs.h"

namespace carom {

std::string_view name_of(InnerSolver solver) { return solver == InnerSolver::Lemke ? "lemke" : "pgs"; }

SolveReport StewartTrinkle::solve(const ConeProblem& problem, VectorOut r) {
  check_kinds(kName, kTakes, problem.cones);
  if (!stop_.start(problem, options_.stop, {}, r)) return stop_.report();

  const bool guessed = !r.isZero(0);
  VectorXd u = problem.q, answer = r;
  if (guessed) apply(problem.W, problem.cones, r, problem.q, u);
  FacetOptions facet = options_.facet;
  LcpReport lcp;
  int iterations = 0, rounds = 0, unknowns = 0;
  for (;; ++rounds) {
    // 0 <= z perp M z + q >= 0, r = G z, u = W r + q
    const FacetedProblem faceted = facetize(problem, facet, answer, u);
    VectorXd z =
        guessed || rounds > 0 ? facet_guess(problem, faceted, answer, u) : VectorXd::Zero(faceted.lcp.q.size());
    lcp = solve_faceted(faceted, options_.stop.max_iterations - iterations, z);
    iterations += lcp.pivots + lcp.sweeps;
    unknowns = static_cast<int>(z.size());
    answer = faceted.G * z;
    r = answer;
    // Every round is an iteration for the stop test, and looked at.
    const bool last = rounds >= options_.realignments || !lcp.solved() || iterations >= options_.stop.max_iterations;
    if (last || stop_.done(problem, 1, r)) break;
    u = stop_.velocity();
    facet.alignment = Alignment::Slip;
  }
  // Facets are no fault of the LCP: what limits the residual is said apart.
  const SolveStatus status = lcp.solved() ? SolveStatus::Stalled : lcp.status;
  stop_.give_up(problem, status, lcp.message, r);
  stop_.remark(fmt::format("{} facets, {} unknowns, LCP solved to {:.1e} by {} {}", options_.facet.facets, unknowns,
                           lcp.residual, iterations,
                           options_.inner_solver == InnerSolver::Lemke ? "pivots" : "sweeps"));
  if (rounds > 0) stop_.remark(fmt::format("{} realignments", rounds));
  SolveReport report = stop_.report();
  if (!report.solved() && lcp.solved())
    report.message += fmt::format("; the facets leave a cone residual of {:.1e}", report.residuals.natural_map);
  report.iterations = iterations;
  return report;
}

LcpReport StewartTrinkle::solve_faceted(const FacetedProblem& faceted, int iterations, VectorXd& z) const {
  const double seconds = std::max(0.0, options_.stop.max_seconds - stop_.seconds());
  // A cone tolerance below the LCP's asks the LCP for as much.
  const double tolerance = options_.stop.measure == Measure::NaturalMap
                               ? std::min(options_.lcp_tolerance, std::max(0.1 * options_.stop.tolerance, 1e-14))
                               : options_.lcp_tolerance;
  if (options_.inner_solver == InnerSolver::Lemke)
    return solve_lcp(
        faceted.lcp, faceted.free, z,
        {.tolerance = tolerance, .max_pivots = iterations, .max_seconds = seconds, .pivot = options_.pivot});
  return solve_lcp_pgs(
      faceted.lcp, faceted.free, z,
      {.tolerance = tolerance, .max_sweeps = iterations, .max_seconds = seconds, .relaxation = options_.relaxation});
}

}  // namespace carom
