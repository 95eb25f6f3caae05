#include "engine/impact/restitution_matrix.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "engine/impact/newton.h"
#include "impact_systems.h"

using namespace carom;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// E_n of four balls with the given first and third columns.
MatrixXd columns(const Vec3& first, const Vec3& third = Vec3::Zero()) {
  MatrixXd E = MatrixXd::Zero(3, 3);
  E.col(0) = first;
  E.col(2) = third;
  return E;
}

// The exact energy condition for ball 1 striking: at most 12.
double energy_form(const Vec3& e) {
  return 12 * e[0] * e[0] + 16 * e[1] * e[1] + 12 * e[2] * e[2] + 16 * e[0] * e[1] + 8 * e[0] * e[2] + 16 * e[1] * e[2];
}

std::string complaint(const RestitutionMatrixOptions& options, const ImpactProblem& problem) {
  try {
    VectorXd p;
    RestitutionMatrixLaw(options).apply(problem, p);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("four balls, the first strikes: velocities and impulses of the closed form") {
  const double m = 0.7;
  RandomStream random(10, 0);
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3 e(random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1));
    const ImpactSystem row = ball_chain({m, m, m, m}, {1, 0, 0, 0});
    VectorXd p;
    RestitutionMatrixLaw({.matrix = columns(e)}).apply(row.problem, p);
    const Eigen::Vector4d v(1 - 3 * e[0] - 2 * e[1] - e[2], 1 + e[0] - 2 * e[1] - e[2], 1 + e[0] + 2 * e[1] - e[2],
                            1 + e[0] + 2 * e[1] + 3 * e[2]);
    CHECK((row.velocity(p) - v / 4).norm() <= 1e-13);
    const Vec3 impulses(m * (3 + 3 * e[0] + 2 * e[1] + e[2]) / 4, m * (1 + e[0] + 2 * e[1] + e[2]) / 2,
                        m * (1 + e[0] + 2 * e[1] + 3 * e[2]) / 4);
    CHECK((p - impulses).norm() <= 1e-13);
  }
}

TEST_CASE("four balls, both ends strike: e_i1 + 2 e_i3 takes the place of e_i1") {
  RandomStream random(10, 1);
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3 first(random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1));
    const Vec3 third(random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1));
    const Vec3 e = first + 2 * third;
    const ImpactSystem row = ball_chain({1, 1, 1, 1}, {1, 0, 0, -2});
    VectorXd p;
    RestitutionMatrixLaw({.matrix = columns(first, third)}).apply(row.problem, p);
    // Momentum -1, u_plus = e
    const Eigen::Vector4d v(-1 - 3 * e[0] - 2 * e[1] - e[2], -1 + e[0] - 2 * e[1] - e[2], -1 + e[0] + 2 * e[1] - e[2],
                            -1 + e[0] + 2 * e[1] + 3 * e[2]);
    CHECK((row.velocity(p) - v / 4).norm() <= 1e-13);
  }
}

TEST_CASE("four balls: energy grows exactly beyond the condition of the velocities, not of the printed one") {
  const ImpactSystem row = ball_chain({1, 1, 1, 1}, {1, 0, 0, 0});
  RandomStream random(10, 2);
  const auto report_of = [&](const Vec3& e) {
    VectorXd p;
    return RestitutionMatrixLaw({.matrix = columns(e)}).apply(row.problem, p);
  };
  for (int trial = 0; trial < 30; ++trial) {
    const Vec3 direction = random.direction().cwiseAbs();
    const Vec3 e = direction * std::sqrt(12 / energy_form(direction));
    CHECK(std::abs(report_of(e).ker - 1) <= 1e-13);
    CHECK(report_of(0.999 * e).admissible);
    const ImpactReport grows = report_of(1.001 * e);
    CHECK(!grows.admissible);
    CHECK(grows.energy_growth > 1e-3);
    CHECK(says(grows.message, "energetic"));
    CHECK(grows.status == ImpactStatus::Done);
  }
  // e1^2 + e21^2 + e31^2 <= 1 would allow this:
  CHECK(report_of(Vec3(1, 1, 1) / std::sqrt(3.0)).energy_growth > 0.5);
  // and it is right where a single one of e1, e31 acts:
  CHECK(std::abs(report_of(Vec3(1, 0, 0)).ker - 1) <= 1e-13);
  CHECK(std::abs(report_of(Vec3(0, 0, 1)).ker - 1) <= 1e-13);
  CHECK(energy_form(Vec3(0, 0.8, 0)) <= 12);
  CHECK(report_of(Vec3(0, 0.9, 0)).energy_growth > 0);
}

