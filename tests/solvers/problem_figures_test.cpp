#include "solvers/problem_figures.h"

#include <doctest/doctest.h>

#include "random_problems.h"
#include "solvers/one_contact.h"

using namespace carom;

TEST_CASE("figures count contacts, unknowns and nonzeros, and measure asymmetry") {
  ConeProblem problem;
  problem.cones.add({ConeKind::Coulomb, 2, 0.5});
  problem.cones.add({ConeKind::Free, 1, 0});
  problem.cones.add({ConeKind::Coulomb, 2, 0.2});
  MatrixXd W = MatrixXd::Identity(5, 5) * 4;
  W(0, 3) = 1;
  W(3, 0) = 0.5;
  problem.W.assembled = to_block_sparse(W.sparseView(), problem.cones);
  problem.q = VectorXd::Zero(5);
  const ProblemFigures figures = figures_of(problem);
  CHECK(figures.contacts == 2);
  CHECK(figures.free_blocks == 1);
  CHECK(figures.rows == 5);
  CHECK(figures.nonzeros == 7);
  CHECK(figures.mu_min == 0.2);
  CHECK(figures.mu_max == 0.5);
  CHECK(figures.asymmetry == 0.5 / 4);
}

TEST_CASE("states of single contacts agree with the exact one-contact solve, whatever the scale and small errors") {
  RandomStream random(11, 0);
  for (int trial = 0; trial < 300; ++trial) {
    const int dim = trial % 3 == 0 ? 2 : 3;
    const double scale = std::pow(10.0, random.uniform(-5, 5));
    ConeProblem problem;
    problem.cones.add({ConeKind::Coulomb, dim, random.uniform(0.1, 1)});
    const MatrixXd B = random_matrix(random, dim, dim + 2);
    problem.W.assembled = to_block_sparse((scale * B * B.transpose()).sparseView(), problem.cones);
    problem.q = random_vector(random, dim);
    double W[9];
    diagonal_block(problem.W, problem.cones, 0, W);
    VectorXd r(dim), u(dim);
    const LocalCase found = solve_block(problem.cones[0], W, problem.q.data(), r.data());
    const double error = 1e-9 / scale;
    if (found != LocalCase::Open) r[0] += error;  // as an interior-point method would leave it
    apply(problem.W, problem.cones, r, problem.q, u);
    const ContactStates states = count_states(problem, r, u);
    CHECK(states.open == (found == LocalCase::Open));
    CHECK(states.sticking == (found == LocalCase::Stick));
    CHECK(states.sliding == (found == LocalCase::Slip));
  }
}
