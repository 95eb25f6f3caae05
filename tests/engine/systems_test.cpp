// Laws that every system in generalized coordinates obeys, at random states, and closed forms of single ones.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/random.h"
#include "engine/impact/impact_report.h"
#include "engine/systems/bead_column.h"
#include "engine/systems/bernoulli_balls.h"
#include "engine/systems/registry.h"
#include "engine/systems/rocking_block.h"

using namespace carom;

namespace {

// Every system of the table with its defaults, and variants that use what the defaults leave out.
std::vector<std::unique_ptr<LagrangianSystem>> all_systems() {
  using List = std::vector<double>;
  std::vector<std::unique_ptr<LagrangianSystem>> list;
  for (const SystemInfo& info : system_table()) list.push_back(make_system(info.name));
  list.push_back(make_system("ball_chain", {{"balls", std::int64_t{4}},
                                            {"mass", List{1, 2, 3, 0.5}},
                                            {"radius", List{0.1, 0.2, 0.05, 0.1}},
                                            {"left_wall", true},
                                            {"right_wall", true},
                                            {"gravity", 9.81},
                                            {"gap", List{0.1, 0, 0.2, 0.3, 0.4}}}));
  list.push_back(make_system("bernoulli_balls", {{"friction", 0.4}, {"target_mass", List{1, 2}}}));
  list.push_back(make_system("rocking_block", {{"base", std::string("harmonic")},
                                               {"base_amplitude", 0.1},
                                               {"base_vertical_amplitude", 0.05},
                                               {"base_frequency", 0.5},
                                               {"base_phase", 0.4}}));
  list.push_back(make_system(
      "rocking_block",
      {{"base", std::string("table")}, {"base_time", List{-1, 0.5, 2}}, {"base_acceleration", List{1, -2, 0}}}));
  list.push_back(make_system("triple_contact", {{"friction", 0.3}, {"arm_centre", List{0.1, 0.07}}}));
  list.push_back(make_system("double_pendulum", {{"friction", 0.3},
                                                 {"mass", List{1, 2}},
                                                 {"length", List{1, 0.7}},
                                                 {"centre", List{0.5, 0.6}},
                                                 {"inertia", List{0.08, 0.1}}}));
  return list;
}

struct State {
  double t;
  VectorXd q, v;
};

State random_state(const LagrangianSystem& system, std::uint64_t seed) {
  RandomStream random(seed, 0);
  State s{random.uniform(0.0, 0.4), system.initial_state().q, VectorXd(system.coordinates())};
  for (Eigen::Index i = 0; i < s.q.size(); ++i) {
    s.q[i] += random.uniform(-0.7, 0.7);
    s.v[i] = random.uniform(-2.0, 2.0);
  }
  return s;
}

double gap_of(const LagrangianSystem& system, double t, const VectorXd& q, int i) {
  VectorXd g(system.contacts());
  system.gaps(t, q, g);
  return g[i];
}

template <class Check>
void for_states(Check&& check) {
  for (const auto& system : all_systems()) {
    CAPTURE(system->name());
    for (std::uint64_t seed = 1; seed <= 5; ++seed) check(*system, random_state(*system, seed));
  }
}

}  // namespace

TEST_CASE("mass matrices are symmetric and positive definite, and bodies' energies sum to v . M v / 2") {
  for_states([](const LagrangianSystem& system, const State& s) {
    SparseMatrix M;
    system.mass_matrix(s.q, M);
    const MatrixXd dense = M;
    CHECK(dense.isApprox(dense.transpose(), 0.0));
    CHECK(Eigen::LLT<MatrixXd>(dense).info() == Eigen::Success);
    double sum = 0;
    for (double energy : system.body_energies(s.q, s.v)) sum += energy;
    CHECK(sum == doctest::Approx(0.5 * s.v.dot(dense * s.v)).epsilon(1e-12));
    CHECK(kinetic_energy(system, s.q, s.v) == doctest::Approx(sum).epsilon(1e-12));
  });
}

