#include "solvers/delassus.h"

#include <doctest/doctest.h>

#include "random_problems.h"

using namespace carom;

namespace {

// H M^-1 H^T + diag(compliance) as matrices, straight from the definition.
MatrixXd by_definition(const ConeProblem& problem) {
  const DelassusFactors& factors = *problem.W.factors;
  const Eigen::Index bodies = static_cast<Eigen::Index>(factors.inverse_mass.size());
  MatrixXd H = MatrixXd::Zero(problem.cones.rows(), 6 * bodies);
  MatrixXd inverse_mass = MatrixXd::Zero(6 * bodies, 6 * bodies);
  for (Eigen::Index b = 0; b < bodies; ++b) {
    const InverseMass& m = factors.inverse_mass[static_cast<std::size_t>(b)];
    inverse_mass.block<3, 3>(6 * b, 6 * b) = m.linear * Mat3::Identity();
    inverse_mass.block<3, 3>(6 * b + 3, 6 * b + 3) = m.angular;
  }
  for (int i = 0; i < problem.cones.count(); ++i) {
    const auto [a, b] = factors.bodies[static_cast<std::size_t>(i)];
    for (int k = problem.cones.offset(i); k < problem.cones.offset(i) + problem.cones.dim(i); ++k) {
      const FactorRow& row = factors.rows[static_cast<std::size_t>(k)];
      if (a >= 0) H.block<1, 3>(k, 6 * a) = row.linear.transpose();
      if (a >= 0) H.block<1, 3>(k, 6 * a + 3) = row.angular_a.transpose();
      if (b >= 0) H.block<1, 3>(k, 6 * b) = -row.linear.transpose();
      if (b >= 0) H.block<1, 3>(k, 6 * b + 3) = row.angular_b.transpose();
    }
  }
  MatrixXd W = H * inverse_mass * H.transpose();
  for (Eigen::Index k = 0; k < W.rows() && !factors.compliance.empty(); ++k)
    W(k, k) += factors.compliance[static_cast<std::size_t>(k)];
  return W;
}

// Every other trial: some rows yield to their own impulse.
void give_compliance(ConeProblem& problem, RandomStream& random, int trial) {
  if (trial % 2 == 0) return;
  problem.W.factors->compliance.assign(static_cast<std::size_t>(problem.cones.rows()), 0.0);
  for (double& compliance : problem.W.factors->compliance)
    if (random.below(3) == 0) compliance = random.uniform(0, 2);
}

}  // namespace

TEST_CASE("assembled factors are H M^-1 H^T, blocks of any dimension, immovable bodies included") {
  for (int trial = 0; trial < 200; ++trial) {
    RandomStream random(11, static_cast<std::uint64_t>(trial));
    const int blocks = 1 + static_cast<int>(random.below(30));
    ConeProblem problem = random_rigid_problem(random, blocks, 1 + static_cast<int>(random.below(12)));
    give_compliance(problem, random, trial);
    const MatrixXd expected = by_definition(problem);
    CHECK((to_dense(problem.W, problem.cones) - expected).norm() <= 1e-13 * expected.norm());
  }
}

TEST_CASE("a block of W is stored exactly when the two contacts share a movable body") {
  RandomStream random(12, 0);
  const ConeProblem problem = random_rigid_problem(random, 60, 25);
  const BlockSparse W = assemble(*problem.W.factors, problem.cones);
  for (int i = 0; i < 60; ++i) {
    const auto row_begin = W.column.begin() + W.first[static_cast<std::size_t>(i)];
    const auto row_end = W.column.begin() + W.first[static_cast<std::size_t>(i) + 1];
    CHECK(std::is_sorted(row_begin, row_end, std::less_equal<>()));
    CHECK(W.column[static_cast<std::size_t>(W.diagonal[static_cast<std::size_t>(i)])] == i);
    for (int j = 0; j < 60; ++j) {
      bool shared = i == j;
      for (const int a : problem.W.factors->bodies[static_cast<std::size_t>(i)]) {
        for (const int b : problem.W.factors->bodies[static_cast<std::size_t>(j)]) shared |= a >= 0 && a == b;
      }
      CHECK(std::binary_search(row_begin, row_end, j) == shared);
    }
  }
}

