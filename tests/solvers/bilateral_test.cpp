#include "solvers/bilateral.h"

#include <doctest/doctest.h>

#include "allocation_counter.h"
#include "random_problems.h"

using namespace carom;

TEST_CASE("free blocks alone are solved to the tolerance, redundant ones too, on both bodies of W") {
  const ConeMix joints{.free = true, .orthant = false, .coulomb = false, .associated = false};
  for (int trial = 0; trial < 60; ++trial) {
    RandomStream random(91, static_cast<std::uint64_t>(trial));
    const ConeProblem by_factors = random_rigid_problem(random, 1 + trial, 1 + trial / 2, joints);
    const ConeProblem assembled = assembled_copy(by_factors);
    for (const ConeProblem* problem : {&by_factors, &assembled}) {
      BilateralSolver solver;
      Vector r;
      const double tolerance = 1e-9 * problem->q.norm();
      const int iterations = solver.solve(*problem, tolerance, 5000, r);
      VectorXd u(r.size());
      apply(problem->W, problem->cones, r, problem->q, u);
      CAPTURE(trial);
      CHECK(u.lpNorm<Eigen::Infinity>() <= 1.01 * tolerance + 1e-14);
      CHECK(iterations < 5000);
    }
  }
}

TEST_CASE("a chain takes about as many iterations as it has links, and none of them allocates") {
  for (const int n : {10, 100, 1000}) {
    ConeProblem problem;
    DelassusFactors& factors = problem.W.factors.emplace();
    factors.inverse_mass.assign(static_cast<std::size_t>(n + 1), {1.0, Mat3::Identity()});
    for (int i = 0; i < n; ++i) {
      problem.cones.add({ConeKind::Free, 1, 0});
      factors.bodies.push_back({i, i + 1});
      factors.rows.push_back({Vec3::UnitX(), Vec3::Zero(), Vec3::Zero()});
    }
    RandomStream random(92, 0);
    problem.q = random_vector(random, n);
    BilateralSolver solver;
    Vector r;
    CHECK(solver.solve(problem, 1e-9, 10 * n, r) <= 2 * n);
    if (!AllocationCounter::available()) continue;
    AllocationCounter counter;
    solver.solve(problem, 1e-9, 10 * n, r);
    const long allocations = counter.count();
    CHECK(allocations == 0);
  }
}