TEST_CASE("normal rows are the gradients of the gaps, and drifts their rates of change") {
  for_states([](const LagrangianSystem& system, const State& s) {
    ContactRows rows;
    const double d = 1e-5;
    for (int i = 0; i < system.contacts(); ++i) {
      system.contact_rows(s.t, s.q, i, rows);
      VectorXd gradient = VectorXd::Zero(system.coordinates());
      for (std::size_t e = 0; e < rows.coordinate.size(); ++e) gradient[rows.coordinate[e]] = rows.direction[0][e];
      for (int k = 0; k < system.coordinates(); ++k) {
        const VectorXd step = d * VectorXd::Unit(system.coordinates(), k);
        const double slope = (gap_of(system, s.t, s.q + step, i) - gap_of(system, s.t, s.q - step, i)) / (2 * d);
        CHECK(std::abs(slope - gradient[k]) < 1e-9);
      }
      const double rate = (gap_of(system, s.t + d, s.q, i) - gap_of(system, s.t - d, s.q, i)) / (2 * d);
      CHECK(std::abs(rate - rows.drift[0]) < 1e-9);
    }
  });
}

TEST_CASE("the bias of every contact is the derivative of its velocity along the motion") {
  for_states([](const LagrangianSystem& system, const State& s) {
    for (int i = 0; i < system.contacts(); ++i) {
      const auto ours = system.contact_bias(s.t, s.q, s.v, i);
      const auto numeric = system.LagrangianSystem::contact_bias(s.t, s.q, s.v, i);
      for (std::size_t k = 0; k < static_cast<std::size_t>(system.contact_dim(i)); ++k)
        CHECK(std::abs(ours[k] - numeric[k]) < 1e-9 * (1 + std::abs(ours[k])));
    }
  });
}

TEST_CASE("free flight conserves energy: forces carry the centrifugal terms that belong to M") {
  for_states([](const LagrangianSystem& system, const State& s) {
    SparseMatrix M;
    MassFactor mass;
    VectorXd F(system.coordinates());
    const auto rate = [&](const LagrangianState& y) {
      system.mass_matrix(y.q, M);
      REQUIRE(mass.compute(M));
      system.force(s.t, y.q, y.v, F);
      mass.solve(F);
      return LagrangianState{y.v, F};
    };
    const auto moved = [](const LagrangianState& y, double h, const LagrangianState& k) {
      return LagrangianState{y.q + h * k.q, y.v + h * k.v};
    };
    const auto energy = [&](const LagrangianState& y) {
      return kinetic_energy(system, y.q, y.v) + system.potential_energy(s.t, y.q);
    };
    LagrangianState y{s.q, s.v};
    const double before = energy(y), h = 2e-3;
    for (int step = 0; step < 200; ++step) {  // the classical Runge-Kutta method
      const LagrangianState a = rate(y), b = rate(moved(y, h / 2, a)), c = rate(moved(y, h / 2, b)),
                            d = rate(moved(y, h, c));
      y.q += h / 6 * (a.q + 2 * b.q + 2 * c.q + d.q);
      y.v += h / 6 * (a.v + 2 * b.v + 2 * c.v + d.v);
    }
    CHECK(std::abs(energy(y) - before) < 1e-8 * (1 + std::abs(before)));
  });
}

TEST_CASE("the default of every system starts without overlap and with names for all it has") {
  for (const auto& system : all_systems()) {
    const LagrangianState start = system->initial_state();
    REQUIRE(start.q.size() == system->coordinates());
    REQUIRE(start.v.size() == system->coordinates());
    for (int i = 0; i < system->contacts(); ++i) {
      CHECK(gap_of(*system, 0, start.q, i) >= -1e-12);
      CHECK(!system->contact_name(i).empty());
      CHECK_NOTHROW(check_law(system->contact_law(i), "law"));
    }
    for (int i = 0; i < system->coordinates(); ++i) CHECK(!system->coordinate_name(i).empty());
  }
}

TEST_CASE("a rocking block has the Delassus matrix and the kinetic angle of the literature at any angle") {
  for (double l : {0.2, 1.0, 3.0}) {
    const double L = 0.5, m = 2.5, I = m * (l * l + L * L) / 12;
    const RockingBlock block({.height = l, .width = L, .mass = m, .friction = 0});
    const std::array<int, 2> both = {0, 1};
    for (double theta : {0.0, 0.3, -0.2}) {
      const double s = std::sin(theta), c = std::cos(theta);
      const ImpactProblem problem = impact_of(block, 0, Vec3(0, 1, theta), Vec3::Zero(), both);
      const MatrixXd W = to_sparse(problem.W, problem.cones).toDense();
      CHECK(W(0, 0) == doctest::Approx(1 / m + (l * s + L * c) * (l * s + L * c) / (4 * I)).epsilon(1e-13));
      CHECK(W(0, 1) == doctest::Approx(1 / m + (l * l * s * s - L * L * c * c) / (4 * I)).epsilon(1e-13));
      CHECK(W(1, 1) == doctest::Approx(1 / m + (l * s - L * c) * (l * s - L * c) / (4 * I)).epsilon(1e-13));
      CHECK(W.determinant() == doctest::Approx(L * L * c * c / (m * I)).epsilon(1e-12));
    }
    const ImpactProblem flat = impact_of(block, 0, Vec3(0, l / 2, 0), Vec3::Zero(), both);
    CHECK(kinetic_angle(flat, 0, 1) ==
          doctest::Approx(std::numbers::pi - std::acos((l * l - 2 * L * L) / (l * l + 4 * L * L))).epsilon(1e-12));
  }
}

