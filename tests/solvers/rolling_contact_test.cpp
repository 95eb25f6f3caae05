#include "solvers/rolling_contact.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "allocation_counter.h"
#include "base/error.h"
#include "base/random.h"
#include "solvers/nsgs.h"

using namespace carom;

namespace {

double relative(double value, double size) { return size > 0 ? std::abs(value) / size : std::abs(value); }

double length(const double* x, int size) { return size == 1 ? std::abs(x[0]) : std::hypot(x[0], x[1]); }

// One part, friction or rolling, of a block with r_n > 0: how far it is from sticking inside its disk or sliding on the
// rim against its velocity, whichever is nearer; each number relative to the terms it is the sum of.
double part_error(int size, double mu, double r_n, const double* r, const double* u, const double* terms,
                  double terms_n) {
  const double length_r = length(r, size), largest = size == 1 ? terms[0] : std::max(terms[0], terms[1]);
  const double whole = std::hypot(r_n, length_r);
  double at_rest = std::max(0.0, length_r - mu * r_n) / whole;
  for (int k = 0; k < size; ++k) at_rest = std::max(at_rest, relative(u[k], terms_n + terms[k]));
  double slides = relative(length_r - mu * r_n, whole);
  if (length_r > 0) {
    const double along = (u[0] * r[0] + (size > 1 ? u[1] * r[1] : 0.0)) / length_r;
    const double across = size > 1 ? (u[0] * r[1] - u[1] * r[0]) / length_r : 0.0;
    slides = std::max({slides, relative(across, largest), relative(std::max(along, 0.0), largest)});
  }
  return std::min(at_rest, slides);
}

// How far r is from the law of the block, read off the law itself.
double kkt_error(const Cone& cone, const double* W, const double* q, const double* r) {
  double u[5], terms[5], largest = 0;
  for (int k = 0; k < cone.dim; ++k) {
    long double sum = q[k];
    terms[k] = std::abs(q[k]);
    for (int l = 0; l < cone.dim; ++l) {
      sum += static_cast<long double>(W[k * cone.dim + l]) * r[l];
      terms[k] += std::abs(W[k * cone.dim + l] * r[l]);
    }
    if (!std::isfinite(r[k])) return INFINITY;
    u[k] = static_cast<double>(sum);
    largest = std::max(largest, std::abs(r[k]));
  }
  if (largest == 0) return relative(std::min(u[0], 0.0), terms[0]);
  if (!(r[0] > 0)) return INFINITY;
  const int size = cone.tangents();
  const double slide = part_error(size, cone.mu, r[0], r + 1, u + 1, terms + 1, terms[0]);
  const double roll = part_error(size, cone.mu_roll, r[0], r + 1 + size, u + 1 + size, terms + 1 + size, terms[0]);
  return std::max({relative(u[0], terms[0]), slide, roll});
}

double log_uniform(RandomStream& random, double low, double high) {
  return std::pow(10.0, random.uniform(std::log10(low), std::log10(high)));
}

double random_mu(RandomStream& random) {
  switch (random.below(6)) {
    case 0:
      return 0;
    case 1:
      return log_uniform(random, 1e-9, 1e-2);
    case 2:
      return random.uniform(1, 10);
    default:
      return random.uniform(0, 1);
  }
}

using MakeBlock = std::function<RowMatrixXd(RandomStream&, int dim)>;

RowMatrixXd spd(RandomStream& random, int dim) {
  RowMatrixXd B(dim, dim);
  for (double& x : B.reshaped()) x = random.normal();
  return B * B.transpose() + 0.05 * RowMatrixXd::Identity(dim, dim);
}

RowMatrixXd nearly_symmetric(RandomStream& random, int dim) {
  RowMatrixXd W = spd(random, dim);
  for (double& x : W.reshaped()) x *= 1 + 1e-3 * random.normal();
  return W;
}

// A contact off the centre of an ellipsoid: rows (d, arm x d), and of rolling (0, R t).
RowMatrixXd rigid_contact(RandomStream& random, int dim) {
  const Vec3 arm = random.direction();
  const Mat3 axes = random.orientation().toRotationMatrix();
  const Vec3 inverse_moments(random.uniform(0.5, 5), random.uniform(0.5, 5), random.uniform(0.5, 5));
  const Mat3 inverse_inertia = axes * inverse_moments.asDiagonal() * axes.transpose();
  const double R = random.uniform(0.05, 1.5);
  MatrixXd linear = MatrixXd::Zero(dim, 3), angular = MatrixXd::Zero(dim, 3);
  const int points = 1 + dim / 2;
  for (int k = 0; k < dim; ++k) {
    const Vec3 d = Vec3::Unit(k < points ? k : k - dim + 3);
    if (k < points) linear.row(k) = d;
    angular.row(k) = k < points ? arm.cross(d) : Vec3(R * d);
  }
  return linear * linear.transpose() + angular * inverse_inertia * angular.transpose();
}

// A sphere of unit mass and radius on a plane, any moment of inertia.
RowMatrixXd sphere(RandomStream& random, int dim) {
  const double w = 1 / random.uniform(0.1, 2.0 / 3);
  RowMatrixXd W = RowMatrixXd::Identity(dim, dim);
  for (int k = 1; k < dim; ++k) W(k, k) = k <= dim / 2 ? 1 + w : w;
  if (dim == 3)
    W(1, 2) = W(2, 1) = w;
  else
    W(1, 4) = W(4, 1) = w, W(2, 3) = W(3, 2) = -w;
  return W;
}

// A body that cannot turn, or cannot slide: rows that nothing moves.
RowMatrixXd immobile_part(RandomStream& random, int dim) {
  RowMatrixXd W = spd(random, dim);
  const bool turns = random.below(2) == 0;
  for (int k = 1; k < dim; ++k) {
    if ((k > dim / 2) == turns) continue;
    W.row(k).setZero();
    W.col(k).setZero();
  }
  return W;
}

struct Tally {
  double worst = 0;
  int cases[3] = {0, 0, 0};
};

// Solves `count` random blocks and demands the law to 1e-12.
Tally run(int dim, int count, int stream, const MakeBlock& make) {
  RandomStream random(4711, static_cast<std::uint64_t>(stream));
  Tally tally;
  const int size = dim / 2;
  for (int trial = 0; trial < count; ++trial) {
    const Cone cone{ConeKind::Rolling, dim, random_mu(random), random_mu(random)};
    RowMatrixXd W = make(random, dim);
    VectorXd q(dim), r(dim);
    for (double& x : q) x = random.normal();
    if (random.below(10) == 0) q.segment(1, size).setZero();
    if (random.below(10) == 0) q.tail(size).setZero();
    if (random.below(20) == 0) q[0] = 0;
    if (random.below(10) == 0) q[0] *= log_uniform(random, 1e-10, 1);
    if (random.below(10) == 0) q.tail(dim - 1) *= log_uniform(random, 1e-10, 1);
    if (random.below(2) == 0) q[0] = -std::abs(q[0]);
    if (random.below(3) == 0) q = (W * q).eval();
    W *= log_uniform(random, 1e-12, 1e12);
    q *= log_uniform(random, 1e-6, 1e6);
    const LocalCase found = solve_block(cone, W.data(), q.data(), r.data());
    const double error = kkt_error(cone, W.data(), q.data(), r.data());
    if (!(error <= 1e-12)) {
      INFO("trial " << trial << " mu " << cone.mu << ", " << cone.mu_roll << " case " << static_cast<int>(found));
      INFO("W\n" << W << "\nq " << q.transpose() << "\nr " << r.transpose());
      REQUIRE(error <= 1e-12);
    }
    tally.worst = std::max(tally.worst, error);
    ++tally.cases[static_cast<int>(found)];
  }
  return tally;
}

}  // namespace

