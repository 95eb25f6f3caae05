#include "solvers/contact_sweep.h"

#include <doctest/doctest.h>

#include <cstring>

#include "random_problems.h"
#include "solvers/nsgs.h"

using namespace carom;

namespace {

constexpr ConeMix kContacts = {
    .free = false, .orthant = false, .coulomb = true, .associated = false, .planar = false, .largest_mu = 1};

VectorXd swept(const ConeProblem& problem, int sweeps, NsgsOptions options = {}) {
  options.stop.tolerance = 0;
  options.stop.max_iterations = sweeps;
  VectorXd r = VectorXd::Zero(problem.cones.rows());
  // The report may speak of an earlier sweep: the last one is wanted, so nobody looks before it.
  options.check.check_every = sweeps;
  StopTest stop;
  stop.start(problem, options.stop, options.check, r);
  Nsgs nsgs(options);
  nsgs.prepare(problem);
  nsgs.sweep_until(stop, problem, sweeps - 1, r);
  return r;
}

// The same contacts and a frictionless one that separates by itself: now blocks are visited one by one.
ConeProblem with_a_stranger(const ConeProblem& problem) {
  ConeProblem more = problem;
  more.cones.add({ConeKind::Orthant, 1, 0});
  more.q.assign(more.cones.rows(), 1.0);
  std::copy(problem.q.begin(), problem.q.end(), more.q.begin());
  if (more.W.factors) {
    DelassusFactors& factors = *more.W.factors;
    factors.bodies.push_back({static_cast<int>(factors.inverse_mass.size()), -1});
    factors.inverse_mass.push_back({1, Mat3::Identity()});
    factors.rows.push_back({Vec3::UnitX(), Vec3::Zero(), Vec3::Zero()});
  } else {
    BlockSparse& W = *more.W.assembled;
    W.column.push_back(problem.cones.count());
    W.start.push_back(static_cast<std::ptrdiff_t>(W.values.size()));
    W.diagonal.push_back(static_cast<int>(W.column.size()) - 1);
    W.first.push_back(static_cast<int>(W.column.size()));
    W.values.push_back(1);
  }
  return more;
}

bool same_bits(const VectorXd& a, const VectorXd& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(double) * size_t(a.size())) == 0;
}

}  // namespace

TEST_CASE("sweeps over contacts move them as visits block by block do, on both operator bodies") {
  for (int trial = 0; trial < 60; ++trial) {
    RandomStream random(710, static_cast<std::uint64_t>(trial));
    const int contacts = 1 + static_cast<int>(random.below(120));
    const ConeProblem factors = random_rigid_problem(random, contacts, 1 + contacts / (1 + trial % 4), kContacts);
    for (const ConeProblem& problem : {factors, assembled_copy(factors)}) {
      const ConeProblem one_by_one = with_a_stranger(problem);
      REQUIRE(ContactSweep::takes(problem));
      REQUIRE(!ContactSweep::takes(one_by_one));
      for (const double relaxation : {1.0, 1.3, 0.7}) {
        NsgsOptions options;
        options.relaxation = relaxation;
        for (const int sweeps : {2, 6}) {
          const VectorXd r = swept(problem, sweeps, options), same = swept(one_by_one, sweeps, options);
          CAPTURE(trial);
          CHECK((r - same.head(r.size())).norm() <= 1e-10 * (1e-10 + same.norm()));
        }
      }
    }
  }
}

