#include "solvers/admm.h"

#include <cstring>

#include "allocation_counter.h"
#include "solver_laws.h"

using namespace carom;

namespace {

AdmmOptions with(Acceleration acceleration, double tolerance, int max_iterations) {
  AdmmOptions o = options_of<Admm>(tolerance, max_iterations);
  o.acceleration = acceleration;
  return o;
}

}  // namespace

TEST_CASE("operator splitting reaches the velocities of exact one-contact solves, accelerated or not") {
  CHECK(share_solved_like_nsgs<Admm>(options_of<Admm>(1e-9, 50000), 66, 60, {}) >= 0.95);
  CHECK(share_solved_like_nsgs<Admm>(with(Acceleration::Nesterov, 1e-9, 50000), 66, 30, {}) >= 0.9);
  CHECK(share_solved_like_nsgs<Admm>(with(Acceleration::None, 1e-9, 50000), 66, 30, {}) >= 0.9);
}

TEST_CASE("one contact sticks, slides and opens by closed forms") {
  check_one_contact_closed_forms<Admm>(options_of<Admm>(1e-9, 10000));
}

TEST_CASE("answers scale with the data") { check_scale_invariance<Admm>(options_of<Admm>(1e-8, 20000), 1e-5); }

TEST_CASE("convex problems reach their optimum") { check_convex_optimum<Admm>(options_of<Admm>(1e-11, 50000)); }

TEST_CASE("an unsymmetric W is solved as it is") { check_unsymmetric<Admm>(options_of<Admm>(1e-10, 50000)); }

TEST_CASE("where everything sticks a handful of iterations suffices, however redundant the contacts") {
  for (int trial = 0; trial < 20; ++trial) {
    RandomStream random(67, static_cast<std::uint64_t>(trial));
    // Joints only: the answer is that of a singular linear system, u = 0.
    const ConeProblem problem =
        random_rigid_problem(random, 30, 6, {.orthant = false, .coulomb = false, .associated = false});
    const Answer answer = solve<Admm>(problem, options_of<Admm>(1e-9, 1000));
    CHECK(answer.report.solved());
    CHECK(answer.report.iterations <= 30);
    CHECK(answer.u.norm() <= 1e-7 * problem.q.norm());
  }
}

TEST_CASE("a W that is not positive semidefinite ends with an honest status") {
  MatrixXd M(2, 2);
  M << 1, -10, -10, 1;
  const Answer answer = solve<Admm>(to_cone_problem({M.sparseView(), Vec2(-1, -1)}), options_of<Admm>(1e-8, 5000));
  CHECK(!answer.report.solved());
}

TEST_CASE("solved is never said above the tolerance, and each limit is reported as what it is") {
  check_honest_statuses<Admm>(options_of<Admm>(1e-8, 100));
  check_honest_statuses<Admm>(with(Acceleration::Nesterov, 1e-8, 100));
  check_limits<Admm>(options_of<Admm>(1e-8, 100));
}

TEST_CASE("a first guess near the answer saves iterations") { check_warm_start<Admm>(options_of<Admm>(1e-9, 50000)); }

TEST_CASE("iterations allocate nothing, and a second solve gives the same bits") {
  for (const bool factors : {true, false}) {
    RandomStream random(68, 0);
    ConeProblem problem = random_rigid_problem(random, 100, 40);
    if (!factors) problem = assembled_copy(problem);
    // Factorizations allocate; as many of them for few iterations as for many.
    const auto allocations = [&](int iterations, VectorXd& r) {
      AdmmOptions o = options_of<Admm>(0, iterations);
      o.adapt_penalty = false;
      o.check.stall_checks = 0;
      Admm solver(o);
      r.setZero(problem.cones.rows());
      solver.solve(problem, r);
      r.setZero();
      AllocationCounter counter;
      solver.solve(problem, r);
      return counter.count();
    };
    VectorXd few, many, again;
    const long base = allocations(20, few);
    if (AllocationCounter::available()) CHECK(allocations(400, many) == base);
    allocations(20, again);
    CHECK(std::memcmp(few.data(), again.data(), sizeof(double) * static_cast<std::size_t>(few.size())) == 0);
  }
}
