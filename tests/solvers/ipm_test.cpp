#include "solvers/ipm.h"

#include "solver_checks.h"

using namespace carom;

TEST_CASE("projecting a point on a friction cone is a second-order cone problem with a closed form") {
  // min 1/2 |r - p|^2 over K: W = 1, q = -p, Associated. The answer is P_K(p).
  RandomStream random(641, 0);
  for (int trial = 0; trial < 300; ++trial) {
    ConeProblem problem;
    const Cone cone{.kind = ConeKind::Associated, .dim = trial % 2 == 0 ? 3 : 2, .mu = random.uniform(0.05, 2)};
    problem.cones.add(cone);
    const VectorXd p = random_vector(random, cone.dim);
    problem.W.assembled = to_block_sparse(MatrixXd::Identity(cone.dim, cone.dim).sparseView(), problem.cones);
    problem.q = -p;
    const Solution solution = solve_with("ipm", problem, 1e-9);
    CHECK(solution.report.solved());
    VectorXd expected = p;
    project(cone, expected.data());
    CHECK((solution.r - expected).norm() <= 1e-7 * p.norm());
  }
}

TEST_CASE("least squares in a joint and a wall: Free and Orthant blocks have linear answers") {
  // u_free = 0 with W = 1: r = -q; the orthant: r = max(0, -q)
  ConeProblem problem;
  problem.cones.add({.kind = ConeKind::Free, .dim = 6, .mu = 0});
  problem.cones.add({.kind = ConeKind::Orthant, .dim = 1, .mu = 0});
  problem.cones.add({.kind = ConeKind::Orthant, .dim = 1, .mu = 0});
  problem.W.assembled = to_block_sparse(MatrixXd::Identity(8, 8).sparseView(), problem.cones);
  VectorXd q(8);
  q << 1, -2, 3, -4, 5, -6, 0.5, -0.5;
  problem.q = q;
  const Solution solution = solve_with("ipm", problem, 1e-10);
  CHECK(solution.report.solved());
  VectorXd expected = -q;
  expected[6] = 0;
  CHECK((solution.r - expected).norm() < 1e-8);
}

TEST_CASE("a block on four corners: redundant impulses, one velocity, and the weight is carried") {
  // Four identical frictional contacts under one mass: W has rank 3 of 12.
  const double mass = 2, speed = 0.1;
  ConeProblem problem;
  for (int i = 0; i < 4; ++i) problem.cones.add({.kind = ConeKind::Coulomb, .dim = 3, .mu = 0.4});
  MatrixXd H(12, 3);
  for (int i = 0; i < 4; ++i) H.middleRows(3 * i, 3) = Mat3::Identity();
  problem.W.assembled = to_block_sparse((H * H.transpose() / mass).sparseView(), problem.cones);
  problem.q = H * Vec3(-speed, 0.01, 0);
  const Solution solution = solve_with("ipm", problem, 1e-9);
  CHECK(solution.report.solved());
  CHECK(solution.u.norm() <= 1e-8 * problem.q.norm());
  double carried = 0;
  for (int i = 0; i < 4; ++i) carried += solution.r[3 * i];
  CHECK(carried == doctest::Approx(mass * speed).epsilon(1e-7));
}

TEST_CASE("contacts without friction are a quadratic program, whatever their tangents want") {
  RandomStream random(642, 0);
  ConeProblem problem = random_dense_problem(random, 12, 1.2, {.free = false, .orthant = false, .associated = false});
  Cones frictionless;
  for (int i = 0; i < problem.cones.count(); ++i)
    frictionless.add({.kind = ConeKind::Coulomb, .dim = problem.cones.dim(i), .mu = 0});
  problem.cones = frictionless;
  const Solution solution = solve_with("ipm", problem, 1e-9);
  CHECK(solution.report.solved());
  for (int i = 0; i < problem.cones.count(); ++i) {
    for (int k = 1; k < problem.cones.dim(i); ++k) CHECK(solution.r[problem.cones.offset(i) + k] == 0);
  }
}
