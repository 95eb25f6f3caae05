#include "solvers/nsgs.h"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>

#include "allocation_counter.h"
#include "base/error.h"
#include "random_problems.h"

using namespace carom;

namespace {

NsgsOptions options(double tolerance, int max_iterations) {
  NsgsOptions o;
  o.stop.tolerance = tolerance;
  o.stop.max_iterations = max_iterations;
  return o;
}

struct Answer {
  SolveReport report;
  VectorXd r, u;
};

Answer solve(const ConeProblem& problem, const NsgsOptions& o) {
  Answer answer;
  answer.r = VectorXd::Zero(problem.cones.rows());
  answer.u = answer.r;
  Nsgs solver(o);
  answer.report = solver.solve(problem, answer.r);
  // The report speaks of the r returned, whatever the exit.
  const Residuals again = compute_residuals(problem, answer.r, answer.u);
  CHECK(again.natural_map == answer.report.residuals.natural_map);
  CHECK(again.velocity_worst == answer.report.residuals.velocity_worst);
  CHECK(answer.r.allFinite());
  CHECK(answer.report.iterations <= o.stop.max_iterations);
  CHECK(answer.report.solved() == (measured(again, o.stop.measure) <= o.stop.tolerance));
  return answer;
}

// The solution of 0 <= z perp M z + q >= 0 by trying every complementary basis.
VectorXd enumerate_bases(const MatrixXd& M, const VectorXd& q) {
  const int n = static_cast<int>(q.size());
  VectorXd best = VectorXd::Zero(n);
  double best_violation = std::numeric_limits<double>::infinity();
  for (int basis = 0; basis < (1 << n); ++basis) {
    std::vector<int> active;
    for (int i = 0; i < n; ++i) {
      if (basis >> i & 1) active.push_back(i);
    }
    VectorXd z = VectorXd::Zero(n);
    if (!active.empty()) z(active) = M(active, active).fullPivLu().solve(-q(active));
    const double violation = -std::min(z.minCoeff(), (M * z + q).minCoeff());
    if (violation < best_violation) best = z, best_violation = violation;
  }
  CHECK(best_violation <= 1e-9);
  return best;
}

ConeProblem orthants(const MatrixXd& M, const VectorXd& q) { return to_cone_problem({M.sparseView(), q}); }

}  // namespace

TEST_CASE("rigid contacts and joints are solved on both operator bodies with the same velocities") {
  int solved = 0, trials = 0;
  for (int trial = 0; trial < 120; ++trial) {
    RandomStream random(41, static_cast<std::uint64_t>(trial));
    const int blocks = 1 + static_cast<int>(random.below(trial < 80 ? 40 : 200));
    // From loose to redundant: up to four blocks per body, in every other trial with joints among them.
    const int bodies = 1 + blocks / (1 + static_cast<int>(random.below(4)));
    const ConeProblem factors = random_rigid_problem(random, blocks, bodies, {.free = trial % 2 == 0});
    const Answer on_factors = solve(factors, options(1e-8, 3000));
    const Answer on_blocks = solve(assembled_copy(factors), options(1e-8, 3000));
    CAPTURE(trial);
    ++trials;
    solved += on_factors.report.solved();
    CHECK(on_factors.report.solved() == on_blocks.report.solved());
    if (on_factors.report.solved() && on_blocks.report.solved())
      CHECK((on_factors.u - on_blocks.u).norm() <= 1e-7 * (1 + factors.q.norm()));
  }
  MESSAGE(solved << " of " << trials << " solved to 1e-8 within 3000 sweeps");
  CHECK(solved >= 0.8 * trials);
}

TEST_CASE("no sweep raises the energy of a convex problem, however redundant its contacts and joints") {
  for (int trial = 0; trial < 60; ++trial) {
    RandomStream random(40, static_cast<std::uint64_t>(trial));
    const int blocks = 1 + static_cast<int>(random.below(60));
    const int bodies = 1 + blocks / (1 + static_cast<int>(random.below(10)));
    const ConeProblem problem = random_rigid_problem(random, blocks, bodies, {.coulomb = false});
    VectorXd r = VectorXd::Zero(problem.cones.rows()), u = r;
    double energy = 0;  // r W r / 2 + q . r = r . (u + q) / 2
    Nsgs solver(options(0, 1));
    for (int sweep = 0; sweep < 100; ++sweep) {
      solver.solve(problem, r);
      apply(problem.W, problem.cones, r, problem.q, u);
      const double lower = 0.5 * r.dot(u + problem.q);
      CAPTURE(trial);
      CHECK(lower <= energy + 1e-12 * (1 + std::abs(energy)));
      energy = lower;
    }
  }
}

