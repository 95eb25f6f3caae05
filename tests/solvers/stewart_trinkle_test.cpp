#include "solvers/stewart_trinkle.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "random_problems.h"
#include "solvers/lcp_pgs.h"
#include "solvers/nsgs.h"

using namespace carom;

namespace {

struct Answer {
  SolveReport report;
  VectorXd r, u;
};

Answer solve(const ConeProblem& problem, const StewartTrinkleOptions& options = {}) {
  Answer answer;
  answer.r = VectorXd::Zero(problem.cones.rows());
  answer.u = answer.r;
  answer.report = StewartTrinkle(options).solve(problem, answer.r);
  const Residuals again = compute_residuals(problem, answer.r, answer.u);
  CHECK(again.natural_map == answer.report.residuals.natural_map);
  CHECK(answer.report.solved() == (again.natural_map <= options.stop.tolerance));
  return answer;
}

StewartTrinkleOptions with_facets(int facets, Polygon polygon = Polygon::Inner) {
  StewartTrinkleOptions options;
  options.facet.facets = facets;
  options.facet.polygon = polygon;
  return options;
}

// A block of unit mass on a plane that slides with velocity (v1, v2) while gravity presses with impulse g.
ConeProblem sliding_block(double mu, double v1, double v2, double g = 1) {
  ConeProblem problem;
  problem.cones.add({.kind = ConeKind::Coulomb, .dim = 3, .mu = mu});
  problem.W.assembled = to_block_sparse(MatrixXd::Identity(3, 3).sparseView(), problem.cones);
  problem.q = Vec3(-g, v1, v2);
  return problem;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("in the plane two directions are Coulomb's law itself") {
  int solved = 0, trials = 0;
  for (int trial = 0; trial < 60; ++trial) {
    RandomStream random(21, static_cast<std::uint64_t>(trial));
    ConeProblem problem;
    const int blocks = 1 + static_cast<int>(random.below(25));
    for (int i = 0; i < blocks; ++i)
      problem.cones.add({.kind = ConeKind::Coulomb, .dim = 2, .mu = random.below(6) == 0 ? 0 : random.uniform(0, 0.8)});
    const int rows = problem.cones.rows(), rank = trial % 2 == 0 ? 2 * rows : (rows + 1) / 2;
    const MatrixXd B = random_matrix(random, rows, rank);
    problem.W.assembled = to_block_sparse((B * B.transpose() / rank).sparseView(), problem.cones);
    problem.q = B * random_vector(random, rank) / std::sqrt(rank);
    const Answer answer = solve(problem);
    CAPTURE(trial);
    CAPTURE(answer.report.message);
    // Redundant contacts included: the LCP is copositive and q in the range of W.
    CHECK(answer.report.solved());
    solved += answer.report.solved();
    ++trials;
  }
  MESSAGE(solved << " of " << trials << " solved to 1e-8");
}

TEST_CASE("frictionless contacts and joints pass through the facets unchanged") {
  for (int trial = 0; trial < 40; ++trial) {
    RandomStream random(22, static_cast<std::uint64_t>(trial));
    const ConeProblem problem =
        random_rigid_problem(random, 12, 5, {.free = true, .coulomb = false, .associated = false});
    const Answer answer = solve(problem);
    CAPTURE(trial);
    CAPTURE(answer.report.message);
    CHECK(answer.report.solved());
  }
}

TEST_CASE("the error of a sliding contact falls as 1 / f^2, the square of the facets' angle") {
  // Worst case between two corners: the slip is at half a facet's angle for every f.
  double previous = 0;
  for (int f : {4, 8, 16, 32, 64, 128}) {
    const double half = std::numbers::pi / f;
    const ConeProblem problem = sliding_block(0.3, std::cos(half + 1e-3 / f), std::sin(half + 1e-3 / f));
    const Vec3 exact(0, 0.7 * problem.q[1], 0.7 * problem.q[2]);  // u_t = q_t - mu q_t / |q_t|
    // What friction takes from the speed; the direction is off by half a facet, which is of first order.
    const Answer answer = solve(problem, with_facets(f));
    const double error = std::abs(answer.u.norm() - exact.norm());
    if (previous > 0) {
      MESSAGE("f = " << f << ": error " << error << ", " << previous / error << " times less");
      CHECK(previous / error > 3.5);
      CHECK(previous / error < 4.8);
    }
    CHECK(!answer.report.solved());
    CHECK(answer.report.status == SolveStatus::Stalled);
    CHECK(says(answer.report.message, "facets leave a cone residual"));
    previous = error;
  }
}

TEST_CASE("as facets grow finer the velocities of sliding contacts tend to the cone's") {
  RandomStream random(23, 4);
  const ConeProblem problem = assembled_copy(
      random_rigid_problem(random, 12, 8, {.free = false, .orthant = false, .associated = false, .largest_mu = 0.5}));
  NsgsOptions precise;
  precise.stop.tolerance = 1e-12;
  precise.stop.max_iterations = 100000;
  VectorXd r = VectorXd::Zero(problem.cones.rows()), u = r;
  REQUIRE(Nsgs(precise).solve(problem, r).solved());
  compute_residuals(problem, r, u);
  std::vector<double> errors;
  for (int f : {4, 8, 16, 32, 64, 128, 256}) {
    errors.push_back((solve(problem, with_facets(f)).u - u).norm() / u.norm());
    MESSAGE("f = " << f << ": error in u " << errors.back());
  }
  // At least first order over the whole range, whatever the luck of single angles.
  CHECK(errors.back() <= errors.front() / 32);
}

TEST_CASE("inner and outer polygons bracket Coulomb's friction force") {
  RandomStream random(24, 0);
  for (int trial = 0; trial < 50; ++trial) {
    const double turn = random.uniform(0, 7), mu = random.uniform(0.1, 0.9);
    const int f = 4 + 2 * static_cast<int>(random.below(5));
    const ConeProblem problem = sliding_block(mu, 3 * std::cos(turn), 3 * std::sin(turn));
    const Answer inner = solve(problem, with_facets(f)), outer = solve(problem, with_facets(f, Polygon::Outer));
    const Vec3 slip(0, std::cos(turn), std::sin(turn));
    // Friction against the slip: mu r_n = mu for the cone.
    CHECK(-inner.r.dot(slip) <= mu + 1e-12);
    CHECK(-outer.r.dot(slip) >= mu - 1e-12);
    CHECK(-outer.r.dot(slip) <= mu / std::cos(std::numbers::pi / f) + 1e-12);
    CHECK(inner.r.tail(2).norm() <= mu + 1e-12);
  }
}

TEST_CASE("facets turned against the slip are exact for a sliding block, and realigned ones for many contacts") {
  StewartTrinkleOptions aligned = with_facets(4);
  aligned.facet.alignment = Alignment::Slip;
  CHECK(solve(sliding_block(0.3, 0.8, 1.7), aligned).report.solved());

  int solved = 0, trials = 0, better = 0;
  for (int trial = 0; trial < 30; ++trial) {
    RandomStream random(25, static_cast<std::uint64_t>(trial));
    const ConeProblem problem =
        random_rigid_problem(random, 10, 8, {.free = false, .orthant = true, .associated = false, .largest_mu = 0.5});
    StewartTrinkleOptions options = with_facets(8);
    const double once = solve(problem, options).report.residuals.natural_map;
    options.realignments = 200;
    const Answer answer = solve(problem, options);
    solved += answer.report.solved();
    better += answer.report.residuals.natural_map <= once;
    ++trials;
  }
  MESSAGE(solved << " of " << trials << " reach the cone's solution to 1e-8 by realignment");
  CHECK(better == trials);
  CHECK(solved >= trials / 2);
}

TEST_CASE("every mixture of cones becomes an LCP that is solved, or the report says not") {
  int solved = 0, trials = 0;
  for (int trial = 0; trial < 100; ++trial) {
    RandomStream random(26, static_cast<std::uint64_t>(trial));
    const int blocks = 1 + static_cast<int>(random.below(20));
    const ConeProblem problem = random_rigid_problem(random, blocks, 1 + blocks / 2, {.free = trial % 2 == 0});
    const FacetedProblem faceted = facetize(problem, {.facets = 6});
    VectorXd z = VectorXd::Zero(faceted.lcp.q.size());
    const LcpReport report = solve_lcp(faceted.lcp, faceted.free, z);
    CAPTURE(trial);
    CHECK(report.solved() == (lcp_residual(faceted.lcp, faceted.free, z) <= 1e-8));
    solved += report.solved();
    ++trials;
    // Inner polygons lie in their cones.
    if (!report.solved()) continue;
    const VectorXd r = faceted.G * z;
    for (int i = 0; i < problem.cones.count(); ++i) {
      VectorXd r_i = r.segment(problem.cones.offset(i), problem.cones.dim(i));
      const VectorXd before = r_i;
      project(problem.cones[i], r_i.data());
      CHECK((r_i - before).norm() <= 1e-7 * (1 + r.norm()));
    }
  }
  MESSAGE(solved << " of " << trials << " facetized mixtures solved to 1e-8");
  CHECK(solved >= 0.95 * trials);
}

TEST_CASE("projected Gauss-Seidel on the same LCP finds the same velocities") {
  int solved = 0, trials = 0;
  for (int trial = 0; trial < 20; ++trial) {
    RandomStream random(27, static_cast<std::uint64_t>(trial));
    const ConeProblem problem =
        random_rigid_problem(random, 6, 6, {.free = false, .associated = false, .largest_mu = 0.4});
    StewartTrinkleOptions options = with_facets(6);
    const Answer lemke = solve(problem, options);
    options.inner_solver = InnerSolver::Pgs;
    options.relaxation = 0.8;
    options.stop.max_iterations = 20000;
    const Answer pgs = solve(problem, options);
    const bool converged = says(pgs.report.message, "facets leave") || pgs.report.solved();
    ++trials;
    solved += converged;
    if (converged) CHECK((pgs.u - lemke.u).norm() <= 1e-5 * (1 + problem.q.norm()));
  }
  MESSAGE(solved << " of " << trials << " LCPs solved by sweeps");
  CHECK(solved >= trials / 2);
}

TEST_CASE("an odd number of facets is rejected") {
  VectorXd r = VectorXd::Zero(3);
  CHECK_THROWS_WITH_AS(StewartTrinkle(with_facets(5)).solve(sliding_block(0.3, 1, 0), r), doctest::Contains("facets"),
                       InputError);
}
