#include "solvers/cone.h"

#include <doctest/doctest.h>

#include "random_problems.h"

using namespace carom;

namespace {

constexpr int kTrials = 20000;

Cone any_cone(RandomStream& random) { return random_cone(random, {.rolling = true, .largest_mu = 3}); }

VectorXd projected(const Cone& cone, VectorXd x) {
  project(cone, x.data());
  return x;
}

// The largest amount by which x is outside K or the dual K*.
double outside(const Cone& cone, const VectorXd& x) {
  if (cone.kind == ConeKind::Free) return 0;
  if (cone.kind == ConeKind::Orthant) return std::max(0.0, -x[0]);
  const int size = cone.tangents();
  const double roll = cone.kind == ConeKind::Rolling ? x.tail(size).norm() - cone.mu_roll * x[0] : 0.0;
  return std::max({0.0, x.segment(1, size).norm() - cone.mu * x[0], roll, -x[0]});
}
// mu |x_t| + mu_roll |x_m|
double shift_of(const Cone& cone, const VectorXd& x) {
  const int size = cone.tangents();
  const double slide = cone.mu * x.segment(1, size).norm();
  return cone.kind == ConeKind::Rolling ? slide + cone.mu_roll * x.tail(size).norm() : slide;
}
double outside_dual(const Cone& cone, const VectorXd& x) {
  if (cone.kind == ConeKind::Free) return x.norm();
  if (cone.kind == ConeKind::Orthant) return std::max(0.0, -x[0]);
  return std::max(0.0, shift_of(cone, x) - x[0]);
}

}  // namespace

TEST_CASE("a projection lands in its cone, is idempotent and firmly nonexpansive") {
  RandomStream random(1, 0);
  for (int trial = 0; trial < kTrials; ++trial) {
    const Cone cone = any_cone(random);
    const VectorXd x = random_vector(random, cone.dim), y = random_vector(random, cone.dim);
    const VectorXd px = projected(cone, x), py = projected(cone, y);
    CHECK(outside(cone, px) <= 1e-14 * x.norm());
    CHECK((projected(cone, px) - px).norm() <= 1e-14 * x.norm());
    // |Px - Py|^2 <= (Px - Py) . (x - y)
    CHECK((px - py).squaredNorm() <= (px - py).dot(x - y) + 1e-13);
  }
}

TEST_CASE("Moreau: x is the sum of orthogonal parts in the cone and in minus its dual") {
  RandomStream random(2, 0);
  for (int trial = 0; trial < kTrials; ++trial) {
    const Cone cone = any_cone(random);
    VectorXd x = random_vector(random, cone.dim);
    if (random.below(10) == 0) x.tail(cone.dim - 1).setZero();
    const VectorXd p = projected(cone, x);
    CHECK(outside_dual(cone, p - x) <= 1e-13 * (1 + x.norm()));
    CHECK(std::abs(p.dot(p - x)) <= 1e-13 * (1 + x.squaredNorm()));
  }
}

TEST_CASE("no point of the cone is nearer than the projection") {
  RandomStream random(3, 0);
  for (int trial = 0; trial < kTrials; ++trial) {
    const Cone cone = any_cone(random);
    const VectorXd x = random_vector(random, cone.dim);
    const VectorXd p = projected(cone, x);
    for (int k = 0; k < 5; ++k) {
      const VectorXd other = projected(cone, p + 0.1 * random_vector(random, cone.dim));
      CHECK((x - p).norm() <= (x - other).norm() + 1e-14);
    }
  }
}

TEST_CASE("the natural map vanishes exactly on solutions of the law") {
  RandomStream random(4, 0);
  for (int trial = 0; trial < kTrials; ++trial) {
    const Cone cone = any_cone(random);
    const double rho = random.uniform(0.1, 10);
    // x = r - (u + s) split by Moreau gives a pair r in K, w = u + s in K*, r . w = 0
    const VectorXd x = random_vector(random, cone.dim);
    const VectorXd r = projected(cone, x), w = r - x;
    // u_n = w_n - mu |w_t| - mu_roll |w_m| undoes the shift
    VectorXd u = w;
    if (cone.kind == ConeKind::Coulomb || cone.kind == ConeKind::Rolling) u[0] -= shift_of(cone, w);
    VectorXd map(cone.dim);
    natural_map(cone, r.data(), u.data(), rho, map.data());
    CHECK(map.norm() <= 1e-13 * (1 + rho) * (1 + x.norm()));
    // Disturbing u breaks complementarity unless r = 0 lets u roam inside K*.
    if (r.norm() < 0.1 || cone.mu > 2 || cone.mu_roll > 2) continue;
    u[0] += 0.1;
    natural_map(cone, r.data(), u.data(), rho, map.data());
    CHECK(map.norm() > 1e-6);
  }
}

TEST_CASE("without friction the cone is a half-line, also straight above and below its apex") {
  for (const int dim : {2, 3}) {
    const Cone cone{ConeKind::Coulomb, dim, 0};
    CHECK(projected(cone, Vec3(-2, 0, 0).head(dim)).norm() == 0);
    CHECK(projected(cone, Vec3(-2, 1, 0).head(dim)).norm() == 0);
    CHECK(projected(cone, Vec3(2, 1, 0).head(dim)) == VectorXd(Vec3(2, 0, 0).head(dim)));
  }
}

TEST_CASE("rolling without friction, and friction without rolling, are cones of one condition") {
  RandomStream random(5, 0);
  for (int trial = 0; trial < 2000; ++trial) {
    const VectorXd x = random_vector(random, 5);
    const double mu = random.uniform(0, 2);
    const VectorXd slides = projected({ConeKind::Rolling, 5, mu, 1e8}, x);
    VectorXd expected = x;
    project_friction_cone(mu, 3, expected.data());
    // a cone so wide contains every x_m of a positive normal
    if (expected[0] > 1e-3) CHECK((slides.head(3) - expected.head(3)).norm() <= 1e-6 * x.norm());
    // no rolling impulse at all
    const VectorXd none = projected({ConeKind::Rolling, 5, mu, 0}, x);
    CHECK(none.tail(2).norm() == 0);
    CHECK((none.head(3) - expected.head(3)).norm() <= 1e-14 * x.norm());
  }
}
