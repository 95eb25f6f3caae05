#include <doctest/doctest.h>

#include "base/error.h"
#include "engine/impact/newton.h"
#include "impact_systems.h"

using namespace carom;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// One sphere (inertia 2/5 m r^2) on the ground in the plane: W = diag(1, 7/2) / m.
ImpactProblem sphere_on_ground(double m, double mu, const Vec2& u_minus, const ImpactContact& contact) {
  ImpactProblem problem;
  problem.cones.add({.kind = ConeKind::Coulomb, .dim = 2, .mu = mu});
  const MatrixXd W = Vec2(1 / m, 3.5 / m).asDiagonal();
  problem.W = to_block_sparse(W.sparseView(), problem.cones);
  problem.u_minus = u_minus;
  problem.contacts = {contact};
  problem.kinetic_energy = 0.5 * u_minus.dot(W.inverse() * u_minus);
  return problem;
}

}  // namespace

TEST_CASE("newton: the struck contact of a row of balls is reversed and all others rest") {
  for (int n : {3, 4, 8, 20}) {
    for (double e : {0.0, 0.3, 1.0}) {
      std::vector<double> masses, velocities;
      for (int i = 0; i < n; ++i) {
        masses.push_back(1 + 0.1 * (i % 3));
        velocities.push_back(i == 0 ? 1 : 0);
      }
      const ImpactSystem row = ball_chain(masses, velocities, false, {.restitution = e});
      VectorXd p;
      const ImpactReport report = NewtonLaw().apply(row.problem, p);
      CHECK(report.status == ImpactStatus::Done);
      CHECK(report.consistent(1e-12));
      CHECK(report.admissible);
      CHECK(report.uniqueness == Uniqueness::Unique);
      // u_plus = (e, 0, 0, ...): the others leave together
      const VectorXd u = velocity_after(row.problem, p);
      CHECK(u[0] == doctest::Approx(e).epsilon(1e-12));
      CHECK(u.tail(n - 2).lpNorm<Eigen::Infinity>() <= 1e-12);
    }
  }
}

TEST_CASE("newton: three equal balls lie on Moreau's line") {
  // v = (1 - 2e, 1 + e, 1 + e) / 3, KER = (1 + 2 e^2) / 3
  for (double e : {0.0, 0.25, 0.5, 0.9, 1.0}) {
    const ImpactSystem row = ball_chain({1, 1, 1}, {1, 0, 0}, false, {.restitution = e});
    VectorXd p;
    const ImpactReport report = NewtonLaw({.preset = NewtonPreset::Moreau}).apply(row.problem, p);
    const VectorXd v = row.velocity(p);
    CHECK((v - Vec3(1 - 2 * e, 1 + e, 1 + e) / 3).norm() <= 1e-13);
    CHECK(report.ker == doctest::Approx((1 + 2 * e * e) / 3).epsilon(1e-12));
    const double energies[] = {0.5 * v[0] * v[0], 0.5 * v[1] * v[1], 0.5 * v[2] * v[2]};
    // T_2 = T_3: the deviation of (a, b, b) is sqrt(2)/3 |a - b|
    const double a = std::pow(1 - 2 * e, 2), b = std::pow(1 + e, 2);
    CHECK(dispersion_index(energies) == doctest::Approx(std::sqrt(2.0) * std::abs(a - b) / (a + 2 * b)).epsilon(1e-12));
  }
}

TEST_CASE("newton: a sphere's friction sees u_t+ with moreau and u_t+ + u_t- with fremond") {
  const double m = 2, e = 0.6, mu = 0.2;
  const auto after = [&](NewtonPreset preset, double slip) -> Vec2 {
    const ImpactProblem problem = sphere_on_ground(m, mu, Vec2(-1, slip), {.restitution = e});
    VectorXd p;
    const ImpactReport report = NewtonLaw({.preset = preset}).apply(problem, p);
    CHECK(report.consistent(1e-12));
    return velocity_after(problem, p);
  };
  // Sliding: p_t = -mu p_n, p_n = (1 + e) m, u_t+ = u_t- - 7/2 mu (1 + e)
  const double braked = 3.5 * mu * (1 + e);
  CHECK((after(NewtonPreset::Moreau, 2) - Vec2(e, 2 - braked)).norm() <= 1e-13);
  CHECK((after(NewtonPreset::Fremond, 2) - Vec2(e, 2 - braked)).norm() <= 1e-13);
  // Slow enough: Moreau's contact sticks, Fremond's reverses
  CHECK((after(NewtonPreset::Moreau, 0.3) - Vec2(e, 0)).norm() <= 1e-13);
  CHECK((after(NewtonPreset::Fremond, 0.3) - Vec2(e, -0.3)).norm() <= 1e-13);
}