TEST_CASE("a Rolling block is solved to 1e-12 whatever its scale, its coefficients and q") {
  for (const int dim : {5, 3}) {
    const int more = dim == 5 ? 2 : 1;
    const Tally any = run(dim, 25000 * more, 10 * dim, spd),
                rigid = run(dim, 20000 * more, 10 * dim + 1, rigid_contact),
                round = run(dim, 15000 * more, 10 * dim + 2, sphere),
                unsymmetric = run(dim, 10000 * more, 10 * dim + 3, nearly_symmetric),
                immobile = run(dim, 5000 * more, 10 * dim + 4, immobile_part);
    for (const Tally& tally : {any, rigid, round, unsymmetric}) {
      CHECK(tally.cases[0] > 200);
      CHECK(tally.cases[1] > 200);
      CHECK(tally.cases[2] > 2000);
    }
    MESSAGE("worst errors with " << dim << " rows: SPD " << any.worst << ", rigid " << rigid.worst << ", sphere "
                                 << round.worst << ", unsymmetric " << unsymmetric.worst << ", immobile "
                                 << immobile.worst);
  }
}

TEST_CASE("without one of the two resistances a Rolling block is a Coulomb block of the other") {
  RandomStream random(4712, 0);
  for (int trial = 0; trial < 5000; ++trial) {
    const RowMatrixXd W = rigid_contact(random, 5);
    VectorXd q(5), r(5);
    for (double& x : q) x = random.normal();
    q[0] = -std::abs(q[0]);
    const double mu = random.uniform(0, 1);
    const bool slides = trial % 2 == 0;
    const Cone cone = slides ? Cone{ConeKind::Rolling, 5, mu, 0} : Cone{ConeKind::Rolling, 5, 0, mu};
    solve_block(cone, W.data(), q.data(), r.data());
    const std::array<int, 3> rows = slides ? std::array{0, 1, 2} : std::array{0, 3, 4};
    RowMatrixXd part(3, 3);
    Vec3 part_q, part_r;
    for (int i = 0; i < 3; ++i) {
      part_q[i] = q[rows[static_cast<std::size_t>(i)]];
      for (int j = 0; j < 3; ++j) part(i, j) = W(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
    }
    solve_block({ConeKind::Coulomb, 3, mu}, part.data(), part_q.data(), part_r.data());
    for (int i = 0; i < 3; ++i) CHECK(r[rows[static_cast<std::size_t>(i)]] == part_r[i]);
  }
}

TEST_CASE("a sphere of speed v and spin w comes to the case that mechanics names") {
  // Unit mass, radius and R, inertia 2/5; block rows (n, t1, t2, m1, m2), normal up, u_m = w . t.
  RandomStream random(1, 0);
  RowMatrixXd W = RowMatrixXd::Identity(5, 5);
  W.diagonal() << 1, 3.5, 3.5, 2.5, 2.5;
  W(1, 4) = W(4, 1) = 2.5, W(2, 3) = W(3, 2) = -2.5;
  const Cone cone{ConeKind::Rolling, 5, 0.5, 0.1};
  VectorXd r(5);
  // It presses with q_n = -1 and rolls without slip, u_t = 0 and w = 10: friction holds the contact point, rolling
  // resistance is at its limit and slows the spin.
  VectorXd q(5);
  q << -1, 0, 0, 0, 10;
  CHECK(solve_block(cone, W.data(), q.data(), r.data()) == LocalCase::Slip);
  const VectorXd u = W * r + q;
  CHECK(r[0] == doctest::Approx(1));
  CHECK(r[4] == doctest::Approx(-0.1));
  CHECK(r[1] == doctest::Approx(0.1 * 2.5 / 3.5));  // so that u_t1 = 0
  CHECK(std::abs(u[1]) <= 1e-14);
  // Slow enough, it stops: both parts stick.
  q[4] = 0.05;
  CHECK(solve_block(cone, W.data(), q.data(), r.data()) == LocalCase::Stick);
  CHECK((W * r + q).norm() <= 1e-15);
  q[0] = 1;
  CHECK(solve_block(cone, W.data(), q.data(), r.data()) == LocalCase::Open);
}

TEST_CASE("a Rolling block allocates nothing, and a wrong one is refused by name") {
  RandomStream random(2, 0);
  const RowMatrixXd W = rigid_contact(random, 5);
  const double q[5] = {-1, 0.7, -2, 0.3, 1};
  double r[5];
  AllocationCounter counter;
  solve_block({ConeKind::Rolling, 5, 0.3, 0.1}, W.data(), q, r);
  if (AllocationCounter::available()) CHECK(counter.count() == 0);

  const auto complaint = [&](const Cone& cone) -> std::string {
    ConeProblem problem;
    problem.cones.add({ConeKind::Orthant, 1, 0});
    problem.cones.add(cone);
    problem.W.assembled = to_block_sparse(MatrixXd::Identity(1 + cone.dim, 1 + cone.dim).sparseView(), problem.cones);
    problem.q = VectorXd::Constant(1 + cone.dim, -1);
    VectorXd impulse = VectorXd::Zero(1 + cone.dim);
    try {
      Nsgs().solve(problem, impulse);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto names = [](const std::string& text, const char* what) {
    return text.find("contact 1") != std::string::npos && text.find(what) != std::string::npos;
  };
  CHECK(complaint({ConeKind::Rolling, 5, 0.3, 0.1}).empty());
  CHECK(names(complaint({ConeKind::Rolling, 4, 0.3, 0.1}), "3 or 5 rows"));
  CHECK(names(complaint({ConeKind::Rolling, 5, -0.3, 0.1}), "mu = -0.3"));
  CHECK(names(complaint({ConeKind::Rolling, 5, 0.3, -0.1}), "mu_roll = -0.1"));
  CHECK(names(complaint({ConeKind::Rolling, 5, 0.3, NAN}), "mu_roll = nan"));
  CHECK(names(complaint({ConeKind::Rolling, 5, 0.3, INFINITY}), "mu_roll = inf"));
}
