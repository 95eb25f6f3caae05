#include "solvers/colouring.h"

#include <doctest/doctest.h>

#include "random_problems.h"
#include "solvers/nsgs.h"

using namespace carom;

namespace {

SolveReport solve(const ConeProblem& problem, const NsgsOptions& options, VectorXd& r) {
  r = VectorXd::Zero(problem.cones.rows());
  Nsgs solver(options);
  return solver.solve(problem, r);
}

}  // namespace

TEST_CASE("every block has one colour, and blocks of one colour do not act on each other") {
  RandomStream random(691, 0);
  for (int trial = 0; trial < 20; ++trial) {
    const ConeProblem factors = random_rigid_problem(random, 150, 80);
    const ConeProblem assembled = assembled_copy(factors);
    const BlockSparse& W = *assembled.W.assembled;
    for (const ConeProblem* problem : {&factors, &assembled}) {
      Colouring colouring;
      REQUIRE(colouring.colour(*problem, 150));
      std::vector<int> colour(150, -1);
      for (int c = 0; c < colouring.colours(); ++c) {
        for (int i : colouring[c]) {
          CHECK(colour[size_t(i)] == -1);
          colour[size_t(i)] = c;
        }
      }
      for (int i = 0; i < 150; ++i) {
        REQUIRE(colour[size_t(i)] >= 0);
        for (int e = W.first[size_t(i)]; e < W.first[size_t(i) + 1]; ++e) {
          const int j = W.column[size_t(e)];
          if (j != i) CHECK(colour[size_t(i)] != colour[size_t(j)]);
        }
      }
    }
  }
}

TEST_CASE("coloured sweeps give the same bits for any number of threads, on both bodies") {
  RandomStream random(692, 0);
  const ConeProblem factors = random_rigid_problem(random, 3000, 2500, {.free = false, .associated = false});
  const ConeProblem assembled = assembled_copy(factors);
  for (const ConeProblem* problem : {&factors, &assembled}) {
    NsgsOptions options;
    options.ordering = Ordering::Coloured;
    options.stop.max_iterations = 60;
    VectorXd reference, r;
    const SolveReport serial = solve(*problem, options, reference);
    for (int threads : {2, 3, 5, 7}) {
      options.threads = threads;
      const SolveReport report = solve(*problem, options, r);
      CHECK(r == reference);
      CHECK(report.residuals.natural_map == serial.residuals.natural_map);
      CHECK(report.iterations == serial.iterations);
    }
  }
}

TEST_CASE("leaving out settled contacts changes no answer and fools no stop test") {
  RandomStream random(693, 0);
  for (int trial = 0; trial < 30; ++trial) {
    const ConeProblem problem =
        random_rigid_problem(random, 60, 50, {.free = false, .associated = false, .largest_mu = 0.5});
    NsgsOptions options;
    options.stop.tolerance = 1e-10;
    VectorXd plain, skipping, u_plain(problem.cones.rows()), u_skipping(problem.cones.rows());
    const SolveReport without = solve(problem, options, plain);
    options.skip_settled = true;
    const SolveReport with = solve(problem, options, skipping);
    const Residuals recomputed = compute_residuals(problem, skipping, u_skipping);
    if (with.solved()) CHECK(recomputed.natural_map <= 1e-10);
    if (!with.solved() || !without.solved()) continue;
    compute_residuals(problem, plain, u_plain);
    CHECK((u_plain - u_skipping).norm() <= 1e-6 * problem.q.norm());
  }
}