TEST_CASE("tangent rows of a block: each corner moves at its distance from the centre") {
  const RockingBlock block({.height = 1, .width = 0.4});
  ContactRows rows;
  for (double theta : {0.0, 0.7, 2.0, -3.0}) {
    for (int i = 0; i < 4; ++i) {
      block.contact_rows(0, Vec3(0, 1, theta), i, rows);
      CHECK(std::hypot(rows.direction[0][2], rows.direction[1][2]) == doctest::Approx(std::hypot(0.5, 0.2)));
      // x_corner = x + (cos cx + sin cy) for a clockwise turn
      const double cx = (i == 1 || i == 2 ? 0.2 : -0.2), cy = (i >= 2 ? 0.5 : -0.5);
      CHECK(rows.direction[1][2] == doctest::Approx(-std::sin(theta) * cx + std::cos(theta) * cy));
    }
  }
}

TEST_CASE("a block lying on any side touches with two corners and no corner is below the base") {
  const RockingBlock block({.height = 1, .width = 0.4});
  for (int quarter = -4; quarter <= 4; ++quarter) {
    const double theta = quarter * std::numbers::pi / 2;
    const double height = quarter % 2 == 0 ? 0.5 : 0.2;
    CHECK(closed_contacts(block, 0, Vec3(0, height, theta), 1e-12).size() == 2);
    VectorXd g(4);
    block.gaps(0, Vec3(0, height, theta), g);
    CHECK(g.minCoeff() >= -1e-12);
  }
}

TEST_CASE("two balls on a wall have the kinetic angle of the literature") {
  const double m1 = 0.3, m2 = 1.1;  // m1 at the wall
  const auto chain = make_system(
      "ball_chain", {{"balls", std::int64_t{2}}, {"mass", std::vector<double>{m2, m1}}, {"left_wall", true}});
  const LagrangianState start = chain->initial_state();
  const std::array<int, 2> both = {0, 1};
  const ImpactProblem problem = impact_of(*chain, 0, start.q, start.v, both);
  CHECK(std::cos(kinetic_angle(problem, 0, 1)) == doctest::Approx(std::sqrt(m1 / (m1 + m2))).epsilon(1e-12));
}

TEST_CASE("steel beads have Hertz's stiffnesses as published") {
  // The publication prints 6.9716e9 and 9.858e9; its own data give 6.9709e9 and 9.8583e9.
  const BeadColumn column;
  CHECK(column.contact_law(0).stiffness == doctest::Approx(9.858e9).epsilon(1e-4));
  CHECK(column.contact_law(1).stiffness == doctest::Approx(6.9716e9).epsilon(2e-4));
  CHECK(column.contact_law(0).restitution == 0.92);
  CHECK(column.contact_law(1).restitution == 0.96);
  CHECK(column.initial_state().v[0] == doctest::Approx(-std::sqrt(2 * 9.81 * 3.1e-3)));
}

TEST_CASE("the Delassus matrix of a long chain is tridiagonal and is assembled block by block") {
  const int balls = 10000;
  const auto chain = make_system("ball_chain", {{"balls", std::int64_t{balls}}});
  const LagrangianState start = chain->initial_state();
  const std::vector<int> closed = closed_contacts(*chain, 0, start.q, 1e-9);
  REQUIRE(closed.size() == balls - 1);
  const ImpactProblem problem = impact_of(*chain, 0, start.q, start.v, closed);
  CHECK(problem.W.column.size() == 3 * (balls - 1) - 2);
  CHECK(problem.u_minus[0] == -1);
  CHECK(problem.kinetic_energy == 0.5);
  // Momentum is conserved by any impulses.
  const VectorXd p = VectorXd::LinSpaced(balls - 1, 0.1, 2.0);
  CHECK(velocity_after(*chain, 0, start.q, start.v, closed, p).sum() == doctest::Approx(1));
}