TEST_CASE("newton: the contacts' own e_t counts unless a preset is named") {
  const ImpactProblem problem =
      sphere_on_ground(1, 5, Vec2(-1, 0.5), {.restitution = 0.5, .tangential_restitution = 0.5});
  VectorXd p;
  const ImpactReport report = NewtonLaw().apply(problem, p);
  CHECK((velocity_after(problem, p) - Vec2(0.5, -0.25)).norm() <= 1e-13);
  CHECK(report.admissible);  // e_t = e_n
}

TEST_CASE("newton: Kane's paradox, friction with e > 0 creates energy and the report says so") {
  // W = [1 w; w 1], u_minus = (-1, -w): sticking, T+ / T- = e^2 / (1 - w^2)
  const double w = 0.6, e = 0.9;
  ImpactProblem problem = sphere_on_ground(1, 0.5, Vec2(-1, -w), {.restitution = e});
  MatrixXd W(2, 2);
  W << 1, w, w, 1;
  problem.W = to_block_sparse(W.sparseView(), problem.cones);
  problem.kinetic_energy = 0.5 * problem.u_minus.dot(W.inverse() * problem.u_minus);
  VectorXd p;
  const ImpactReport report = NewtonLaw().apply(problem, p);
  CHECK(report.status == ImpactStatus::Done);
  CHECK(report.ker == doctest::Approx(e * e / (1 - w * w)).epsilon(1e-12));
  CHECK(report.energy_growth == doctest::Approx(e * e / (1 - w * w) - 1).epsilon(1e-12));
  CHECK(!report.admissible);
  CHECK(says(report.message, "energy can grow"));
  CHECK(!report.consistent(1e-3));

  const ImpactReport fremond = NewtonLaw({.preset = NewtonPreset::Fremond}).apply(problem, p);
  CHECK(fremond.admissible);
  CHECK(fremond.energy_growth == 0);
}

TEST_CASE("newton: redundant contacts have unique velocities, and impulses that are not") {
  ImpactSystem table = planar_block({.l = 1, .L = 1, .m = 1}, Vec3(0, -1, 0));
  // A third leg in the middle: three normals on two degrees of freedom.
  MatrixXd H(3, 3);
  H << table.H, 0.5 * (table.H.row(0) + table.H.row(1));
  table.H = H;
  table.problem = impact_problem(table, frictionless_cones(3), {.restitution = 0.5});
  VectorXd p;
  const ImpactReport report = NewtonLaw().apply(table.problem, p);
  CHECK(report.status == ImpactStatus::Done);
  CHECK(report.consistent(1e-12));
  CHECK(report.uniqueness == Uniqueness::VelocitiesOnly);
  CHECK((table.velocity(p) - Vec3(0, 0.5, 0)).norm() <= 1e-12);
}

TEST_CASE("newton: demands that contradict each other are reported, not hidden") {
  // A ball jammed between two walls moves toward the one with the larger e.
  ImpactSystem jam;
  jam.M = MatrixXd::Identity(1, 1);
  jam.v = VectorXd::Constant(1, 1);
  jam.H.resize(2, 1);
  jam.H << -1, 1;
  jam.problem = impact_problem(jam, frictionless_cones(2), {});
  jam.problem.contacts[0].restitution = 0.8;
  VectorXd p;
  const ImpactReport report = NewtonLaw().apply(jam.problem, p);
  CHECK(report.status == ImpactStatus::NotSolved);
  CHECK(!report.terminated);
  CHECK(says(report.message, "no impulses"));
  CHECK(p.allFinite());
}

TEST_CASE("newton: nothing approaches, nothing happens") {
  const ImpactSystem row = ball_chain({1, 2, 1}, {-1, 0, 0}, false, {.restitution = 0.5});
  int samples = 0;
  NewtonLaw law;
  law.observe([&](const ImpactSample& sample) { samples += sample.p.isZero(0) ? 1 : 100; });
  VectorXd p = VectorXd::Ones(7);
  const ImpactReport report = law.apply(row.problem, p);
  CHECK(report.status == ImpactStatus::NothingApproaches);
  CHECK(p.size() == 2);
  CHECK(p.isZero(0));
  CHECK(report.ker == 1);
  CHECK(report.terminated);
  CHECK(samples == 2);
}

TEST_CASE("newton: restitution above 1 is refused by contact and value") {
  const ImpactSystem row = ball_chain({1, 1, 1}, {1, 0, 0}, false, {.restitution = 1.01});
  VectorXd p;
  std::string text;
  try {
    NewtonLaw().apply(row.problem, p);
  } catch (const InputError& error) {
    text = error.what();
  }
  CHECK(says(text, "contact 0"));
  CHECK(says(text, "[0, 1]"));
  CHECK(says(text, "1.01"));
}
