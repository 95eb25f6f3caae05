#include "solvers/one_contact.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>

#include "allocation_counter.h"
#include "base/random.h"
#include "solvers/cone.h"

using namespace carom;

namespace {

using RowMat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

// How far r is from solving the block, read off the laws themselves: each component of u relative to the terms it
// is the sum of, r's distance to its cone relative to r.
double kkt_error(const Cone& cone, const double* W, const double* q, const double* r) {
  double u[kMaxBlockDim] = {}, terms[kMaxBlockDim] = {};
  for (int k = 0; k < cone.dim; ++k) {
    long double sum = q[k];
    terms[k] = std::abs(q[k]);
    for (int l = 0; l < cone.dim; ++l) {
      sum += static_cast<long double>(W[k * cone.dim + l]) * r[l];
      terms[k] += std::abs(W[k * cone.dim + l] * r[l]);
    }
    if (!std::isfinite(r[k])) return INFINITY;
    u[k] = static_cast<double>(sum);
  }
  const auto relative = [](double value, double size) { return size > 0 ? std::abs(value) / size : std::abs(value); };
  double at_rest = 0;
  for (int k = 0; k < cone.dim; ++k) at_rest = std::max(at_rest, relative(u[k], terms[0] + terms[k]));
  if (cone.kind == ConeKind::Free) return at_rest;

  const double approach = relative(std::min(u[0], 0.0), terms[0]);
  if (cone.kind == ConeKind::Orthant) return r[0] == 0 ? approach : std::max(at_rest, r[0] < 0 ? INFINITY : 0.0);

  const double r_t = std::hypot(r[1], cone.dim == 3 ? r[2] : 0.0), u_t = std::hypot(u[1], cone.dim == 3 ? u[2] : 0.0);
  const double terms_t = std::max(terms[1], cone.dim == 3 ? terms[2] : 0.0);
  const bool associated = cone.kind == ConeKind::Associated;
  // Open: u in the dual cone, which friction narrows for the associated law alone.
  if (r[0] == 0 && r_t == 0)
    return associated ? relative(std::min(u[0] - cone.mu * u_t, 0.0), terms[0] + cone.mu * terms_t) : approach;
  const double outside = std::max(0.0, r_t - cone.mu * r[0]) / std::hypot(r[0], r_t);
  // Slip: on the boundary, u_t against r_t, u_n = 0 or, associated, u . r = 0.
  double slip = relative(std::abs(r_t - cone.mu * r[0]), std::hypot(r[0], r_t));
  slip = std::max(slip, relative(u[0] - (associated ? cone.mu * u_t : 0.0), terms[0] + cone.mu * terms_t));
  if (r_t > 0) {
    const double along = (u[1] * r[1] + (cone.dim == 3 ? u[2] * r[2] : 0.0)) / r_t;
    const double across = cone.dim == 3 ? (u[1] * r[2] - u[2] * r[1]) / r_t : 0.0;
    slip = std::max({slip, relative(across, terms_t), relative(std::max(along, 0.0), terms_t)});
  }
  return std::max(outside, std::min(at_rest, slip));
}

double log_uniform(RandomStream& random, double low, double high) {
  return std::pow(10.0, random.uniform(std::log10(low), std::log10(high)));
}

Mat3 random_spd(RandomStream& random) {
  Mat3 B;
  for (double& x : B.reshaped()) x = random.normal();
  return B * B.transpose() + 0.05 * Mat3::Identity();
}

double random_mu(RandomStream& random) {
  switch (random.below(6)) {
    case 0:
      return 0.0;
    case 1:
      return log_uniform(random, 1e-9, 1e-2);
    case 2:
      return random.uniform(1, 10);
    default:
      return random.uniform(0, 1);
  }
}

Vec3 random_q(RandomStream& random) {
  Vec3 q(random.normal(), random.normal(), random.normal());
  if (random.below(10) == 0) q.tail<2>().setZero();
  if (random.below(20) == 0) q[0] = 0;
  if (random.below(10) == 0) q[0] *= log_uniform(random, 1e-10, 1);
  if (random.below(10) == 0) q.tail<2>() *= log_uniform(random, 1e-10, 1);
  if (q.isZero()) q[0] = -1;
  return q;
}

struct Tally {
  double worst = 0;
  int cases[3] = {0, 0, 0};
};

// Solves `count` random blocks made by `make_W` and demands the KKT conditions to 1e-12.
Tally run(ConeKind kind, int count, int stream, const std::function<Mat3(RandomStream&)>& make_W,
          const std::function<Vec3(RandomStream&, const Mat3&)>& make_q) {
  RandomStream random(2024, static_cast<std::uint64_t>(stream));
  Tally tally;
  for (int trial = 0; trial < count; ++trial) {
    const Cone cone{kind, 3, random_mu(random)};
    const Mat3 W = make_W(random);
    const double W_scale = log_uniform(random, 1e-12, 1e12), q_scale = log_uniform(random, 1e-6, 1e6);
    const RowMat3 block = W_scale * W;
    const Vec3 q = q_scale * make_q(random, W);
    Vec3 r;
    const LocalCase found = solve_block(cone, block.data(), q.data(), r.data());
    const double error = kkt_error(cone, block.data(), q.data(), r.data());
    if (!(error <= 1e-12)) {
      INFO("trial " << trial << " mu " << cone.mu << " case " << static_cast<int>(found));
      INFO("W/scale\n" << W << "\nq " << q.transpose() << "\nr " << r.transpose());
      REQUIRE(error <= 1e-12);
    }
    tally.worst = std::max(tally.worst, error);
    ++tally.cases[static_cast<int>(found)];
  }
  return tally;
}

Vec3 any_q(RandomStream& random, const Mat3&) { return random_q(random); }
Vec3 q_in_range(RandomStream& random, const Mat3& W) { return W * random_q(random); }

Mat3 rank_deficient(RandomStream& random) {
  const int rank = 1 + static_cast<int>(random.below(2));
  Eigen::Matrix<double, 3, Eigen::Dynamic> B(3, rank);
  for (double& x : B.reshaped()) x = random.normal();
  return B * B.transpose();
}

Mat3 tangentially_immobile(RandomStream& random) {
  Mat3 W = Mat3::Zero();
  W(0, 0) = 1;
  if (random.below(2) == 0) W(1, 1) = random.uniform(0.1, 2);
  return W;
}

Mat3 badly_scaled(RandomStream& random) {
  const Vec3 scale(log_uniform(random, 1e-3, 1e3), log_uniform(random, 1e-3, 1e3), log_uniform(random, 1e-3, 1e3));
  return scale.asDiagonal() * random_spd(random) * scale.asDiagonal();
}

Mat3 nearly_symmetric(RandomStream& random) {
  Mat3 W = random_spd(random);
  for (double& x : W.reshaped()) x *= 1 + 1e-3 * random.normal();
  return W;
}

// Moderately coupled, as of a rigid body: a point off the centre of an ellipsoid.
Mat3 rigid_contact(RandomStream& random) {
  const Vec3 arm = random.direction();
  const Vec3 inverse_moments(random.uniform(0.5, 5), random.uniform(0.5, 5), random.uniform(0.5, 5));
  const Mat3 axes = random.orientation().toRotationMatrix();
  Mat3 cross;
  cross << 0, -arm[2], arm[1], arm[2], 0, -arm[0], -arm[1], arm[0], 0;
  return Mat3::Identity() - cross * axes * inverse_moments.asDiagonal() * axes.transpose() * cross;
}

Mat3 isotropic(RandomStream& random) { return Vec3(random.uniform(0.5, 2), 3.5, 3.5).asDiagonal(); }

}  // namespace

