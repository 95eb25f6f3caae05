#include <doctest/doctest.h>

#include "base/error.h"
#include "engine/impact/newton.h"
#include "engine/impact/poisson.h"
#include "impact_systems.h"

using namespace carom;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Outcome {
  ImpactReport report;
  VectorXd p, v;
};

Outcome three_balls(double e1, double e2) {
  ImpactSystem row = ball_chain({1, 1, 1}, {1, 0, 0});
  row.problem.contacts[0].restitution = e1;
  row.problem.contacts[1].restitution = e2;
  Outcome outcome;
  outcome.report = PoissonLaw().apply(row.problem, outcome.p);
  outcome.v = row.velocity(outcome.p);
  return outcome;
}

// One contact with the given W, in the plane.
ImpactProblem one_contact(const Mat2& W, double mu, const Vec2& u_minus, double e) {
  ImpactProblem problem;
  problem.cones.add({.kind = ConeKind::Coulomb, .dim = 2, .mu = mu});
  problem.W = to_block_sparse(MatrixXd(W).sparseView(), problem.cones);
  problem.u_minus = u_minus;
  problem.contacts = {{.restitution = e}};
  problem.kinetic_energy = 0.5 * u_minus.dot(W.inverse() * u_minus);
  return problem;
}

}  // namespace

TEST_CASE("poisson: with one e for all, rows of balls do what newton's law does") {
  for (double e : {0.0, 0.4, 1.0}) {
    const ImpactSystem row = ball_chain({1, 2, 0.5, 1, 3}, {1, 0, 0, 0, 0}, false, {.restitution = e});
    VectorXd p, q;
    const ImpactReport report = PoissonLaw().apply(row.problem, p);
    NewtonLaw().apply(row.problem, q);
    CHECK(report.consistent(1e-12));
    CHECK(report.uniqueness == Uniqueness::Unique);
    CHECK((p - q).norm() <= 1e-12);
  }
}

TEST_CASE("poisson: three balls leave Moreau's line when the second contact gives back more than the first") {
  // p_c = (2, 1)/3. For e1 <= e2 <= 4 e1: u_plus = (4 e1 - e2, 2 e2 - 2 e1) / 3. For e2 <= e1: (e1, 0).
  for (double e1 : {0.3, 0.5, 0.8}) {
    for (double e2 : {0.0, 0.3, 0.6, 1.0, 1.1}) {
      const Outcome outcome = three_balls(e1, e2);
      const Vec2 u(outcome.v[1] - outcome.v[0], outcome.v[2] - outcome.v[1]);
      const Vec2 expected = e2 <= e1 ? Vec2(e1, 0) : Vec2(4 * e1 - e2, 2 * e2 - 2 * e1) / 3;
      CHECK((u - expected).norm() <= 1e-13);
      CHECK(outcome.report.admissible == (e2 <= 1));
      CHECK(outcome.report.kinematic_violation <= 1e-14);
    }
  }
}

TEST_CASE("poisson: outcomes of full energy beyond Moreau's need coefficients from 1 to 2, the cradle 2") {
  // Energy is kept on 4 e1^2 - 2 e1 e2 + e2^2 = 3 with e1 <= e2 <= 4 e1: e2 from 1 (Moreau's e = 1) to 2.
  for (double e2 : {1.0, 1.2, 1.5, 1.9, 2.0}) {
    const double e1 = (e2 + std::sqrt(12 - 3 * e2 * e2)) / 4;
    const Outcome outcome = three_balls(e1, e2);
    CHECK(std::abs(outcome.report.ker - 1) <= 1e-12);
    CHECK(outcome.report.admissible == (e2 <= 1));
  }
  CHECK((three_balls(1, 1).v - Vec3(-1, 2, 2) / 3).norm() <= 1e-13);
  CHECK((three_balls(0.5, 2).v - Vec3(0, 0, 1)).norm() <= 1e-13);
  // Within [0, 1] every outcome other than Moreau's e = 1 loses energy.
  for (int i = 0; i <= 20; ++i)
    for (int j = 0; j <= 20; ++j)
      if (i < 20 || j < 20) {
        const Outcome outcome = three_balls(i / 20.0, j / 20.0);
        CHECK((i == 20 || outcome.report.ker < 1 - 1e-3));  // e1 = 1 >= e2 is Moreau's
        CHECK(outcome.report.energy_growth == 0);
      }
}

TEST_CASE("poisson: coefficients above 1 may create energy, and the report says so") {
  const ImpactSystem pair = ball_chain({1, 1}, {1, 0}, false, {.restitution = 1.5});
  VectorXd p;
  const ImpactReport report = PoissonLaw().apply(pair.problem, p);
  CHECK(!report.admissible);
  CHECK(says(report.message, "above 1"));
  // v = (1 -+ e) / 2
  CHECK(report.ker == doctest::Approx((1 + 1.5 * 1.5) / 2));
}

TEST_CASE("poisson: a sliding particle is braked in both phases") {
  const double mu = 0.1, e = 0.7;
  VectorXd p;
  const ImpactProblem problem = one_contact(Vec2(1, 1).asDiagonal(), mu, Vec2(-1, 3), e);
  const ImpactReport report = PoissonLaw().apply(problem, p);
  CHECK(report.status == ImpactStatus::Done);
  CHECK(report.events == 2);
  CHECK(p[0] == doctest::Approx(1 + e).epsilon(1e-12));
  CHECK(p[1] == doctest::Approx(-mu * (1 + e)).epsilon(1e-12));
}

