#include "solvers/residual.h"

#include <doctest/doctest.h>

#include <limits>

#include "allocation_counter.h"
#include "problem_variants.h"

using namespace carom;

namespace {

Residuals residuals_of(const ConeProblem& problem, const VectorXd& r) {
  VectorXd u(r.size());
  return compute_residuals(problem, r, u);
}

// Turns the tangents of every 3D friction block by its own angle: W <- T W T^T, q <- T q, r <- T r.
MatrixXd tangent_turn(RandomStream& random, const Cones& cones) {
  MatrixXd T = MatrixXd::Identity(cones.rows(), cones.rows());
  for (int i = 0; i < cones.count(); ++i) {
    if (cones.dim(i) != 3 || cones[i].kind == ConeKind::Free) continue;
    const double angle = random.uniform(0, 6);
    T.block<2, 2>(cones.offset(i) + 1, cones.offset(i) + 1) << std::cos(angle), -std::sin(angle), std::sin(angle),
        std::cos(angle);
  }
  return T;
}

}  // namespace

TEST_CASE("turning the tangents of contacts changes no residual") {
  for (int trial = 0; trial < 50; ++trial) {
    RandomStream random(21, static_cast<std::uint64_t>(trial));
    const ConeProblem problem = random_dense_problem(random, 8, 1.0);
    const VectorXd r = random_vector(random, problem.cones.rows());
    const MatrixXd T = tangent_turn(random, problem.cones);
    ConeProblem turned;
    turned.cones = problem.cones;
    turned.q = T * problem.q;
    turned.W.assembled =
        to_block_sparse((T * to_dense(problem.W, problem.cones) * T.transpose()).sparseView(), problem.cones);
    const Residuals before = residuals_of(problem, r), after = residuals_of(turned, T * r);
    CHECK(after.natural_map == doctest::Approx(before.natural_map).epsilon(1e-12));
    CHECK(after.velocity_worst == doctest::Approx(before.velocity_worst).epsilon(1e-12));
    CHECK(after.velocity_rms == doctest::Approx(before.velocity_rms).epsilon(1e-12));
    CHECK(after.worst_block == before.worst_block);
  }
}

TEST_CASE("the velocity residual does not know the unit of mass") {
  for (int trial = 0; trial < 50; ++trial) {
    RandomStream random(22, static_cast<std::uint64_t>(trial));
    ConeProblem problem = random_dense_problem(random, 8, 1.0);
    const VectorXd r = random_vector(random, problem.cones.rows());
    const Residuals before = residuals_of(problem, r);
    for (const double s : {1e-6, 1e3, 1e9}) {
      ConeProblem scaled = problem;
      for (double& w : scaled.W.assembled->values) w /= s;
      const Residuals after = residuals_of(scaled, s * r);
      CHECK(after.velocity_worst == doctest::Approx(before.velocity_worst).epsilon(1e-10));
      CHECK(after.velocity_rms == doctest::Approx(before.velocity_rms).epsilon(1e-10));
    }
  }
}

TEST_CASE(
    "velocities and impulses in another unit of speed have the same natural map, and so have contacts in any order") {
  for (int trial = 0; trial < 50; ++trial) {
    RandomStream random(23, static_cast<std::uint64_t>(trial));
    const ConeProblem problem = random_dense_problem(random, 8, 1.0);
    const VectorXd r = random_vector(random, problem.cones.rows());
    const Residuals before = residuals_of(problem, r);
    // u, q and r all carry the unit of speed; the velocity residual is one
    for (const double s : {1e-6, 1e3, 1e9}) {
      ConeProblem scaled = problem;
      scaled.q *= s;
      const Residuals after = residuals_of(scaled, s * r);
      CHECK(after.natural_map == doctest::Approx(before.natural_map).epsilon(1e-12));
      CHECK(after.velocity_worst == doctest::Approx(s * before.velocity_worst).epsilon(1e-12));
    }
    std::vector<int> order(8);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
    const ConeProblem shuffled = picked_blocks(problem, order);
    VectorXd r_shuffled(r.size());
    for (int k = 0; k < shuffled.cones.count(); ++k) {
      const int i = order[static_cast<std::size_t>(k)], dim = problem.cones.dim(i);
      r_shuffled.segment(shuffled.cones.offset(k), dim) = r.segment(problem.cones.offset(i), dim);
    }
    const Residuals after = residuals_of(shuffled, r_shuffled);
    CHECK(after.natural_map == doctest::Approx(before.natural_map).epsilon(1e-12));
    CHECK(after.velocity_worst == doctest::Approx(before.velocity_worst).epsilon(1e-12));
    CHECK(order[static_cast<std::size_t>(after.worst_block)] == before.worst_block);
  }
}

TEST_CASE("a value that is not finite never gives a small residual") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  RandomStream random(23, 0);
  for (const double bad : {inf, -inf, nan, 1e308}) {
    for (int place = 0; place < 20; ++place) {
      ConeProblem problem = random_dense_problem(random, 10, 1.0);
      VectorXd r = VectorXd::Zero(problem.cones.rows());
      r[place % r.size()] = bad;
      const Residuals in_r = residuals_of(problem, r);
      CHECK_FALSE(in_r.natural_map < 1e100);
      CHECK_FALSE(in_r.velocity_worst < 1e100);
      CHECK_FALSE(in_r.velocity_rms < 1e100);
      if (std::isfinite(bad)) continue;
      r.setZero();
      problem.q[place % r.size()] = bad;
      const Residuals in_q = residuals_of(problem, r);
      CHECK_FALSE(std::isfinite(in_q.natural_map));
      CHECK_FALSE(std::isfinite(in_q.velocity_worst));
    }
  }
}

TEST_CASE("without motion the natural map is not divided by zero") {
  RandomStream random(24, 0);
  ConeProblem problem = random_dense_problem(random, 5, 1.0);
  problem.q.setZero();
  CHECK(natural_map_residual(problem, VectorXd::Zero(problem.cones.rows())) == 0);
  const VectorXd r = random_vector(random, problem.cones.rows());
  const double residual = natural_map_residual(problem, r);
  CHECK(std::isfinite(residual));
  CHECK(residual > 0);
}

TEST_CASE("u is W r + q, an empty problem has no residual, and the prepared form allocates nothing") {
  RandomStream random(25, 0);
  const ConeProblem problem = random_rigid_problem(random, 30, 10);
  const VectorXd r = random_vector(random, problem.cones.rows());
  VectorXd u(r.size());
  ResidualScratch scratch;
  prepare_residuals(problem, scratch);
  const Residuals first = compute_residuals(problem, r, u, scratch);
  CHECK((u - (to_dense(problem.W, problem.cones) * r + problem.q)).norm() <= 1e-12 * u.norm());
  AllocationCounter counter;
  prepare_residuals(problem, scratch);
  const Residuals second = compute_residuals(problem, r, u, scratch);
  if (AllocationCounter::available()) CHECK(counter.count() == 0);
  CHECK(first.natural_map == second.natural_map);
  CHECK(residuals_of(ConeProblem{}, VectorXd()).natural_map == 0);
}
