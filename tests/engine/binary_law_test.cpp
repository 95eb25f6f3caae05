#include <doctest/doctest.h>

#include "base/error.h"
#include "engine/impact/binary.h"
#include "impact_systems.h"

using namespace carom;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Ball 1 outside, ball 2 next to the wall, both positive toward it; m = m1/m2, e1 of the pair, e2 of the wall.
ImpactSystem two_balls_and_wall(double m, double e1, double e2, double v1, double v2) {
  ImpactSystem system = ball_chain({m, 1}, {v1, v2}, true);
  system.problem.contacts[0].restitution = e1;
  system.problem.contacts[1].restitution = e2;
  return system;
}

struct Parameters {
  double m, e1, e2, v1, v2;
};

}  // namespace

TEST_CASE("binary: wall, then pair, as in the closed form") {
  // v1+ = v1 - (1 + e1)(v1 + e2 v2)/(1 + m),  v2+ = -e2 v2 + m (1 + e1)(v1 + e2 v2)/(1 + m)
  for (const Parameters& a : {Parameters{0.1, 0.8, 0.9, 1, 0.5}, Parameters{0.1, 1, 1, 1, 1},
                              Parameters{0.05, 0.3, 0.6, 1, 1}, Parameters{0.2, 0.5, 0.9, 0.5, 1}}) {
    const ImpactSystem balls = two_balls_and_wall(a.m, a.e1, a.e2, a.v1, a.v2);
    VectorXd p;
    const ImpactReport report = BinaryLaw({.order = CollisionOrder::WallFirst}).apply(balls.problem, p);
    const double g = (1 + a.e1) * (a.v1 + a.e2 * a.v2) / (1 + a.m);
    CHECK((balls.velocity(p) - Vec2(a.v1 - g, -a.e2 * a.v2 + a.m * g)).norm() <= 1e-14);
    CHECK(report.events == 2);
    CHECK(report.consistent(1e-12));
  }
  // Both at speed 1: ((1 + m) - (1 + e1)(1 + e2), m (1 + e1 + e1 e2) - e2) / (1 + m)
  const double m = 0.1, e1 = 0.7, e2 = 0.8;
  const ImpactSystem balls = two_balls_and_wall(m, e1, e2, 1, 1);
  VectorXd p;
  BinaryLaw().apply(balls.problem, p);
  const Vec2 v(1 + m - (1 + e1) * (1 + e2), m * (1 + e1 + e1 * e2) - e2);
  CHECK((balls.velocity(p) - v / (1 + m)).norm() <= 1e-14);
}

TEST_CASE("binary: pair, wall, pair, as in the closed form, and unlike wall, then pair") {
  for (const Parameters& a :
       {Parameters{0.1, 0.8, 0.9, 1, 0.5}, Parameters{0.5, 0.5, 0.9, 1, 0}, Parameters{0.2, 0.6, 0.9, 1, 0.2}}) {
    const double k = (1 + a.e1) / (1 + a.m), g = a.v1 - a.v2;
    const double v1 = a.v1 - k * g, v2 = a.v2 + a.m * k * g;  // pair
    const double h = v1 + a.e2 * v2;                          // wall: v2 -> -e2 v2
    const Vec2 expected(v1 - k * h, -a.e2 * v2 + a.m * k * h);
    const ImpactSystem balls = two_balls_and_wall(a.m, a.e1, a.e2, a.v1, a.v2);
    VectorXd p, q;
    const ImpactReport report = BinaryLaw({.order = CollisionOrder::WallLast}).apply(balls.problem, p);
    CHECK((balls.velocity(p) - expected).norm() <= 1e-14);
    CHECK(report.events == 3);
    if (a.v2 > 0) {
      BinaryLaw({.order = CollisionOrder::WallFirst}).apply(balls.problem, q);
      CHECK((balls.velocity(p) - balls.velocity(q)).norm() > 1e-2);
    }
  }
  // At rest on the wall, v1 = 1, in one formula.
  const double m = 0.45, e1 = 0.6, e2 = 0.95, n = 1 + m;
  const ImpactSystem balls = two_balls_and_wall(m, e1, e2, 1, 0);
  VectorXd p;
  BinaryLaw().apply(balls.problem, p);
  const double c = m - e1 + e2 * m * (1 + e1);
  CHECK(balls.velocity(p)[0] == doctest::Approx((m - e1) / n - (1 + e1) * c / (n * n)).epsilon(1e-13));
  CHECK(balls.velocity(p)[1] == doctest::Approx(m * (1 + e1) * (c / n - e2) / n).epsilon(1e-13));
}