TEST_CASE("the code for any machine gives the same bits as the code for this one") {
  RandomStream random(711, 0);
  for (int trial = 0; trial < 20; ++trial) {
    const ConeProblem factors = random_rigid_problem(random, 80, 40, kContacts);
    const ConeProblem assembled = assembled_copy(factors);
    VectorXd r[2];
    std::vector<Twist> v[2];
    for (const int plain : {0, 1}) {
      r[plain] = VectorXd::Zero(factors.cones.rows());
      ContactSweep sweep;
      sweep.leave_vectors_out = plain == 1;
      sweep.prepare(assembled, *assembled.W.assembled);
      for (int k = 0; k < 30; ++k) sweep.visit(0, 80, 1.0, {}, r[plain].data(), nullptr);
    }
    CHECK(same_bits(r[0], r[1]));
    for (const int plain : {0, 1}) {
      r[plain].setZero();
      v[plain].assign(factors.W.factors->inverse_mass.size(), {});
      ContactSweep sweep;
      sweep.leave_vectors_out = plain == 1;
      sweep.prepare(factors, {}, factors.W.factors->rows);
      for (int k = 0; k < 30; ++k) sweep.visit(0, 80, 1.0, {}, r[plain].data(), v[plain].data());
    }
    CHECK(same_bits(r[0], r[1]));
    CHECK(std::memcmp(v[0].data(), v[1].data(), sizeof(Twist) * v[0].size()) == 0);
  }
}

TEST_CASE("body velocities follow the impulses that are swept") {
  RandomStream random(712, 0);
  const ConeProblem problem = random_rigid_problem(random, 100, 50, kContacts);
  VectorXd r = VectorXd::Zero(problem.cones.rows());
  std::vector<Twist> v(50), recomputed;
  ContactSweep sweep;
  sweep.prepare(problem, {}, problem.W.factors->rows);
  for (int k = 0; k < 20; ++k) sweep.visit(0, 100, 1.0, {}, r.data(), v.data());
  accumulate_twists(*problem.W.factors, problem.cones, r, recomputed);
  for (std::size_t b = 0; b < v.size(); ++b) {
    CHECK((v[b].linear - recomputed[b].linear).norm() <= 1e-12 * (1 + recomputed[b].linear.norm()));
    CHECK((v[b].angular - recomputed[b].angular).norm() <= 1e-12 * (1 + recomputed[b].angular.norm()));
  }
}

TEST_CASE("one contact alone is solved at its second visit as at its first, however singular its block") {
  // The first visit eliminates, later ones may use a stored inverse and start from the last slip.
  double worst = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    RandomStream random(713, static_cast<std::uint64_t>(trial));
    ConeProblem problem;
    const double mu = trial % 7 == 0 ? 0.0 : random.uniform(0, 2);
    problem.cones.add({ConeKind::Coulomb, 3, mu});
    // Of rank 1, 2, 3, equal in both tangents, or immobile along them.
    MatrixXd W = MatrixXd::Identity(3, 3);
    const int kind = trial % 5;
    if (kind < 3) {
      const MatrixXd B = random_matrix(random, 3, kind + 1);
      W = B * B.transpose();
    }
    if (kind == 4) W(1, 1) = W(2, 2) = 0;
    W *= std::pow(10.0, random.uniform(-6, 6));
    VectorXd q = W * random_vector(random, 3);
    if (kind >= 3) q = random_vector(random, 3);
    if (kind >= 2 && trial % 11 == 0) q[1] = q[2] = 0;  // singular blocks need a q in their range
    problem.W.assembled = to_block_sparse(W.sparseView(), problem.cones);
    problem.q = q;
    VectorXd r = VectorXd::Zero(3), u(3);
    ContactSweep sweep;
    sweep.prepare(problem, *problem.W.assembled);
    for (int visit = 0; visit < 3; ++visit) {
      sweep.visit(0, 1, 1.0, {}, r.data(), nullptr);
      const double error = compute_residuals(problem, r, u).velocity_worst / q.norm();
      worst = std::max(worst, error);
      // From another impulse, which must not matter
      r *= 1.7;
    }
  }
  MESSAGE("worst velocity error relative to |q|: " << worst);
  CHECK(worst <= 1e-11);
}

TEST_CASE("a change that is not a number counts as the largest there is") {
  RandomStream random(714, 0);
  const ConeProblem problem = assembled_copy(random_rigid_problem(random, 10, 3, kContacts));
  VectorXd r = VectorXd::Zero(problem.cones.rows());
  r[0] = std::numeric_limits<double>::quiet_NaN();
  ContactSweep sweep;
  sweep.prepare(problem, *problem.W.assembled);
  CHECK(std::isinf(sweep.visit(0, 10, 1.0, {}, r.data(), nullptr)));
}
