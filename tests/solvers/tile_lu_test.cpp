#include "solvers/tile_lu.h"

#include <doctest/doctest.h>

#include "base/random.h"
#include "random_problems.h"
#include "solvers/block_system.h"

using namespace carom;

namespace {

// W + blockdiag(D) as a dense matrix and as a BlockSystem on the given blocks; returns the worst error of A x = b.
double solve_error(RandomStream& random, const ConeProblem& problem, const std::vector<char>& active, double diagonal) {
  const Cones& cones = problem.cones;
  const BlockSparse& W = *problem.W.assembled;
  BlockSystem system;
  system.prepare(W, cones);
  system.start(active);
  MatrixXd A = to_dense(problem.W, cones);
  for (int i = 0; i < cones.count(); ++i) {
    const int dim = cones.dim(i);
    for (int e = W.first[size_t(i)]; e < W.first[size_t(i) + 1]; ++e)
      system.add(i, e, dim, cones.dim(W.column[size_t(e)]), W.values.data() + W.start[size_t(e)]);
    RowMatrixXd D = random_matrix(random, dim, dim);
    D = (diagonal * (D * D.transpose() + RowMatrixXd::Identity(dim, dim))).eval();
    system.add(i, W.diagonal[size_t(i)], dim, dim, D.data());
    A.block(cones.offset(i), cones.offset(i), dim, dim) += D;
  }
  REQUIRE(system.factor());
  const VectorXd b = random_vector(random, cones.rows());
  VectorXd x(cones.rows());
  CHECK(system.solve(b, x));
  std::vector<int> rows;
  for (int i = 0; i < cones.count(); ++i) {
    for (int k = 0; k < cones.dim(i); ++k) {
      if (active[size_t(i)])
        rows.push_back(cones.offset(i) + k);
      else
        CHECK(x[cones.offset(i) + k] == 0);
    }
  }
  const MatrixXd reduced = A(rows, rows);
  const VectorXd x_reduced = x(rows), b_reduced = b(rows);
  return (reduced * x_reduced - b_reduced).norm() / (reduced.norm() * x_reduced.norm() + b_reduced.norm());
}

}  // namespace

TEST_CASE("W plus a positive block diagonal is solved backward stably on any subset of blocks") {
  RandomStream random(601, 0);
  for (int trial = 0; trial < 60; ++trial) {
    const int blocks = 1 + static_cast<int>(random.below(60));
    const ConeProblem problem = assembled_copy(random_rigid_problem(random, blocks, 1 + blocks / 2));
    std::vector<char> all(size_t(blocks), 1), some = all;
    for (char& one : some) one = random.below(3) != 0;
    some[0] = 1;
    const double diagonal = std::pow(10.0, random.uniform(-8, 2));
    CHECK(solve_error(random, problem, all, diagonal) < 1e-12);
    CHECK(solve_error(random, problem, some, diagonal) < 1e-12);
  }
}

TEST_CASE("unsymmetric patterns, as files may hold them, are completed") {
  Cones cones;
  for (int i = 0; i < 4; ++i) cones.add({.kind = ConeKind::Coulomb, .dim = 3, .mu = 0.5});
  MatrixXd W = MatrixXd::Identity(12, 12) * 4;
  W(0, 9) = 1;  // block (0, 3) without its mirror
  W(5, 7) = -2;
  ConeProblem problem;
  problem.cones = cones;
  problem.W.assembled = to_block_sparse(W.sparseView(), cones);
  problem.q = VectorXd::Zero(12);
  RandomStream random(602, 0);
  CHECK(solve_error(random, problem, {1, 1, 1, 1}, 1e-3) < 1e-14);
}

TEST_CASE("where tiles have no pivot the whole matrix is searched for one") {
  // [0 1; 1 0] by tiles: each diagonal tile is zero
  Cones cones;
  for (int i = 0; i < 2; ++i) cones.add({.kind = ConeKind::Free, .dim = 3, .mu = 0});
  MatrixXd W = MatrixXd::Zero(6, 6);
  W.topRightCorner(3, 3) = W.bottomLeftCorner(3, 3) = Mat3::Identity();
  const BlockSparse blocks = to_block_sparse(W.sparseView(), cones);
  BlockSystem system;
  system.prepare(blocks, cones);
  system.start({1, 1});
  for (int i = 0; i < 2; ++i) {
    for (int e = blocks.first[size_t(i)]; e < blocks.first[size_t(i) + 1]; ++e)
      system.add(i, e, 3, 3, blocks.values.data() + blocks.start[size_t(e)]);
  }
  REQUIRE(system.factor());
  VectorXd b(6), x(6);
  b << 1, 2, 3, 4, 5, 6;
  CHECK(system.solve(b, x));
  CHECK((W * x - b).norm() < 1e-14);
  CHECK(system.pivoted() == 1);
}

TEST_CASE("a chain of contacts fills nothing in") {
  TilePattern chain;
  const int n = 200;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) chain.column.push_back(j);
    chain.first.push_back(static_cast<int>(chain.column.size()));
  }
  TileLu lu;
  lu.order(chain);
  lu.analyze(chain, std::vector<char>(size_t(n), 1));
  CHECK(lu.tile_products() <= 2 * n);
}
