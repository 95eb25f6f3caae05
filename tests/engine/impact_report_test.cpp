#include "engine/impact/impact_report.h"

#include <doctest/doctest.h>

#include <numbers>

#include "base/error.h"
#include "impact_systems.h"

using namespace carom;

namespace {

constexpr double kPi = std::numbers::pi;

std::string complaint(const ImpactProblem& problem) {
  try {
    check_impact(problem);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the kinetic angle of a block's two corners follows from its shape") {
  // theta_12 = pi - acos((l^2 - 2 L^2) / (l^2 + 4 L^2)) at rest on its base
  for (double l : {0.1, 0.5, 1.0, 1.7, 4.0}) {
    const double L = 0.8;
    const ImpactSystem block = planar_block({.l = l, .L = L, .m = 3}, Vec3::Zero());
    const double expected = kPi - std::acos((l * l - 2 * L * L) / (l * l + 4 * L * L));
    CHECK(kinetic_angle(block.problem, 0, 1) == doctest::Approx(expected).epsilon(1e-13));
  }
  const auto angle = [](double l, double L) {
    return kinetic_angle(planar_block({l, L, 1}, Vec3::Zero()).problem, 0, 1);
  };
  CHECK(angle(std::sqrt(2.0), 1) == doctest::Approx(kPi / 2).epsilon(1e-14));
  CHECK(angle(1e-6, 1) == doctest::Approx(kPi / 3).epsilon(1e-10));  // flat
  CHECK(angle(1, 1e-6) == doctest::Approx(kPi).epsilon(1e-5));       // slender
}

TEST_CASE("the Delassus matrix of a tilted block is the papers'") {
  const BlockSize size{.l = 1.3, .L = 0.7, .m = 2.5};
  const double tilt = 0.4, s = std::sin(tilt), c = std::cos(tilt), I = size.inertia();
  const ImpactSystem block = planar_block(size, Vec3::Zero(), -1, {}, tilt);
  const double l = size.l, L = size.L, m = size.m;
  const double A11 = 1 / m + std::pow(l * s + L * c, 2) / (4 * I);
  const double A12 = 1 / m + (l * l * s * s - L * L * c * c) / (4 * I);
  const double A22 = 1 / m + std::pow(l * s - L * c, 2) / (4 * I);
  CHECK(normal_entry(block.problem.W, 0, 0) == doctest::Approx(A11).epsilon(1e-13));
  CHECK(normal_entry(block.problem.W, 0, 1) == doctest::Approx(A12).epsilon(1e-13));
  CHECK(normal_entry(block.problem.W, 1, 1) == doctest::Approx(A22).epsilon(1e-13));
  CHECK(A11 * A22 - A12 * A12 == doctest::Approx(L * L * c * c / (m * I)).epsilon(1e-12));
}

TEST_CASE("kinetic angles of balls: two on a wall, and a third of pi in a row of equal ones") {
  // By cos(pi - theta) = W_12 / sqrt(W_11 W_22) with W_12 = -1/m2 the cosine of theta is positive.
  for (double m1 : {0.1, 1.0, 7.0}) {
    const double m2 = 2;
    const ImpactSystem balls = ball_chain({m1, m2}, {1, 0}, true);
    CHECK(std::cos(kinetic_angle(balls.problem, 0, 1)) == doctest::Approx(std::sqrt(m1 / (m1 + m2))).epsilon(1e-13));
  }
  const MatrixXd angles = kinetic_angles(ball_chain({1, 1, 1, 1}, {1, 0, 0, 0}).problem);
  CHECK(angles(0, 1) == doctest::Approx(kPi / 3).epsilon(1e-14));
  CHECK(angles(0, 2) == doctest::Approx(kPi / 2).epsilon(1e-14));  // no body in common
  CHECK(angles(1, 1) == kPi);
  CHECK(angles == angles.transpose());
}

TEST_CASE("the energy of an impact is Thomson and Tait's, p . (u_plus + u_minus) / 2") {
  RandomStream random(3, 0);
  for (int trial = 0; trial < 50; ++trial) {
    const ImpactSystem system = random_impact_system(random, {.friction = true, .closing = false});
    VectorXd p(system.problem.cones.rows());
    for (double& x : p) x = random.normal();
    ImpactReport report;
    judge_impact(system.problem, p, report);
    const double T_minus = system.energy(system.v), T_plus = system.energy(system.velocity(p));
    CHECK(report.energy_change == doctest::Approx(T_plus - T_minus).epsilon(1e-10));
    CHECK(report.ker == doctest::Approx(T_plus / T_minus).epsilon(1e-10));
    CHECK(report.energy_growth == doctest::Approx(std::max(0.0, T_plus / T_minus - 1)).epsilon(1e-9));
  }
}

TEST_CASE("violations are what they are called: approach after, distance from the cone") {
  ImpactSystem block = planar_block({.l = 1, .L = 1, .m = 1}, Vec3(0, -1, 0), 0.5);
  VectorXd p(4);
  p << 0.5, 1.0, -0.25, 0;  // outside of its cone, and pulling
  ImpactReport report;
  judge_impact(block.problem, p, report);
  // (0.5, 1) to the cone |t| <= n/2: along (-1/2, 1), distance (1 - 0.25) / sqrt(1 + 1/4)
  CHECK(report.kinetic_violation == doctest::Approx(0.75 / std::sqrt(1.25)));
  const VectorXd u = block.H * block.velocity(p);
  CHECK(report.kinematic_violation == doctest::Approx(-std::min({0.0, u[0], u[2]})));
  CHECK(report.kinematic_violation > 0);
  CHECK(!report.consistent(1e-6));

  p.setConstant(std::nan(""));
  judge_impact(block.problem, p, report);
  CHECK(report.status == ImpactStatus::NumericalError);
  CHECK(!report.terminated);
}

TEST_CASE("the dispersion index is the deviation of the energies over their mean") {
  const double cradle[] = {0, 0, 0.5}, shared[] = {0.2, 0.2, 0.2, 0.2}, moreau[] = {1.0 / 18, 4.0 / 18, 4.0 / 18};
  CHECK(dispersion_index(cradle) == doctest::Approx(std::sqrt(2.0)));
  CHECK(dispersion_index(shared) == doctest::Approx(0));
  CHECK(dispersion_index(moreau) == doctest::Approx(std::sqrt(2.0) / 3));
  CHECK(dispersion_index({}) == 0);
}

TEST_CASE("an impact with a value out of range is refused by contact and value") {
  const ImpactProblem good = ball_chain({1, 1, 1}, {1, 0, 0}).problem;
  CHECK(complaint(good) == "accepted");
  const auto with = [&](auto&& change) {
    ImpactProblem problem = good;
    change(problem);
    return complaint(problem);
  };
  CHECK(says(with([](ImpactProblem& p) { p.contacts[1].restitution = -0.1; }), "contact 1"));
  CHECK(says(with([](ImpactProblem& p) { p.contacts[1].restitution = -0.1; }), "-0.1"));
  CHECK(says(with([](ImpactProblem& p) { p.contacts[0].restitution = std::nan(""); }), "restitution"));
  CHECK(says(with([](ImpactProblem& p) { p.contacts[1].stiffness = 0; }), "stiffness"));
  CHECK(says(with([](ImpactProblem& p) { p.contacts[1].exponent = 0.99; }), "exponent"));
  CHECK(says(with([](ImpactProblem& p) { p.contacts[1].preload = -1; }), "preload"));
  CHECK(says(with([](ImpactProblem& p) { p.contacts[1].tangential_restitution = 1.5; }), "tangential_restitution"));
  CHECK(says(with([](ImpactProblem& p) { p.contacts.pop_back(); }), "contacts: must have 2 entries"));
  CHECK(says(with([](ImpactProblem& p) { p.u_minus.conservativeResize(1); }), "u_minus"));
  CHECK(says(with([](ImpactProblem& p) { p.u_minus[1] = std::nan(""); }), "velocity must be finite"));
  CHECK(says(with([](ImpactProblem& p) { p.W.values[1] = std::nan(""); }), "W"));
}

TEST_CASE("a contact between bodies that cannot be moved is refused") {
  ImpactProblem problem = ball_chain({1, 1, 1}, {1, 0, 0}).problem;
  const MatrixXd W = Vec2(2, 0).asDiagonal();
  problem.W = to_block_sparse(W.sparseView(), problem.cones);
  CHECK(says(complaint(problem), "neither body can be moved"));
  CHECK(says(complaint(problem), "contact 1"));
}
