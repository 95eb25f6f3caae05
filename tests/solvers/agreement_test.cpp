// What all solvers of the registry have in common.
#include "base/error.h"
#include "solver_checks.h"

using namespace carom;

namespace {

// Positive definite W and moderate friction: one solution.
ConeProblem well_posed(RandomStream& random, int trial) {
  const int blocks = 1 + static_cast<int>(random.below(12));
  ConeMix mix{
      .free = trial % 5 == 1, .orthant = true, .coulomb = true, .associated = trial % 5 == 2, .largest_mu = 0.4};
  if (trial % 5 == 3) mix = {.free = false, .orthant = true, .coulomb = false, .associated = false};
  if (trial % 5 == 4) mix = {.free = false, .orthant = false, .associated = false, .planar = false, .largest_mu = 0.3};
  return random_dense_problem(random, blocks, 2.0, mix);
}

bool holds_rolling(const Cones& cones) {
  for (int i = 0; i < cones.count(); ++i)
    if (cones[i].kind == ConeKind::Rolling) return true;
  return false;
}

}  // namespace

TEST_CASE("all solvers agree on the velocities of 500 well-posed problems to 1e-6") {
  RandomStream random(681, 0);
  std::map<std::string, int> asked, solved;
  for (int trial = 0; trial < 500; ++trial) {
    const ConeProblem problem = well_posed(random, trial);
    const Solution reference = solve_with("auto", problem, 1e-11);
    REQUIRE(reference.report.solved());
    for (const SolverInfo& info : solver_table()) {
      if (!takes(info, problem.cones)) continue;
      const Solution solution = solve_with(info.name, problem, 1e-9, 0.5);
      ++asked[info.name];
      if (!solution.report.solved()) continue;
      ++solved[info.name];
      const double difference = (solution.u - reference.u).norm() / problem.q.norm();
      CHECK_MESSAGE(difference <= 1e-6, info.name << " on problem " << trial);
    }
  }
  for (const auto& [name, count] : asked) MESSAGE(name << ": " << solved[name] << " of " << count << " solved to 1e-9");
  // The facetized cone is another problem in 3D; all others must solve what they take.
  for (const auto& [name, count] : asked) {
    if (name != "stewart_trinkle") CHECK_MESSAGE(solved[name] >= count * 98 / 100, name);
  }
}

TEST_CASE("solvers that take rolling resistance agree on the velocities of well-posed problems to 1e-6") {
  RandomStream random(685, 0);
  int problems = 0;  // that drew at least one Rolling block
  std::map<std::string, int> asked, solved;
  for (int trial = 0; trial < 150; ++trial) {
    const ConeMix mix{.free = trial % 3 == 1,
                      .orthant = trial % 3 == 2,
                      .coulomb = trial % 2 == 1,
                      .associated = false,
                      .rolling = true,
                      .largest_mu = 0.3};
    const int blocks = 1 + static_cast<int>(random.below(12));
    const ConeProblem problem = trial % 2 == 0 ? random_dense_problem(random, blocks, 2.0, mix)
                                               : random_rigid_problem(random, blocks, 3 * blocks, mix);
    if (!holds_rolling(problem.cones)) continue;
    ++problems;
    const Solution reference = solve_with("auto", problem, 1e-11);
    REQUIRE(reference.report.solved());
    for (const SolverInfo& info : solver_table()) {
      if (!takes(info, problem.cones)) continue;
      const Solution solution = solve_with(info.name, problem, 1e-9, 0.5);
      ++asked[info.name];
      if (!solution.report.solved()) continue;
      ++solved[info.name];
      const double difference = (solution.u - reference.u).norm() / problem.q.norm();
      CHECK_MESSAGE(difference <= 1e-6, info.name << " on problem " << trial);
    }
  }
  CHECK(problems > 100);
  for (const auto& [name, count] : asked) MESSAGE(name << ": " << solved[name] << " of " << count << " solved to 1e-9");
  for (const char* name : {"auto", "exact", "nsgs", "newton", "proximal", "pgs", "admm", "apgd"})
    CHECK_MESSAGE(solved[name] >= asked[name] * 98 / 100, name);
  for (const char* name : {"ipm", "lemke", "stewart_trinkle"}) CHECK_MESSAGE(asked.count(name) == 0, name);
}

TEST_CASE("no solver says solved with a recomputed residual above its tolerance") {
  RandomStream random(682, 0);
  for (int trial = 0; trial < 60; ++trial) {
    const ConeProblem problem =
        trial % 2 == 0 ? random_rigid_problem(random, 10, 4, {.rolling = trial % 4 == 0, .largest_mu = 1.5})
                       : random_dense_problem(random, 8, 0.5, {.free = false, .associated = false});
    const double tolerance = std::pow(10.0, random.uniform(-14, -1));
    for (const SolverInfo& info : solver_table()) {
      if (!takes(info, problem.cones)) continue;
      solve_with(info.name, problem, tolerance, 0.05);  // checks inside
    }
  }
}

