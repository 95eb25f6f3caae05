#include "solvers/global_problem.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <limits>

#include "base/error.h"
#include "random_problems.h"
#include "solvers/problem_figures.h"
#include "solvers/residual.h"

using namespace carom;

namespace {

// Contacts between points of random mass, symmetric or not, with some bilateral rows.
GlobalProblem random_global(RandomStream& random, int dofs, int contacts, int dimension, int bilateral,
                            bool symmetric) {
  GlobalProblem p;
  p.dimension = dimension;
  MatrixXd M = random_matrix(random, dofs, dofs);
  if (symmetric) M = M * M.transpose();
  M += MatrixXd::Identity(dofs, dofs) * dofs;
  p.M = M.sparseView();
  p.H = random_matrix(random, dofs, contacts * dimension).sparseView();
  p.G = random_matrix(random, dofs, bilateral).sparseView();
  p.f = random_vector(random, dofs);
  p.w = random_vector(random, contacts * dimension);
  p.b = random_vector(random, bilateral);
  p.mu = random_vector(random, contacts).cwiseAbs();
  return p;
}

}  // namespace

TEST_CASE("condensing gives the W and q of dense elimination") {
  RandomStream random(7, 0);
  for (int trial = 0; trial < 24; ++trial) {
    const int dofs = 1 + static_cast<int>(random.below(12)), contacts = static_cast<int>(random.below(5));
    const int bilateral = static_cast<int>(random.below(3)), dimension = trial % 2 == 0 ? 3 : 2;
    const GlobalProblem p = random_global(random, dofs, contacts, dimension, bilateral, trial % 3 != 0);
    const ConeProblem problem = condense(p);

    MatrixXd A(dofs, p.H.cols() + p.G.cols());
    A << MatrixXd(p.H), MatrixXd(p.G);
    const MatrixXd inverse = MatrixXd(p.M).inverse();
    const MatrixXd W = A.transpose() * inverse * A;
    VectorXd q(A.cols());
    q << p.w, p.b;
    q += A.transpose() * inverse * p.f;
    REQUIRE(problem.cones.rows() == A.cols());
    CHECK(problem.cones.count() == contacts + bilateral);
    if (A.cols() == 0) continue;
    CHECK((to_dense(problem.W, problem.cones) - W).norm() <= 1e-12 * (1 + W.norm()));
    CHECK((problem.q - q).norm() <= 1e-12 * (1 + q.norm()));
    // u = A^T v + (w, b) is what the condensed problem says it is.
    const VectorXd r = random_vector(random, A.cols());
    VectorXd u(A.cols()), offset(A.cols());
    offset << p.w, p.b;
    apply(problem.W, problem.cones, r, problem.q, u);
    CHECK((A.transpose() * global_velocity(p, r) + offset - u).norm() <= 1e-11 * (1 + u.norm()));
  }
}

TEST_CASE("a symmetric mass matrix gives a symmetric W, bit for bit") {
  RandomStream random(8, 0);
  const ConeProblem problem = condense(random_global(random, 20, 6, 3, 0, true));
  CHECK(figures_of(problem).asymmetry == 0);
}

TEST_CASE("masses of very different size are no singularity") {
  GlobalProblem p;
  p.mu = VectorXd::Constant(1, 0.3);
  VectorXd mass(3);
  mass << 1e-12, 1, 1e12;
  p.M = MatrixXd(mass.asDiagonal()).sparseView();
  p.H = MatrixXd::Identity(3, 3).sparseView();
  p.G.resize(3, 0);
  p.f = mass;
  p.w = VectorXd::Zero(3);
  const ConeProblem problem = condense(p);
  CHECK(to_dense(problem.W, problem.cones).diagonal().isApprox(mass.cwiseInverse(), 1e-14));
  CHECK(problem.q.isApprox(VectorXd::Ones(3), 1e-14));
}

TEST_CASE("a mass matrix without inverse is refused") {
  GlobalProblem p;
  p.mu = VectorXd::Constant(1, 0.3);
  p.H = MatrixXd::Identity(3, 3).sparseView();
  p.G.resize(3, 0);
  p.f = p.w = VectorXd::Zero(3);
  const auto with_mass = [&](const MatrixXd& M) {
    p.M = M.sparseView();
    return p;
  };
  MatrixXd M = MatrixXd::Identity(3, 3);
  M(1, 1) = 0;
  CHECK_THROWS_WITH_AS(condense(with_mass(M)), doctest::Contains("degree of freedom 1"), InputError);
  M << 1, 1, 0, 1, 1, 0, 0, 0, 1;  // singular, exactly
  CHECK_THROWS_WITH_AS(condense(with_mass(M)), doctest::Contains("singular"), InputError);
  M << 1, 2, 3, 4, 5, 6, 7, 8, 9;  // singular up to rounding, unsymmetric
  CHECK_THROWS_WITH_AS(condense(with_mass(M)), doctest::Contains("singular"), InputError);
  M << 0.1, 0.3, 0.7, 0.3, 0.9, 2.1, 0.7, 2.1, 4.9;  // rank one up to rounding
  CHECK_THROWS_WITH_AS(condense(with_mass(M)), doctest::Contains("singular"), InputError);
  M << 0, 1, 0, 1, 0, 0, 0, 0, -2;  // invertible, though no mass matrix
  CHECK(to_dense(condense(with_mass(M)).W, cones_of(p)).isApprox(M.inverse(), 1e-14));
  M(0, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(condense(with_mass(M)), doctest::Contains("M(0, 1)"), InputError);
  CHECK_THROWS_WITH_AS(condense(with_mass(MatrixXd::Identity(2, 2))), doctest::Contains("3 x 3"), InputError);
}