TEST_CASE("the cradle is a restitution matrix: e31 = 1 alone sends the last ball off") {
  const ImpactSystem row = ball_chain({1, 1, 1, 1}, {1, 0, 0, 0});
  VectorXd p;
  const ImpactReport report = RestitutionMatrixLaw({.matrix = columns(Vec3(0, 0, 1))}).apply(row.problem, p);
  CHECK((row.velocity(p) - Eigen::Vector4d(0, 0, 0, 1)).norm() <= 1e-13);
  CHECK(report.consistent(1e-12));
}

TEST_CASE("the energy norm bounds every impact, and one attains it") {
  RandomStream random(10, 3);
  for (int trial = 0; trial < 20; ++trial) {
    ImpactSystem row = ball_chain({1, random.uniform(0.1, 5), random.uniform(0.1, 5), 2}, {1, 0, 0, 0});
    MatrixXd E(3, 3);
    for (double& entry : E.reshaped()) entry = random.uniform(-1, 1);
    const double sigma = restitution_energy_norm(row.problem, E);
    // T_n = xi . A^-1 xi / 2: the largest ratio over many directions comes near sigma^2 from below.
    const MatrixXd W = to_sparse(row.problem.W, row.problem.cones);
    const VectorXd scale = W.diagonal().cwiseSqrt();
    const MatrixXd map = scale.asDiagonal() * E * scale.cwiseInverse().asDiagonal();
    double largest = 0;
    for (int k = 0; k < 20000; ++k) {
      const VectorXd u = random.direction(), after = map * u;
      largest = std::max(largest, after.dot(W.inverse() * after) / u.dot(W.inverse() * u));
    }
    CHECK(largest <= sigma * sigma * (1 + 1e-10));
    CHECK(largest >= 0.97 * sigma * sigma);
  }
  // e I has norm e whatever the system.
  const ImpactSystem row = ball_chain({1, 3, 0.2, 2}, {1, 0, 0, 0});
  CHECK(restitution_energy_norm(row.problem, 0.6 * MatrixXd::Identity(3, 3)) == doctest::Approx(0.6));
}

TEST_CASE("coefficients act in the kinetic metric: masses change what a coupling does to velocities") {
  // xi_2+ = -e xi_1-, u_2+ = -e sqrt(W_22 / W_11) u_1-
  const ImpactSystem row = ball_chain({1, 2, 5}, {1, 0, 0});
  MatrixXd E = MatrixXd::Zero(2, 2);
  E(1, 0) = 0.5;
  VectorXd p;
  RestitutionMatrixLaw({.matrix = E}).apply(row.problem, p);
  CHECK(velocity_after(row.problem, p)[1] == doctest::Approx(0.5 * std::sqrt(0.7 / 1.5)).epsilon(1e-13));
}

TEST_CASE("by rule with no coupling and approaching contacts it is newton's law where nothing is pulled") {
  const ImpactSystem row = ball_chain({1, 2, 1, 4}, {3, 2, 1, 0}, false, {.restitution = 0.7});
  VectorXd p, q;
  const ImpactReport report = RestitutionMatrixLaw().apply(row.problem, p);
  NewtonLaw().apply(row.problem, q);
  CHECK(report.consistent(1e-12));
  CHECK((p - q).norm() <= 1e-12);
}

TEST_CASE("E_tan = -I is no friction, E_tan = I reverses the kinetic-tangential part and keeps energy") {
  const BlockSize size{.l = 1, .L = 2, .m = 3};
  const ImpactSystem block = planar_block(size, Vec3(0.4, -1, 0.1), 10);
  VectorXd p, q;
  RestitutionMatrixOptions options{.matrix = MatrixXd::Identity(2, 2)};
  RestitutionMatrixLaw(options).apply(block.problem, p);
  options.tangential = TangentialRule::Restitution;
  RestitutionMatrixLaw(options).apply(block.problem, q);
  CHECK((p - q).norm() <= 1e-12);
  options.tangential_matrix = MatrixXd::Identity(2, 2);
  const ImpactReport report = RestitutionMatrixLaw(options).apply(block.problem, q);
  // The block's kinetic-tangential coordinate is x: reversed, as y and theta are by E_n = I.
  CHECK((block.velocity(q) + block.v).norm() <= 1e-12);
  CHECK(std::abs(report.ker - 1) <= 1e-12);
}