TEST_CASE("no contact at all is solved by every solver") {
  const ConeProblem nothing;
  for (const SolverInfo& info : solver_table()) {
    VectorXd r(0);
    const SolveReport report = make_solver(info.name)->solve(nothing, r);
    CHECK_MESSAGE(report.solved(), info.name);
  }
}

TEST_CASE("the solution as first guess is recognized by every solver") {
  RandomStream random(683, 0);
  for (int trial = 0; trial < 20; ++trial) {
    const ConeProblem problem = well_posed(random, trial);
    Solution reference = solve_with("auto", problem, 1e-12);
    for (const SolverInfo& info : solver_table()) {
      if (!takes(info, problem.cones)) continue;
      const auto solver = make_solver(info.name, {{"tolerance", 1e-9}});
      const Solution again = solve_honestly(*solver, problem, 1e-9, &reference.r);
      CHECK_MESSAGE(again.report.solved(), info.name);
      // nsgs visits every contact once all the same: bodies at rest would creep otherwise
      CHECK_MESSAGE(again.report.iterations <= (info.name == "nsgs" ? 1 : 0), info.name);
    }
  }
}

TEST_CASE("a problem that no solver may touch is refused by all, naming the contact") {
  ConeProblem bad;
  bad.cones.add({.kind = ConeKind::Coulomb, .dim = 3, .mu = -0.5});
  bad.W.assembled = to_block_sparse(MatrixXd::Identity(3, 3).sparseView(), bad.cones);
  bad.q = Vec3(-1, 0, 0);
  for (const SolverInfo& info : solver_table()) {
    VectorXd r = VectorXd::Zero(3);
    try {
      make_solver(info.name)->solve(bad, r);
      FAIL(info.name);
    } catch (const InputError& error) {
      CHECK_MESSAGE(std::string(error.what()).find("contact 0") != std::string::npos, info.name);
    }
  }
}

TEST_CASE("a normal row of compliance alone bounds the tangential impulse, for every solver") {
  // u_n = c r_n - c bound: whatever else happens r_n = bound, so that |r_t| <= bound. Springs are rows of compliance.
  for (int trial = 0; trial < 40; ++trial) {
    RandomStream random(684, static_cast<std::uint64_t>(trial));
    ConeProblem problem = random_rigid_problem(random, 6, 6, {.associated = false, .planar = false, .largest_mu = 0.4});
    DelassusFactors& factors = *problem.W.factors;
    factors.compliance.assign(factors.rows.size(), 0.0);
    VectorXd q = problem.q;
    const double bound = random.uniform(0, 0.5);
    std::vector<int> bounded;
    for (int k = 0; k < 3; ++k) {
      bounded.push_back(problem.cones.count());
      problem.cones.add({.kind = ConeKind::Coulomb, .dim = 2, .mu = 1});
      factors.bodies.push_back({2 * k, 2 * k + 1});
      const Vec3 axis = random.direction();
      factors.rows.insert(factors.rows.end(),
                          {{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()}, {Vec3::Zero(), axis, -axis}});
      factors.compliance.insert(factors.compliance.end(), {1.0, 0.0});
      q.conservativeResize(q.size() + 2);
      q.tail(2) << -bound, random.normal();
    }
    for (int i = 0; i < 6; ++i)
      if (problem.cones[i].kind == ConeKind::Free)
        factors.compliance[static_cast<std::size_t>(problem.cones.offset(i))] = 1;
    problem.q = q;
    const Solution reference = solve_with("auto", problem, 1e-11);
    REQUIRE(reference.report.solved());
    for (const int i : bounded) {
      const double* r = reference.r.data() + problem.cones.offset(i);
      const double u = reference.u[problem.cones.offset(i) + 1];
      CHECK(r[0] == doctest::Approx(bound).epsilon(1e-8));
      CHECK(std::abs(r[1]) <= bound + 1e-8);
      if (std::abs(u) > 1e-6) CHECK(r[1] == doctest::Approx(-std::copysign(bound, u)).epsilon(1e-6));
    }
    for (const SolverInfo& info : solver_table()) {
      if (!takes(info, problem.cones) || info.name == "stewart_trinkle") continue;
      const Solution solution = solve_with(info.name, problem, 1e-9, 0.5);
      if (!solution.report.solved()) continue;
      CHECK_MESSAGE((solution.u - reference.u).norm() <= 1e-6 * problem.q.norm(), info.name << " on problem " << trial);
    }
    CHECK(solve_with("nsgs", problem, 1e-9).report.solved());
  }
}