TEST_CASE("binary: equal elastic balls pass their velocities on, in every order") {
  const ImpactSystem row = ball_chain({1, 1, 1, 1, 1}, {3, 2, 0, 0, 0}, false, {.restitution = 1});
  for (CollisionOrder order : choices_of(CollisionOrder{})) {
    VectorXd p;
    const ImpactReport report = BinaryLaw({.order = order}).apply(row.problem, p);
    VectorXd expected(5);
    expected << 0, 0, 0, 2, 3;
    CHECK((row.velocity(p) - expected).norm() <= 1e-12);
    CHECK(std::abs(report.ker - 1) <= 1e-13);
  }
}

TEST_CASE("binary: the order is the one stated") {
  // Contacts 0, 1, 2 approach at 1, 3, 2; the last is a wall.
  ImpactSystem row = ball_chain({1, 1, 1}, {6, 5, 2}, true, {.restitution = 0.5});
  const auto first = [&](CollisionOrder order) {
    BinaryLaw law({.order = order});
    int struck = -1;
    law.observe([&](const ImpactSample& sample) {
      if (struck >= 0) return;
      for (int i = 0; i < 3; ++i)
        if (sample.p[i] > 0) struck = i;
    });
    VectorXd p;
    law.apply(row.problem, p);
    return struck;
  };
  CHECK(first(CollisionOrder::FastestApproach) == 1);
  CHECK(first(CollisionOrder::FirstIndex) == 0);
  CHECK(first(CollisionOrder::LastIndex) == 2);
  CHECK(first(CollisionOrder::Cyclic) == 0);
  CHECK(first(CollisionOrder::WallFirst) == 2);
  CHECK(first(CollisionOrder::WallLast) == 1);
}

TEST_CASE("binary: an endless sequence ends at rest, or at the limit and says so") {
  // Plastic balls in a row: each collision halves what is left.
  const ImpactSystem row = ball_chain({1, 1, 1}, {1, 0, 0});
  VectorXd p;
  const ImpactReport report = BinaryLaw().apply(row.problem, p);
  CHECK(report.status == ImpactStatus::Done);
  CHECK(report.events > 10);
  CHECK((row.velocity(p) - Vec3::Constant(1.0 / 3)).norm() <= 1e-11);

  const ImpactReport stopped = BinaryLaw({.max_events = 5}).apply(row.problem, p);
  CHECK(stopped.status == ImpactStatus::EventLimit);
  CHECK(stopped.events == 5);
  CHECK(!stopped.terminated);
  CHECK(says(stopped.message, "5 collisions"));
  CHECK(stopped.kinematic_violation > 0);
}

TEST_CASE("binary: each collision takes (1 - e^2) u^2 / (2 W_ii)") {
  RandomStream random(13, 0);
  ImpactSystem system = random_impact_system(random, {});
  BinaryLaw law;
  VectorXd before, after;
  double lost = 0;
  law.observe([&](const ImpactSample& sample) {
    if (before.size() > 0 && sample.p.size() > 0)
      for (int i = 0; i < sample.p.size(); ++i)
        if (const double u = before[i], e = system.problem.contacts[static_cast<std::size_t>(i)].restitution;
            sample.p[i] > after[i])
          lost += (1 - e * e) * u * u / (2 * normal_entry(system.problem.W, i, i));
    before = sample.u;
    after = sample.p;
  });
  VectorXd p;
  const ImpactReport report = law.apply(system.problem, p);
  CHECK(report.events > 1);
  CHECK(report.energy_change == doctest::Approx(-lost).epsilon(1e-9));
}

TEST_CASE("binary: friction of spheres is consistent, of bodies whose tangents are coupled it need not be") {
  ImpactProblem problem;
  problem.cones.add({.kind = ConeKind::Coulomb, .dim = 2, .mu = 0.5});
  MatrixXd W(2, 2);
  W << 1, 0, 0, 3.5;
  problem.W = to_block_sparse(W.sparseView(), problem.cones);
  problem.u_minus = Vec2(-1, 0.2);
  problem.contacts = {{.restitution = 0.9}};
  VectorXd p;
  ImpactReport report = BinaryLaw().apply(problem, p);
  CHECK(report.admissible);
  CHECK(report.uniqueness == Uniqueness::Unique);
  CHECK((velocity_after(problem, p) - Vec2(0.9, 0)).norm() <= 1e-13);

  W(0, 1) = W(1, 0) = 0.6;
  W(1, 1) = 1;
  problem.W = to_block_sparse(W.sparseView(), problem.cones);
  problem.u_minus = Vec2(-1, -0.6);
  report = BinaryLaw().apply(problem, p);
  CHECK(!report.admissible);
  CHECK(report.energy_growth > 0.1);
}

TEST_CASE("binary: bad restitution is refused, nothing approaching is nothing happening") {
  VectorXd p;
  CHECK_THROWS_AS(BinaryLaw().apply(ball_chain({1, 1}, {1, 0}, false, {.restitution = 1.1}).problem, p), InputError);
  const ImpactReport report = BinaryLaw().apply(ball_chain({1, 1}, {0, 0}).problem, p);
  CHECK(report.status == ImpactStatus::NothingApproaches);
  CHECK(report.events == 0);
}
