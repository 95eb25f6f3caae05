#include "solvers/sphere_sweep.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "base/random.h"
#include "solvers/contact_sweep.h"
#include "solvers/nsgs.h"

using namespace carom;

namespace {

// Spheres that touch in random directions, and a wall: rows as the engine makes them.
ConeProblem random_spheres(RandomStream& random, int contacts, int bodies, bool frictionless = false) {
  ConeProblem problem;
  DelassusFactors& factors = problem.W.factors.emplace();
  std::vector<double> radius;
  for (int b = 0; b < bodies; ++b) {
    radius.push_back(random.uniform(0.5, 2));
    const double mass = std::pow(radius.back(), 3);
    factors.inverse_mass.push_back({1 / mass, Mat3(Mat3::Identity() * (2.5 / (mass * radius.back() * radius.back())))});
  }
  std::vector<double> q;
  for (int i = 0; i < contacts; ++i) {
    const int a = static_cast<int>(random.below(static_cast<std::uint64_t>(bodies)));
    int b = static_cast<int>(random.below(static_cast<std::uint64_t>(bodies)));
    if (a == b) b = -1;
    const Vec3 n = random.direction(), t1 = n.unitOrthogonal(), t2 = n.cross(t1);
    const Vec3 arm_a = -radius[static_cast<std::size_t>(a)] * n;
    const Vec3 arm_b = b < 0 ? Vec3(Vec3::Ones()) : Vec3(radius[static_cast<std::size_t>(b)] * n);
    problem.cones.add(frictionless ? Cone{ConeKind::Orthant, 1, 0} : Cone{ConeKind::Coulomb, 3, random.uniform(0, 1)});
    factors.bodies.push_back({a, b});
    for (const Vec3& d : {n, t1, t2}) {
      factors.rows.push_back({d, arm_a.cross(d), d.cross(arm_b)});
      q.push_back(random.uniform(-1, d == n ? 0.2 : 1));
      if (frictionless) break;
    }
  }
  problem.q.assign(problem.cones.rows(), 0.0);
  std::copy(q.begin(), q.end(), problem.q.begin());
  return problem;
}

}  // namespace

TEST_CASE("sweeps over packed spheres move impulses and velocities as sweeps over rows do") {
  for (int trial = 0; trial < 40; ++trial) {
    RandomStream random(720, static_cast<std::uint64_t>(trial));
    const int contacts = 1 + static_cast<int>(random.below(100)), bodies = 2 + contacts / (1 + trial % 4);
    const ConeProblem problem = random_spheres(random, contacts, bodies);
    VectorXd r = VectorXd::Zero(problem.cones.rows()), packed = r;
    std::vector<Twist> v(static_cast<std::size_t>(bodies)), recomputed;
    ContactSweep rows;
    rows.prepare(problem, {}, problem.W.factors->rows);
    SphereSweep spheres;
    REQUIRE(spheres.prepare(problem, {}, {}));
    spheres.read(packed);
    spheres.read(v);
    for (int k = 0; k < 5; ++k) {
      const double change = rows.visit(0, contacts, 1.0, {}, r.data(), v.data());
      CHECK(spheres.visit(0, contacts).largest == doctest::Approx(change).epsilon(1e-9));
    }
    spheres.write(packed);
    CAPTURE(trial);
    CHECK((r - packed).norm() <= 1e-12 * (1 + r.norm()));
  }
}

TEST_CASE("the code for any machine gives packed spheres the same bits as the code for this one") {
  RandomStream random(721, 0);
  const ConeProblem problem = random_spheres(random, 300, 100);
  VectorXd r[2];
  for (const int plain : {0, 1}) {
    r[plain] = VectorXd::Zero(problem.cones.rows());
    SphereSweep spheres;
    spheres.leave_vectors_out = plain == 1;
    REQUIRE(spheres.prepare(problem, {}, {}));
    for (int k = 0; k < 30; ++k) {
      spheres.visit(0, 300);
      spheres.extrapolate(0.5);
    }
    spheres.write(r[plain]);
  }
  CHECK(std::memcmp(r[0].data(), r[1].data(), sizeof(double) * static_cast<std::size_t>(r[0].size())) == 0);
}

TEST_CASE("bodies that are no spheres, and arms that are not along the normal, are refused") {
  RandomStream random(722, 0);
  const ConeProblem spheres = random_spheres(random, 20, 10);
  SphereSweep sweep;
  CHECK(sweep.prepare(spheres, {}, {}));
  ConeProblem brick = spheres;
  brick.W.factors->inverse_mass[0].angular(0, 0) *= 1.001;
  CHECK(!SphereSweep::may_take(brick));
  CHECK(!sweep.prepare(brick, {}, {}));
  ConeProblem crooked = spheres;
  crooked.W.factors->rows[0].angular_a += Vec3(1e-3, 0, 0);
  CHECK(!sweep.prepare(crooked, {}, {}));
  ConeProblem springy = spheres;
  springy.W.factors->compliance.assign(springy.W.factors->rows.size(), 0.1);
  CHECK(!sweep.prepare(springy, {}, {}));
}

TEST_CASE("contacts without friction are packed too, and solved to the tolerance") {
  RandomStream random(723, 0);
  const ConeProblem problem = random_spheres(random, 60, 40, true);
  SphereSweep sweep;
  REQUIRE(sweep.prepare(problem, {}, {}));
  Nsgs nsgs({.stop = {.tolerance = 1e-9, .measure = Measure::Velocity, .max_iterations = 100000}});
  VectorXd r = VectorXd::Zero(problem.cones.rows());
  CHECK(nsgs.solve(problem, r).solved());
  CHECK(r.minCoeff() >= 0);
}
