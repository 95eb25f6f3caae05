#include "solvers/delassus_system.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "random_problems.h"

using namespace carom;

namespace {

// A and L random with a strong diagonal, R positive.
struct Matrices {
  std::vector<MatrixXd> A, L;
  VectorXd R;
};

Matrices random_matrices(RandomStream& random, const Cones& cones, double size) {
  Matrices m;
  m.R = VectorXd::Ones(cones.rows()) + 0.5 * random_vector(random, cones.rows()).cwiseAbs();
  for (int i = 0; i < cones.count(); ++i) {
    const int dim = cones.dim(i);
    m.A.push_back(size * (3 * MatrixXd::Identity(dim, dim) + 0.3 * random_matrix(random, dim, dim)));
    m.L.push_back(MatrixXd::Identity(dim, dim) + 0.1 * random_matrix(random, dim, dim));
  }
  return m;
}

VectorXd solve_by(DelassusSystem& system, const ConeProblem& problem, const Matrices& m,
                  const std::vector<char>& active, const VectorXd& b) {
  system.prepare(problem);
  system.start(active);
  for (int i = 0; i < problem.cones.count(); ++i) {
    if (!active[std::size_t(i)]) continue;
    const RowMatrixXd L = m.L[std::size_t(i)], A = m.A[std::size_t(i)];
    system.set(i, L.data(), m.R.data() + problem.cones.offset(i), A.data());
  }
  REQUIRE(system.factor());
  VectorXd x(b.size());
  CHECK(system.solve(b, x));
  return x;
}

}  // namespace

TEST_CASE("systems among bodies and among contacts have the solution of the dense system") {
  RandomStream random(691, 0);
  DelassusSystem system;
  for (int trial = 0; trial < 60; ++trial) {
    const int blocks = 10 + static_cast<int>(random.below(30)), bodies = 3 + trial % 12;
    ConeProblem by_factors = random_rigid_problem(random, blocks, bodies);
    const Cones& cones = by_factors.cones;
    if (trial % 3 == 0) {
      for (int k = 0; k < cones.rows(); ++k) by_factors.W.factors->compliance.push_back(random.uniform(0, 0.1));
    }
    // a body held fast, and one that only turns about z
    if (trial % 4 == 0) by_factors.W.factors->inverse_mass[0] = {};
    if (trial % 4 == 1) by_factors.W.factors->inverse_mass[1].angular = Vec3(0, 0, 2).asDiagonal();
    const ConeProblem by_blocks = assembled_copy(by_factors);
    // small A: contacts that stick, with a trace of regularization
    const Matrices m = random_matrices(random, cones, trial % 2 == 0 ? 1.0 : 1e-7);
    std::vector<char> active(std::size_t(blocks), 1);
    for (char& a : active) a = random.below(4) != 0;
    const VectorXd b = random_vector(random, cones.rows());

    const MatrixXd W = to_dense(by_blocks.W, cones);
    MatrixXd whole = W * m.R.asDiagonal();
    for (int i = 0; i < blocks; ++i) {
      const int offset = cones.offset(i), dim = cones.dim(i);
      whole.middleRows(offset, dim) = (m.L[std::size_t(i)] * whole.middleRows(offset, dim)).eval();
      whole.block(offset, offset, dim, dim) += m.A[std::size_t(i)];
    }
    std::vector<int> rows;
    for (int i = 0; i < blocks; ++i) {
      for (int k = cones.offset(i); active[std::size_t(i)] && k < cones.offset(i) + cones.dim(i); ++k)
        rows.push_back(k);
    }
    const MatrixXd picked = whole(rows, rows);
    const VectorXd right = b(rows);
    for (const ConeProblem* problem : {static_cast<const ConeProblem*>(&by_factors), &by_blocks}) {
      const VectorXd x = solve_by(system, *problem, m, active, b);
      CHECK(system.among_bodies() == DelassusSystem::by_bodies(*problem));
      const VectorXd of_active = x(rows);
      const double error = (picked * of_active - right).norm();
      CHECK(error <= 1e-9 * (right.norm() + picked.norm() * of_active.norm()));
      CHECK(x.norm() == doctest::Approx(of_active.norm()));
    }
  }
}