TEST_CASE("a Coulomb block is solved to 1e-12 whatever its matrix") {
  const auto both_consistent = [](RandomStream& random, const Mat3& W) {
    return random.below(2) == 0 ? random_q(random) : q_in_range(random, W);
  };
  const Tally rigid = run(ConeKind::Coulomb, 60000, 1, rigid_contact, any_q);
  const Tally spd = run(ConeKind::Coulomb, 60000, 2, random_spd, both_consistent);
  const Tally singular = run(ConeKind::Coulomb, 30000, 3, rank_deficient, q_in_range);
  const Tally immobile = run(ConeKind::Coulomb, 10000, 4, tangentially_immobile, any_q);
  const Tally scaled = run(ConeKind::Coulomb, 30000, 5, badly_scaled, any_q);
  const Tally unsymmetric = run(ConeKind::Coulomb, 30000, 6, nearly_symmetric, any_q);
  const Tally equal = run(ConeKind::Coulomb, 20000, 7, isotropic, any_q);
  for (const Tally& tally : {rigid, spd, scaled, unsymmetric, equal}) {
    CHECK(tally.cases[0] > 1000);
    CHECK(tally.cases[1] > 1000);
    CHECK(tally.cases[2] > 1000);
  }
  CHECK(singular.cases[2] > 1000);
  CHECK(immobile.cases[2] > 1000);
  MESSAGE("worst KKT errors: rigid " << rigid.worst << ", SPD " << spd.worst << ", singular " << singular.worst
                                     << ", immobile " << immobile.worst << ", badly scaled " << scaled.worst
                                     << ", unsymmetric " << unsymmetric.worst << ", isotropic " << equal.worst);
}