TEST_CASE("dense positive definite and singular problems are solved, or the report says not") {
  int solved = 0, trials = 0;
  for (int trial = 0; trial < 120; ++trial) {
    RandomStream random(42, static_cast<std::uint64_t>(trial));
    const int blocks = 1 + static_cast<int>(random.below(25));
    const double rank_per_row = trial % 2 == 0 ? 2.0 : 0.6;
    const ConeProblem problem = random_dense_problem(random, blocks, rank_per_row, {.largest_mu = 0.7});
    const Answer answer = solve(problem, options(1e-8, 5000));
    ++trials;
    solved += answer.report.solved();
  }
  MESSAGE(solved << " of " << trials << " solved to 1e-8 within 5000 sweeps");
  CHECK(solved >= 0.8 * trials);
}

TEST_CASE("small LCPs have the solution that enumeration finds") {
  for (int trial = 0; trial < 300; ++trial) {
    RandomStream random(43, static_cast<std::uint64_t>(trial));
    const int n = 1 + static_cast<int>(random.below(8));
    const MatrixXd B = random_matrix(random, n, n);
    MatrixXd M = B * B.transpose() + 0.1 * MatrixXd::Identity(n, n);
    // Every other one unsymmetric, its diagonal strong enough for uniqueness and convergence.
    if (trial % 2 == 1) {
      M = B;
      for (int i = 0; i < n; ++i) M(i, i) = 0.5 + B.row(i).cwiseAbs().sum();
    }
    const VectorXd q = random_vector(random, n);
    const Answer answer = solve(orthants(M, q), options(1e-13, 100000));
    CHECK((answer.r - enumerate_bases(M, q)).norm() <= 1e-8 * (1 + answer.r.norm()));
  }
}

TEST_CASE("associated problems reach the optimum of their second-order cone program") {
  for (int trial = 0; trial < 60; ++trial) {
    RandomStream random(44, static_cast<std::uint64_t>(trial));
    const ConeMix mix{.free = false, .coulomb = false};
    const ConeProblem problem =
        random_dense_problem(random, 1 + static_cast<int>(random.below(12)), trial % 3 == 0 ? 0.7 : 2.0, mix);
    const Answer answer = solve(problem, options(1e-10, 20000));
    if (!answer.report.solved()) continue;
    const MatrixXd W = to_dense(problem.W, problem.cones);
    const auto objective = [&](const VectorXd& r) { return 0.5 * r.dot(W * r) + problem.q.dot(r); };
    // No duality gap, and no feasible point is lower.
    CHECK(std::abs(answer.r.dot(answer.u)) <= 1e-8 * (1 + answer.r.squaredNorm()));
    for (int k = 0; k < 50; ++k) {
      VectorXd other = answer.r + std::pow(10.0, random.uniform(-4, 1)) * random_vector(random, answer.r.size());
      for (int i = 0; i < problem.cones.count(); ++i) project(problem.cones[i], other.data() + problem.cones.offset(i));
      CHECK(objective(other) >= objective(answer.r) - 1e-8 * (1 + std::abs(objective(answer.r))));
    }
  }
}

TEST_CASE("over- and under-relaxation reach the same velocities") {
  RandomStream random(45, 0);
  const ConeProblem problem = random_rigid_problem(random, 30, 20);
  const Answer plain = solve(problem, options(1e-11, 20000));
  REQUIRE(plain.report.solved());
  for (const double omega : {0.6, 0.9, 1.2}) {
    NsgsOptions o = options(1e-11, 20000);
    o.relaxation = omega;
    const Answer relaxed = solve(problem, o);
    CHECK(relaxed.report.solved());
    CHECK((relaxed.u - plain.u).norm() <= 1e-7 * problem.q.norm());
  }
}

TEST_CASE("each limit is reported as what it is") {
  RandomStream random(46, 0);
  const ConeProblem problem = random_rigid_problem(random, 100, 30);
  CHECK(solve(problem, options(1e-12, 1)).report.status == SolveStatus::MaxIterations);
  CHECK(solve(problem, options(1e-12, 1)).report.iterations == 1);
  NsgsOptions o = options(1e-15, 1000000);
  o.stop.max_seconds = 0;
  CHECK(solve(problem, o).report.status == SolveStatus::MaxTime);

  // No z >= 0 has M z + q >= 0: impulses grow for ever and the residual stays.
  MatrixXd M(2, 2);
  M << 1, -1, -1, 1;
  CHECK(solve(orthants(M, Vec2(-1, -1)), options(1e-8, 1000000)).report.status == SolveStatus::Stalled);
  // And here they grow beyond all numbers.
  M << 1, -10, -10, 1;
  const Answer wild = solve(orthants(M, Vec2(-1, -1)), options(1e-8, 1000000));
  CHECK(wild.report.status == SolveStatus::NumericalError);
  CHECK(!wild.report.message.empty());
}