TEST_CASE("redundant contacts: impulses inside the cones where there are some, a report where there are none") {
  // Five legs under a planar block; e I asks for velocities of a rigid motion.
  ImpactSystem table = planar_block({.l = 1, .L = 1, .m = 1}, Vec3(0, -1, -0.8));
  MatrixXd H(5, 3);
  for (int i = 0; i < 5; ++i) H.row(i) = (1 - 0.25 * i) * table.H.row(0) + 0.25 * i * table.H.row(1);
  table.H = H;
  table.problem = impact_problem(table, frictionless_cones(5), {.restitution = 0.5});
  VectorXd p;
  const ImpactReport report = RestitutionMatrixLaw({.matrix = 0.5 * MatrixXd::Identity(5, 5)}).apply(table.problem, p);
  // Equal diagonal entries of W only for equal metric: E_n = e I is u_plus = -e u_minus in any metric.
  CHECK((table.velocity(p) + 0.5 * table.v).norm() <= 1e-9);
  CHECK(report.uniqueness == Uniqueness::VelocitiesOnly);
  CHECK(report.kinetic_violation <= 1e-12);

  MatrixXd E = MatrixXd::Zero(5, 5);
  E(2, 2) = 1;  // the middle leg alone: not a rigid motion
  const ImpactReport refused = RestitutionMatrixLaw({.matrix = E}).apply(table.problem, p);
  CHECK(refused.status == ImpactStatus::NotSolved);
  CHECK(!refused.admissible);
  CHECK(says(refused.message, "redundant"));
}

TEST_CASE("a large island is solved without dense matrices of its size") {
  std::vector<double> masses(701, 1.0), velocities(701, 0.0);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    masses[i] = 1 + 0.3 * static_cast<double>(i % 4);
    velocities[i] = -0.01 * static_cast<double>(i);
  }
  const ImpactSystem row = ball_chain(masses, velocities, false, {.restitution = 0.5});
  VectorXd p;
  const ImpactReport report = RestitutionMatrixLaw({.coupling = 0.1}).apply(row.problem, p);
  CHECK(report.status == ImpactStatus::Done);
  const VectorXd u = velocity_after(row.problem, p);
  const VectorXd scale = to_sparse(row.problem.W, row.problem.cones).diagonal().cwiseSqrt();
  const VectorXd wanted = -(scale.asDiagonal() * restitution_by_rule(row.problem, 0.1) *
                            scale.cwiseInverse().asDiagonal() * row.problem.u_minus);
  CHECK((u - wanted).lpNorm<Eigen::Infinity>() <= 1e-11);
}

TEST_CASE("a matrix of the wrong size, or one that would not be read, is refused") {
  const ImpactProblem row = ball_chain({1, 1, 1, 1}, {1, 0, 0, 0}).problem;
  CHECK(says(complaint({.matrix = MatrixXd::Identity(2, 2)}, row), "must be 3 x 3"));
  CHECK(says(complaint({.matrix = MatrixXd::Identity(2, 2)}, row), "2 x 2"));
  CHECK(says(complaint({.matrix = MatrixXd::Ones(3, 2)}, row), "3 x 2"));
  CHECK(says(complaint({.tangential_matrix = MatrixXd::Identity(3, 3)}, row), "tangential = restitution"));
  CHECK(says(complaint({.tangential = TangentialRule::Restitution, .tangential_matrix = MatrixXd::Identity(3, 3)}, row),
             "must be 0 x 0"));
  CHECK_THROWS_AS(restitution_energy_norm(row, MatrixXd::Identity(2, 2)), InputError);
  const ImpactProblem lively = ball_chain({1, 1, 1}, {1, 0, 0}, false, {.restitution = 1.5}).problem;
  CHECK(says(complaint({}, lively), "restitution must be in [0, 1]"));
  CHECK(complaint({.matrix = MatrixXd::Zero(2, 2)}, lively) == "accepted");  // not read then
}