TEST_CASE("poisson: the expansion of a coupled contact, stuck in compression, obeys Coulomb's law") {
  // W = [1 w; w 1]. Compression sticks: p_c = -W^-1 u_minus. Expansion: p_en = e p_cn, p_et = -w p_en while that is
  // within the cone, else -mu p_en, and u_plus = W p_e.
  const double w = 0.4, e = 0.8;
  Mat2 W;
  W << 1, w, w, 1;
  for (double mu : {0.2, 0.3, 0.5, 0.9}) {
    const Vec2 p_c(1, 0.1), u_minus = -W * p_c;
    VectorXd p;
    const ImpactProblem problem = one_contact(W, mu, u_minus, e);
    const ImpactReport report = PoissonLaw().apply(problem, p);
    const Vec2 p_e(e, -std::min(mu, w) * e);
    CHECK((p - p_c - p_e).norm() <= 1e-12);
    CHECK(report.admissible);
    CHECK(report.energy_growth == 0);
    CHECK(report.kinetic_violation <= 1e-13);
  }
}

TEST_CASE("poisson: in the expansion a contact leaves, or keeps its normal impulse above e times the first one") {
  RandomStream random(12, 0);
  for (int trial = 0; trial < 100; ++trial) {
    const ImpactSystem system = random_impact_system(random, {.friction = true, .largest_mu = 0.5, .one_e = true});
    std::vector<VectorXd> impulses;
    PoissonLaw law;
    law.observe([&](const ImpactSample& sample) { impulses.emplace_back(sample.p); });
    VectorXd p;
    const ImpactReport report = law.apply(system.problem, p);
    if (report.status != ImpactStatus::Done) continue;
    REQUIRE(impulses.size() == 3);  // start, end of compression, end
    const VectorXd p_c = impulses[1], p_e = p - p_c, u = velocity_after(system.problem, p);
    const Cones& cones = system.problem.cones;
    double worst = 0;
    for (int i = 0; i < cones.count(); ++i) {
      const int k = cones.offset(i);
      const double mass = 1 / normal_entry(system.problem.W, i, i);  // impulses as velocities
      const double spare = p_e[k] - system.problem.contacts[static_cast<std::size_t>(i)].restitution * p_c[k];
      worst = std::max({worst, -spare / mass, -u[k], std::min(spare / mass, u[k])});
      // Coulomb's law of the phase: |p_et| <= mu p_en, against the sliding
      const VectorXd t = p_e.segment(k + 1, cones.dim(i) - 1), slip = u.segment(k + 1, cones.dim(i) - 1);
      const double bound = cones[i].mu * p_e[k];
      worst = std::max(worst, (t.norm() - bound) / mass);
      worst = std::max(worst, (t.dot(slip) + bound * slip.norm()) / (mass * (1 + slip.norm())));
    }
    CHECK(worst <= 1e-8);
  }
}

TEST_CASE("poisson: friction with different e can create energy, with one e it does not") {
  int grown = 0;
  for (int k = 0; k < 1000; ++k) {
    RandomStream random(77, static_cast<std::uint64_t>(k));
    ImpactSystem system;
    const int contacts = 2 + static_cast<int>(random.below(2)), dof = 3 + static_cast<int>(random.below(4));
    system.M = MatrixXd::Identity(dof, dof);
    system.v.resize(dof);
    for (double& x : system.v) x = random.normal();
    system.H.resize(2 * contacts, dof);
    for (double& x : system.H.reshaped()) x = random.normal();
    Cones cones;
    for (int i = 0; i < contacts; ++i) {
      cones.add({.kind = ConeKind::Coulomb, .dim = 2, .mu = random.uniform(0, 1.5)});
      if (system.H.row(2 * i).dot(system.v) > 0) system.H.row(2 * i) *= -1;
      if (random.below(2) == 1) system.H.row(2 * i + 1) *= 0.3;
    }
    system.problem = impact_problem(system, cones, {});
    for (ImpactContact& contact : system.problem.contacts)
      contact.restitution = random.below(3) == 0 ? random.uniform() : static_cast<double>(random.below(2));
    VectorXd p;
    ImpactReport report = PoissonLaw().apply(system.problem, p);
    if (report.status == ImpactStatus::Done && report.energy_growth > 1e-10) {
      ++grown;
      CHECK(!report.admissible);
    }
    for (ImpactContact& contact : system.problem.contacts) contact.restitution = 1;
    report = PoissonLaw().apply(system.problem, p);
    CHECK(report.admissible);
    if (report.status == ImpactStatus::Done) CHECK(report.energy_growth <= 1e-10);
  }
  CHECK(grown > 0);
}

TEST_CASE("poisson: restitution above 2 is refused, nothing approaching is nothing happening") {
  VectorXd p;
  CHECK_THROWS_AS(PoissonLaw().apply(ball_chain({1, 1}, {1, 0}, false, {.restitution = 2.1}).problem, p), InputError);
  const ImpactReport report = PoissonLaw().apply(ball_chain({1, 1}, {0, 1}, false, {.restitution = 2}).problem, p);
  CHECK(report.status == ImpactStatus::NothingApproaches);
  CHECK(p.isZero(0));
}