TEST_CASE("a tolerance below rounding ends as stalled, never as solved") {
  RandomStream random(47, 0);
  const ConeProblem problem = random_rigid_problem(random, 20, 15);
  NsgsOptions o = options(0, 1000000);
  const Answer answer = solve(problem, o);
  CHECK(answer.report.status == SolveStatus::Stalled);
  CHECK(answer.report.residuals.natural_map < 1e-11);
}

TEST_CASE("nothing to solve is solved") {
  ConeProblem problem;
  VectorXd r;
  const SolveReport report = Nsgs().solve(problem, r);
  CHECK(report.solved());
  CHECK(report.iterations == 0);
}

TEST_CASE("an ill-posed problem is refused before the first iteration") {
  ConeProblem problem;
  problem.cones.add({ConeKind::Coulomb, 3, -0.5});
  VectorXd r(3);
  CHECK_THROWS_AS(Nsgs().solve(problem, r), InputError);

  RandomStream random(52, 0);
  const ConeProblem good = random_rigid_problem(random, 3, 2);
  VectorXd too_short(1);
  CHECK_THROWS_AS(Nsgs().solve(good, too_short), InputError);
}

TEST_CASE("the solution as first guess costs one sweep, and a first guess of NaN costs nothing else") {
  RandomStream random(48, 0);
  const ConeProblem problem = random_rigid_problem(random, 60, 30);
  Answer answer = solve(problem, options(1e-9, 20000));
  REQUIRE(answer.report.solved());
  const int cold = answer.report.iterations;
  Nsgs solver(options(1e-9, 20000));
  CHECK(solver.solve(problem, answer.r).iterations == 1);

  VectorXd guess = VectorXd::Constant(answer.r.size(), std::numeric_limits<double>::quiet_NaN());
  const SolveReport report = solver.solve(problem, guess);
  CHECK(report.solved());
  CHECK(report.iterations == cold);
  CHECK(!report.message.empty());
}

TEST_CASE("the tolerance may speak of velocities") {
  RandomStream random(49, 0);
  const ConeProblem problem = random_rigid_problem(random, 60, 30);
  NsgsOptions o = options(1e-6, 20000);
  o.stop.measure = Measure::Velocity;
  const Answer answer = solve(problem, o);
  CHECK(answer.report.solved());
  CHECK(answer.report.residuals.velocity_worst <= 1e-6);
}

TEST_CASE("history has an entry per check, the last of which is the report's") {
  RandomStream random(50, 0);
  const ConeProblem problem = random_rigid_problem(random, 60, 20);
  NsgsOptions o = options(1e-9, 5000);
  o.check.record_history = true;
  o.check.check_every = 5;
  const Answer answer = solve(problem, o);
  const auto& history = answer.report.history;
  REQUIRE(!history.empty());
  CHECK(history.back().iteration == answer.report.iterations);
  CHECK(history.back().residuals.natural_map == answer.report.residuals.natural_map);
  for (std::size_t k = 1; k < history.size(); ++k) {
    CHECK(history[k].iteration - history[k - 1].iteration <= 5);
    CHECK(history[k].seconds >= history[k - 1].seconds);
  }
}

TEST_CASE("a second solve of the same size allocates nothing and gives the same bits") {
  for (const bool factors : {true, false}) {
    RandomStream random(51, 0);
    ConeProblem problem = random_rigid_problem(random, 150, 60);
    if (!factors) problem = assembled_copy(problem);
    Nsgs solver(options(1e-8, 500));
    VectorXd first = VectorXd::Zero(problem.cones.rows()), second = first;
    const SolveReport before = solver.solve(problem, first);
    AllocationCounter counter;
    const SolveReport after = solver.solve(problem, second);
    if (AllocationCounter::available()) CHECK(counter.count() == 0);
    CHECK(before.iterations == after.iterations);
    CHECK(std::memcmp(first.data(), second.data(), sizeof(double) * static_cast<std::size_t>(first.size())) == 0);
  }
}