TEST_CASE("an Associated block is solved to 1e-12 whatever its matrix") {
  const Tally rigid = run(ConeKind::Associated, 20000, 11, rigid_contact, any_q);
  const Tally spd = run(ConeKind::Associated, 40000, 12, random_spd, any_q);
  const Tally singular = run(ConeKind::Associated, 10000, 13, rank_deficient, q_in_range);
  const Tally unsymmetric = run(ConeKind::Associated, 10000, 14, nearly_symmetric, any_q);
  const Tally equal = run(ConeKind::Associated, 20000, 15, isotropic, any_q);
  const Tally scaled = run(ConeKind::Associated, 20000, 16, badly_scaled, any_q);
  for (const Tally& tally : {rigid, spd, unsymmetric, equal, scaled}) CHECK(tally.cases[2] > 1000);
  MESSAGE("worst KKT errors: rigid " << rigid.worst << ", SPD " << spd.worst << ", singular " << singular.worst
                                     << ", unsymmetric " << unsymmetric.worst << ", isotropic " << equal.worst
                                     << ", badly scaled " << scaled.worst);
}

TEST_CASE("the case that is named is the case that holds") {
  RandomStream random(7, 0);
  for (int trial = 0; trial < 20000; ++trial) {
    const Cone cone{random.below(2) == 0 ? ConeKind::Coulomb : ConeKind::Associated, 3, random.uniform(0.05, 1)};
    const RowMat3 W = rigid_contact(random);
    const Vec3 q = random_q(random);
    Vec3 r;
    const LocalCase found = solve_block(cone, W.data(), q.data(), r.data());
    const Vec3 u = W * r + q;
    const double tolerance = 1e-11 * (q.norm() + W.norm() * r.norm());
    if (found == LocalCase::Open) CHECK(r.isZero(0));
    if (found == LocalCase::Stick) CHECK(u.norm() <= tolerance);
    if (found == LocalCase::Slip) {
      CHECK(r.tail<2>().norm() == doctest::Approx(cone.mu * r[0]).epsilon(1e-12));
      CHECK(r.tail<2>().dot(u.tail<2>()) <= tolerance);
      if (cone.kind == ConeKind::Coulomb) CHECK(std::abs(u[0]) <= tolerance);
    }
  }
}

TEST_CASE("a planar block agrees with trying open, stick and both slips") {
  RandomStream random(3, 0);
  int slips = 0;
  for (int trial = 0; trial < 50000; ++trial) {
    const Cone cone{random.below(2) == 0 ? ConeKind::Coulomb : ConeKind::Associated, 2, random_mu(random)};
    const double w_n = random.uniform(0.5, 2), w_t = random.uniform(0.5, 5);
    // Weak enough coupling for the Coulomb problem to have one solution: mu |W_nt| < W_nn.
    const double limit = std::min(0.95 * std::sqrt(w_n * w_t), 0.9 * w_n / std::max(cone.mu, 1e-300));
    const double w_nt = random.uniform(-1, 1) * limit;
    const double W[4] = {w_n, w_nt, w_nt, w_t};
    const double q[2] = {random.normal(), random.normal()};

    double best[2] = {0, 0};
    double best_error = kkt_error(cone, W, q, best);
    const auto consider = [&](double n, double t) {
      const double candidate[2] = {n, t};
      const double error = kkt_error(cone, W, q, candidate);
      if (!(error < best_error)) return;
      best_error = error;
      best[0] = n, best[1] = t;
    };
    const double determinant = w_n * w_t - w_nt * w_nt;
    consider(-(w_t * q[0] - w_nt * q[1]) / determinant, -(w_n * q[1] - w_nt * q[0]) / determinant);
    for (const double t : {-cone.mu, cone.mu}) {
      const double n = cone.kind == ConeKind::Coulomb ? -q[0] / (w_n + w_nt * t)
                                                      : -(q[0] + t * q[1]) / (w_n + 2 * t * w_nt + t * t * w_t);
      consider(n, t * n);
    }
    double r[2];
    slips += solve_block(cone, W, q, r) == LocalCase::Slip;
    REQUIRE(kkt_error(cone, W, q, r) <= 1e-13);
    CHECK(std::abs(r[0] - best[0]) + std::abs(r[1] - best[1]) <= 1e-9 * (1 + std::abs(best[0]) + std::abs(best[1])));
  }
  CHECK(slips > 5000);
}