TEST_CASE("both bodies of the operator give the same products and diagonal blocks") {
  for (int trial = 0; trial < 100; ++trial) {
    RandomStream random(13, static_cast<std::uint64_t>(trial));
    ConeProblem factors = random_rigid_problem(random, 40, 15);
    give_compliance(factors, random, trial);
    const ConeProblem assembled = assembled_copy(factors);
    const int rows = factors.cones.rows();
    const VectorXd r = random_vector(random, rows);
    VectorXd u_factors(rows), u_assembled(rows);
    apply(factors.W, factors.cones, r, factors.q, u_factors);
    apply(assembled.W, assembled.cones, r, assembled.q, u_assembled);
    const VectorXd expected = by_definition(factors) * r + factors.q;
    CHECK((u_factors - expected).norm() <= 1e-12 * expected.norm());
    CHECK((u_assembled - expected).norm() <= 1e-12 * expected.norm());
    for (int i = 0; i < factors.cones.count(); ++i) {
      RowMatrixXd a(factors.cones.dim(i), factors.cones.dim(i)), b = a;
      diagonal_block(factors.W, factors.cones, i, a.data());
      diagonal_block(assembled.W, assembled.cones, i, b.data());
      CHECK((a - b).norm() <= 1e-14 * a.norm());
      VectorXd entries(a.rows());
      diagonal_entries(factors.W, factors.cones, i, entries.data());
      CHECK((entries - a.diagonal()).norm() <= 1e-14 * a.norm());
      diagonal_entries(assembled.W, assembled.cones, i, entries.data());
      CHECK(entries == b.diagonal());
    }
  }
}

TEST_CASE("converting to a sparse matrix and back changes no entry") {
  RandomStream random(14, 0);
  const ConeProblem problem = assembled_copy(random_rigid_problem(random, 50, 20));
  const BlockSparse& W = *problem.W.assembled;
  const BlockSparse back = to_block_sparse(to_sparse(W, problem.cones), problem.cones);
  CHECK(back.first == W.first);
  CHECK(back.column == W.column);
  CHECK(back.diagonal == W.diagonal);
  CHECK(back.values == W.values);
}

TEST_CASE("an unsymmetric matrix keeps its asymmetry, an empty diagonal gets a zero block") {
  Cones cones;
  cones.add({ConeKind::Coulomb, 3, 0.5});
  cones.add({ConeKind::Free, 2, 0});
  Eigen::SparseMatrix<double> W(5, 5);
  W.insert(0, 0) = 2;
  W.insert(1, 4) = 3;
  const BlockSparse blocks = to_block_sparse(W, cones);
  CHECK(blocks.column == std::vector<int>{0, 1, 1});
  CHECK(MatrixXd(to_sparse(blocks, cones)) == MatrixXd(W));
}

TEST_CASE("the cost of assembling grows with the number of blocks, not with its square") {
  // A chain: each contact has at most two neighbours, however long the chain.
  for (const int n : {10, 1000, 100000}) {
    DelassusFactors factors;
    Cones cones;
    factors.inverse_mass.assign(static_cast<std::size_t>(n + 1), {1.0, Mat3::Identity()});
    for (int i = 0; i < n; ++i) {
      cones.add({ConeKind::Orthant, 1, 0});
      factors.bodies.push_back({i, i + 1});
      factors.rows.push_back({Vec3::UnitX(), Vec3::Zero(), Vec3::Zero()});
    }
    CHECK(assemble(factors, cones).column.size() == static_cast<std::size_t>(3 * n - 2));
  }
}
