#include "solvers/apgd.h"

#include <cstring>

#include "allocation_counter.h"
#include "solver_laws.h"

using namespace carom;

TEST_CASE("accelerated gradients reach the velocities of exact one-contact solves") {
  CHECK(share_solved_like_nsgs<Apgd>(options_of<Apgd>(1e-9, 50000), 64, 60, {}) >= 0.9);
}

TEST_CASE("one contact sticks, slides and opens by closed forms") {
  check_one_contact_closed_forms<Apgd>(options_of<Apgd>(1e-9, 10000));
}

TEST_CASE("answers scale with the data") { check_scale_invariance<Apgd>(options_of<Apgd>(1e-8, 20000), 1e-5); }

TEST_CASE("convex problems reach their optimum") { check_convex_optimum<Apgd>(options_of<Apgd>(1e-11, 50000)); }

TEST_CASE("an unsymmetric W is solved as it is, and the report says how") {
  check_unsymmetric<Apgd>(options_of<Apgd>(1e-10, 50000));
  MatrixXd W(2, 2);
  W << 2, 0.1, -0.1, 2;
  const ConeProblem problem = one_block({ConeKind::Coulomb, 2, 0.3}, W, Vec2(-1, 0.5));
  CHECK(solve<Apgd>(problem, options_of<Apgd>(1e-9, 1000)).report.message.find("unsymmetric") != std::string::npos);
}

TEST_CASE("momentum and restarts save iterations on an ill-conditioned convex problem") {
  // A chain of frictionless contacts: the condition of W grows with the square of its length.
  const int n = 60;
  MatrixXd W = 2 * MatrixXd::Identity(n, n);
  for (int i = 0; i + 1 < n; ++i) W(i, i + 1) = W(i + 1, i) = -1;
  const ConeProblem problem = to_cone_problem({W.sparseView(), VectorXd::Constant(n, -1)});
  const Answer answer = solve<Apgd>(problem, options_of<Apgd>(1e-9, 100000));
  CHECK(answer.report.solved());
  ApgdOptions no_restart = options_of<Apgd>(1e-9, 100000);
  no_restart.restart = false;
  CHECK(answer.report.iterations < solve<Apgd>(problem, no_restart).report.iterations);
  // A plain gradient needs condition * log(1/tolerance) iterations, more than 10^4.
  CHECK(answer.report.iterations < 2000);
}

TEST_CASE("solved is never said above the tolerance, and each limit is reported as what it is") {
  check_honest_statuses<Apgd>(options_of<Apgd>(1e-8, 100));
  check_limits<Apgd>(options_of<Apgd>(1e-8, 100));
}

TEST_CASE("a first guess near the answer saves iterations") { check_warm_start<Apgd>(options_of<Apgd>(1e-9, 50000)); }

TEST_CASE("a second solve of the same size allocates nothing and gives the same bits") {
  for (const bool factors : {true, false}) {
    RandomStream random(65, 0);
    ConeProblem problem = random_rigid_problem(random, 100, 50);
    if (!factors) problem = assembled_copy(problem);
    Apgd solver(options_of<Apgd>(1e-8, 300));
    VectorXd first = VectorXd::Zero(problem.cones.rows()), second = first;
    solver.solve(problem, first);
    AllocationCounter counter;
    solver.solve(problem, second);
    if (AllocationCounter::available()) CHECK(counter.count() == 0);
    CHECK(std::memcmp(first.data(), second.data(), sizeof(double) * static_cast<std::size_t>(first.size())) == 0);
  }
}