TEST_CASE("a planar block is solved when singular or badly scaled") {
  RandomStream random(4, 0);
  for (int trial = 0; trial < 50000; ++trial) {
    const Cone cone{random.below(2) == 0 ? ConeKind::Coulomb : ConeKind::Associated, 2, random_mu(random)};
    const double a = random.normal(), b = random.below(4) == 0 ? 0.0 : random.normal() * log_uniform(random, 1e-3, 1e3);
    const double scale = log_uniform(random, 1e-12, 1e12);
    const double W[4] = {scale * a * a, scale * a * b, scale * a * b, scale * b * b};
    const double v = random.normal();
    const double q[2] = {a * v, b * v};
    double r[2];
    solve_block(cone, W, q, r);
    REQUIRE(kkt_error(cone, W, q, r) <= 1e-12);
  }
}

TEST_CASE("an orthant block is complementary and a free block comes to rest") {
  RandomStream random(5, 0);
  for (int trial = 0; trial < 20000; ++trial) {
    const Cone orthant{ConeKind::Orthant, 1, 0};
    const double w = log_uniform(random, 1e-12, 1e12), q = random.normal();
    double r;
    CHECK(solve_block(orthant, &w, &q, &r) == (q >= 0 ? LocalCase::Open : LocalCase::Stick));
    CHECK(kkt_error(orthant, &w, &q, &r) <= 1e-15);

    // W = B B^T of any rank, rows in different units; q = B v can be stopped
    const Cone free{ConeKind::Free, 1 + static_cast<int>(random.below(6)), 0};
    const int rank = 1 + static_cast<int>(random.below(6));
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> B(free.dim, rank);
    for (double& x : B.reshaped()) x = random.normal();
    for (int k = 0; k < free.dim; ++k) B.row(k) *= log_uniform(random, 1e-2, 1e2);
    const RowMatrixXd W = B * B.transpose();
    VectorXd v(rank), impulse(free.dim);
    for (double& x : v) x = random.normal();
    const VectorXd rate = B * v;
    solve_block(free, W.data(), rate.data(), impulse.data());
    CHECK(kkt_error(free, W.data(), rate.data(), impulse.data()) <= 1e-12);
  }
}

TEST_CASE("one-block solves allocate nothing") {
  RandomStream random(6, 0);
  RowMat3 W = rigid_contact(random);
  RowMatrixXd joint = RowMatrixXd::Identity(6, 6);
  joint(5, 5) = 0;
  const double q[6] = {-1, 0.7, -2, 0.3, 1, 0};
  double r[6];
  AllocationCounter counter;
  for (const ConeKind kind : {ConeKind::Coulomb, ConeKind::Associated}) {
    solve_block({kind, 3, 0.3}, W.data(), q, r);
    solve_block({kind, 2, 0.3}, W.data(), q, r);
  }
  solve_block({ConeKind::Free, 6, 0}, joint.data(), q, r);
  if (AllocationCounter::available()) CHECK(counter.count() == 0);
}

TEST_CASE("the counter of allocations sees new and malloc") {
  if (!AllocationCounter::available()) return;
  AllocationCounter counter;
  VectorXd grown(1000);  // Eigen's malloc
  grown[0] = 1;
  std::vector<double> list(1000, grown[0]);
  CHECK(counter.count() >= 2);
  CHECK(list[999] == 1);
}