TEST_CASE("velocities after an impact agree with the Delassus matrix where M couples coordinates") {
  for_states([](const LagrangianSystem& system, const State& s) {
    std::vector<int> all(static_cast<std::size_t>(system.contacts()));
    for (int i = 0; i < system.contacts(); ++i) all[static_cast<std::size_t>(i)] = i;
    const ImpactProblem before = impact_of(system, s.t, s.q, s.v, all);
    const VectorXd p = VectorXd::LinSpaced(before.cones.rows(), 0.3, -0.2);
    const VectorXd v_plus = velocity_after(system, s.t, s.q, s.v, all, p);
    const ImpactProblem after = impact_of(system, s.t, s.q, v_plus, all);
    CHECK((after.u_minus - velocity_after(before, p)).norm() < 1e-11 * (1 + after.u_minus.norm()));
    CHECK(is_symmetric(before.W, before.cones, 0.0));
    // T_plus - T_minus = p . (u_plus + u_minus) / 2, without the drift of moving supports
    VectorXd drift = VectorXd::Zero(p.size());
    ContactRows rows;
    for (int i = 0; i < system.contacts(); ++i) {
      system.contact_rows(s.t, s.q, i, rows);
      for (int k = 0; k < before.cones.dim(i); ++k)
        drift[before.cones.offset(i) + k] = rows.drift[static_cast<std::size_t>(k)];
    }
    CHECK(after.kinetic_energy - before.kinetic_energy ==
          doctest::Approx(0.5 * p.dot(after.u_minus + before.u_minus - 2 * drift)).epsilon(1e-9));
  });
}

TEST_CASE("a mass matrix of one large coupled set is factored sparsely and solved") {
  const int n = 300;
  SparseMatrix M(n, n);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 2.5);
    if (i + 1 < n) {
      entries.emplace_back(i, i + 1, -1);
      entries.emplace_back(i + 1, i, -1);
    }
  }
  M.setFromTriplets(entries.begin(), entries.end());
  MassFactor mass;
  REQUIRE(mass.compute(M));
  CHECK(mass.sets() == 1);
  const VectorXd x = VectorXd::LinSpaced(n, -1, 2);
  VectorXd solved = M * x;
  mass.solve(solved);
  CHECK((solved - x).norm() < 1e-12 * x.norm());
  M.coeffRef(7, 7) = -1;
  CHECK(!mass.compute(M));
}

TEST_CASE("bad parameters are rejected by field and value") {
  const auto complaint = [](const std::string& name, const OptionValues& values) -> std::string {
    try {
      make_system(name, values);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  using List = std::vector<double>;
  const auto says = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  };
  says(complaint("ball_chains", {}), "ball_chain");
  says(complaint("ball_chain", {{"masses", 1.0}}), "system ball_chain has no such option; it has balls, mass");
  says(complaint("ball_chain", {{"mass", List{1, -2, 3}}}), "mass");
  says(complaint("ball_chain", {{"mass", List{1, 2}}}), "ball_chain.mass: must have one value for all or 3");
  says(complaint("ball_chain", {{"velocity", List{1, 2, 3, 4}}}), "4 values");
  says(complaint("ball_chain", {{"wall_stiffness", 2.0}}), "needs left_wall or right_wall");
  says(complaint("ball_chain", {{"stiffness", 0.0}}), "stiffness");
  says(complaint("ball_chain", {{"exponent", 0.5}}), "exponent");
  says(complaint("ball_chain", {{"balls", std::int64_t{0}}}), "balls");
  says(complaint("bernoulli_balls", {{"angle", 0.2}}), "the struck balls overlap");
  says(complaint("rocking_block", {{"height", 0.0}}), "height");
  says(complaint("rocking_block", {{"base", std::string("round")}}), "still|harmonic|table");
  says(complaint("rocking_block", {{"base", std::string("table")}}), "at least two");
  says(complaint("double_pendulum", {{"wall", -1.0}}), "elbow");
  says(complaint("double_pendulum", {{"centre", 0.0}}), "double_pendulum.inertia");
  says(complaint("triple_contact", {{"hinge", List{1, 2, 3}}}), "triple_contact.hinge: must be two numbers");
  says(complaint("triple_contact", {{"arm_angle", -1.0}}), "contact \"C\" overlapping");
  // From C++ the constructor checks the same.
  CHECK_THROWS_WITH_AS(RockingBlock({.height = -1}), doctest::Contains("rocking_block.height: must be > 0"),
                       InputError);
  CHECK_THROWS_WITH_AS(BernoulliBalls({.speed = NAN}), doctest::Contains("bernoulli_balls.speed: must be finite"),
                       InputError);
}
