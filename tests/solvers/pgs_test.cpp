#include "solvers/pgs.h"

#include <cstring>

#include "allocation_counter.h"
#include "solver_laws.h"

using namespace carom;

namespace {

PgsOptions options(double tolerance, int max_iterations, PgsStep step) {
  PgsOptions o = options_of<Pgs>(tolerance, max_iterations);
  o.step = step;
  return o;
}

}  // namespace

TEST_CASE("projected steps by blocks or by rows reach the velocities of exact one-contact solves") {
  const ConeMix mixed;
  CHECK(share_solved_like_nsgs<Pgs>(options(1e-9, 50000, PgsStep::Scalar), 60, 60, mixed) >= 0.9);
  CHECK(share_solved_like_nsgs<Pgs>(options(1e-9, 50000, PgsStep::Block), 60, 60, mixed) >= 0.9);
}

TEST_CASE("one contact sticks, slides and opens by closed forms") {
  for (const PgsStep step : {PgsStep::Scalar, PgsStep::Block})
    check_one_contact_closed_forms<Pgs>(options(1e-9, 10000, step));
}

TEST_CASE("answers scale with the data") {
  for (const PgsStep step : {PgsStep::Scalar, PgsStep::Block})
    check_scale_invariance<Pgs>(options(1e-8, 20000, step), 1e-5);
}

TEST_CASE("no sweep of block steps raises the energy of a convex problem") {
  for (int trial = 0; trial < 40; ++trial) {
    RandomStream random(61, static_cast<std::uint64_t>(trial));
    const ConeProblem problem =
        random_rigid_problem(random, 1 + static_cast<int>(random.below(40)), 10, {.coulomb = false});
    VectorXd r = VectorXd::Zero(problem.cones.rows()), u = r;
    double energy = 0;  // r W r / 2 + q . r = r . (u + q) / 2
    PgsOptions o = options(0, 1, PgsStep::Block);
    o.relaxation = 1;
    Pgs solver(o);
    for (int sweep = 0; sweep < 50; ++sweep) {
      solver.solve(problem, r);
      apply(problem.W, problem.cones, r, problem.q, u);
      const double lower = 0.5 * r.dot(u + problem.q);
      CHECK(lower <= energy + 1e-12 * (1 + std::abs(energy)));
      energy = lower;
    }
  }
}

TEST_CASE("convex problems reach their optimum") {
  check_convex_optimum<Pgs>(options(1e-11, 50000, PgsStep::Scalar));
  check_convex_optimum<Pgs>(options(1e-11, 50000, PgsStep::Block));
}

TEST_CASE("an unsymmetric W is solved as it is") {
  check_unsymmetric<Pgs>(options(1e-10, 50000, PgsStep::Scalar));
  check_unsymmetric<Pgs>(options(1e-10, 50000, PgsStep::Block));
}

TEST_CASE("over- and under-relaxation reach the same velocities") {
  RandomStream random(62, 0);
  const ConeProblem problem = random_rigid_problem(random, 30, 25);
  const Answer reference = solve<Nsgs>(problem, options_of<Nsgs>(1e-11, 20000));
  REQUIRE(reference.report.solved());
  for (const double omega : {0.6, 0.9, 1.2}) {
    for (const PgsStep step : {PgsStep::Scalar, PgsStep::Block}) {
      PgsOptions o = options(1e-10, 50000, step);
      o.relaxation = omega;
      const Answer relaxed = solve<Pgs>(problem, o);
      CHECK(relaxed.report.solved());
      CHECK((relaxed.u - reference.u).norm() <= 1e-6 * problem.q.norm());
    }
  }
}

TEST_CASE("solved is never said above the tolerance, and each limit is reported as what it is") {
  check_honest_statuses<Pgs>(options(1e-8, 100, PgsStep::Scalar));
  check_honest_statuses<Pgs>(options(1e-8, 100, PgsStep::Block));
  check_limits<Pgs>(options(1e-8, 100, PgsStep::Scalar));
}

TEST_CASE("a first guess near the answer saves sweeps") {
  check_warm_start<Pgs>(options(1e-9, 50000, PgsStep::Scalar));
}

TEST_CASE("a second solve of the same size allocates nothing and gives the same bits") {
  for (const bool factors : {true, false}) {
    RandomStream random(63, 0);
    ConeProblem problem = random_rigid_problem(random, 100, 50);
    if (!factors) problem = assembled_copy(problem);
    Pgs solver(options(1e-8, 300, PgsStep::Scalar));
    VectorXd first = VectorXd::Zero(problem.cones.rows()), second = first;
    solver.solve(problem, first);
    AllocationCounter counter;
    solver.solve(problem, second);
    if (AllocationCounter::available()) CHECK(counter.count() == 0);
    CHECK(std::memcmp(first.data(), second.data(), sizeof(double) * static_cast<std::size_t>(first.size())) == 0);
  }
}
