#include "solvers/auto_solver.h"

#include <cstring>

#include "allocation_counter.h"
#include "solver_checks.h"
#include "structured_problems.h"

using namespace carom;

TEST_CASE("auto solves random rigid problems, however redundant, to 1e-10") {
  RandomStream random(671, 0);
  int solved = 0;
  constexpr int kProblems = 200;
  for (int trial = 0; trial < kProblems; ++trial) {
    const int blocks = 1 + static_cast<int>(random.below(80));
    const int bodies = 1 + static_cast<int>(random.below(60));
    const ConeProblem problem = random_rigid_problem(random, blocks, bodies, {.free = true, .largest_mu = 0.7});
    const Solution solution = solve_with("auto", problem, 1e-10);
    solved += solution.report.solved();
    CHECK((solution.report.solved() || !solution.report.message.empty()));
  }
  MESSAGE(solved << " of " << kProblems << " solved to 1e-10");
  CHECK(solved == kProblems);
}

TEST_CASE("both bodies of the operator, and both measures, are solved") {
  RandomStream random(672, 0);
  for (int trial = 0; trial < 20; ++trial) {
    const ConeProblem problem =
        random_rigid_problem(random, 50, 30, {.free = false, .associated = false, .largest_mu = 0.5});
    const ConeProblem assembled = assembled_copy(problem);
    const Solution by_factors = solve_with("auto", problem, 1e-11), by_blocks = solve_with("auto", assembled, 1e-11);
    CHECK((by_factors.u - by_blocks.u).norm() <= 1e-7 * problem.q.norm());
    const auto solver = make_solver("auto", {{"tolerance", 1e-9}, {"measure", std::string("velocity")}});
    VectorXd r = VectorXd::Zero(problem.cones.rows());
    const SolveReport report = solver->solve(problem, r);
    CHECK(report.solved());
    CHECK(report.residuals.velocity_worst <= 1e-9);
  }
}

TEST_CASE("a stack of spheres under its own weight with masses 1 to 1000 is no obstacle") {
  // n spheres in a column, the top one heavy: u_i = v_i - v_(i-1), one contact each, mu irrelevant
  constexpr int n = 40;
  ConeProblem problem;
  MatrixXd H = MatrixXd::Zero(n, n), inverse_mass = MatrixXd::Identity(n, n);
  for (int i = 0; i < n; ++i) {
    problem.cones.add({.kind = ConeKind::Orthant, .dim = 1, .mu = 0});
    H(i, i) = 1;
    if (i > 0) H(i, i - 1) = -1;
  }
  inverse_mass(n - 1, n - 1) = 1e-3;
  problem.W.assembled = to_block_sparse((H * inverse_mass * H.transpose()).sparseView(), problem.cones);
  problem.q = H * VectorXd::Constant(n, -1.0);
  const Solution solution = solve_with("auto", problem, 1e-12);
  CHECK(solution.report.solved());
  // contact i carries all masses above it
  for (int i = 0; i < n; ++i) CHECK(solution.r[i] == doctest::Approx(1000.0 + n - 1 - i).epsilon(1e-8));
}

TEST_CASE("limits of time and iterations are kept and said") {
  RandomStream random(673, 0);
  const ConeProblem problem = random_rigid_problem(random, 400, 100, {.free = false});
  const auto solver = make_solver("auto", {{"tolerance", 1e-14}, {"max_seconds", 1e-9}});
  VectorXd r = VectorXd::Zero(problem.cones.rows());
  CHECK(solver->solve(problem, r).status == SolveStatus::MaxTime);
}

TEST_CASE("islands are solved apart, small ones in dense arrays, on either body of W") {
  // boxes that slide on four corners each, all with another velocity
  StructureBuilder builder(1e-3);
  RandomStream random(674, 0);
  constexpr int kBoxes = 500;
  for (int k = 0; k < kBoxes; ++k) {
    const Vec3 centre(k, 0, 0.05);
    const int box = builder.add_block(centre, Vec3(0.1, 0.1, 0.1));
    builder.set_velocity(box, 0.1 * random.direction(), random.direction());
    builder.touch_face(box, -1, centre - Vec3(0, 0, 0.05), Vec3(0.05, 0, 0), Vec3(0, 0.05, 0), Vec3::UnitZ(), 0.3);
  }
  ConeProblem by_blocks = builder.problem();
  ConeProblem by_factors = by_blocks;
  by_factors.W.assembled.reset();
  by_factors.W.factors = builder.factors();
  for (const ConeProblem* problem : {&by_blocks, &by_factors}) {
    Solution solution = solve_with("auto", *problem, 1e-12);
    CHECK(solution.report.solved());
    CHECK(solution.report.parts == kBoxes);
    CHECK(solution.report.stages[1].solver == "exact");
  }
}

TEST_CASE("a heap that sweeps solve is neither taken apart nor factored") {
  const StructureBuilder heap = pyramid(16, 0.4);  // 1496 spheres
  ConeProblem problem = heap.problem(Vec3(0, 0, -9.81), Vec3(0.01, 0.002, 0));
  problem.W.factors = heap.factors();
  problem.W.assembled.reset();
  const auto solver = make_solver("auto", {{"tolerance", 1e-3}, {"measure", std::string("velocity")}});
  VectorXd r = VectorXd::Zero(problem.cones.rows());
  const SolveReport report = solver->solve(problem, r);
  CHECK(report.solved());
  CHECK(report.stages[0].solver == "nsgs");
  CHECK(report.stages[1].solver.empty());
}

TEST_CASE("the impulses of the last step cost one sweep") {
  const StructureBuilder built = wall(6, 5, 0.6, true);
  ConeProblem problem = built.problem();
  problem.W.factors = built.factors();
  problem.W.assembled.reset();
  const auto solver = make_solver("auto", {{"tolerance", 1e-8}, {"measure", std::string("velocity")}});
  VectorXd r = VectorXd::Zero(problem.cones.rows());
  CHECK(solver->solve(problem, r).solved());
  const SolveReport again = solver->solve(problem, r);
  CHECK(again.solved());
  CHECK(again.iterations <= 1);
}

TEST_CASE("solves of the same size allocate nothing, sweeps, dense arrays and factorizations alike") {
  if (!AllocationCounter::available()) {
    MESSAGE("skipped: sanitizers own malloc");
    return;
  }
  // ipm and proximal points, for what newton does not solve, tell in words what they did: not asked for here
  for (const StructureBuilder& built : {wall(6, 5, 0.6, true), arch(31, 0.7), table(8, 0.3)}) {
    ConeProblem problem = built.problem();
    for (const bool factors : {false, true}) {
      if (factors) {
        problem.W.factors = built.factors();
        problem.W.assembled.reset();
      }
      Auto solver;
      VectorXd r = VectorXd::Zero(problem.cones.rows());
      for (int k = 0; k < 2; ++k) {
        r.setZero();
        REQUIRE(solver.solve(problem, r).solved());
      }
      r.setZero();
      AllocationCounter counter;
      const SolveReport report = solver.solve(problem, r);
      const long allocations = counter.count();
      INFO(told_by(report));
      CHECK(allocations == 0);
    }
  }
}

TEST_CASE("Coulomb contacts alone give the same bits for any number of threads, on both bodies") {
  const StructureBuilder heap = pyramid(14, 0.3);
  const ConeProblem by_blocks = heap.problem(Vec3(0, 0, -9.81), Vec3(0.01, 0.002, 0));
  ConeProblem by_factors = by_blocks;
  by_factors.W.assembled.reset();
  by_factors.W.factors = heap.factors();
  REQUIRE(by_blocks.cones.count() > 2000);  // coloured
  for (const char* name : {"auto", "nsgs"}) {
    for (const ConeProblem* problem : {&by_blocks, static_cast<const ConeProblem*>(&by_factors)}) {
      VectorXd serial;
      for (const int threads : {1, 2, 3, 5, 7}) {
        const auto solver = make_solver(name, {{"measure", std::string("velocity")},
                                               {"tolerance", 1e-6},
                                               {"max_iterations", std::int64_t{40}},
                                               {"threads", std::int64_t{threads}}});
        VectorXd r = VectorXd::Zero(problem->cones.rows());
        const SolveReport report = solver->solve(*problem, r);
        CHECK(report.iterations > 20);
        if (threads == 1) serial = r;
        CHECK(r == serial);
      }
    }
  }
}

namespace {

// Many islands of a few contacts each, one after the other.
ConeProblem archipelago(int islands) {
  ConeProblem all;
  DelassusFactors& factors = all.W.factors.emplace();
  std::vector<double> q;
  for (int island = 0; island < islands; ++island) {
    RandomStream random(680, static_cast<std::uint64_t>(island));
    const ConeProblem one =
        random_rigid_problem(random, 3 + island % 6, 3, {.free = false, .associated = false, .largest_mu = 0.7});
    const int bodies = static_cast<int>(factors.inverse_mass.size());
    for (int i = 0; i < one.cones.count(); ++i) {
      all.cones.add(one.cones[i]);
      std::array<int, 2> pair = one.W.factors->bodies[static_cast<std::size_t>(i)];
      for (int& body : pair) body = body < 0 ? body : body + bodies;
      factors.bodies.push_back(pair);
    }
    const DelassusFactors& from = *one.W.factors;
    factors.rows.insert(factors.rows.end(), from.rows.begin(), from.rows.end());
    factors.inverse_mass.insert(factors.inverse_mass.end(), from.inverse_mass.begin(), from.inverse_mass.end());
    factors.compliance.insert(factors.compliance.end(), from.compliance.begin(), from.compliance.end());
    q.insert(q.end(), one.q.begin(), one.q.end());
  }
  all.q.assign(all.cones.rows(), 0.0);
  std::copy(q.begin(), q.end(), all.q.begin());
  return all;
}

}  // namespace

TEST_CASE("islands solved by several threads have the same bits, and tell the same of who solved them") {
  const ConeProblem problem = archipelago(400);
  VectorXd r[3];
  SolveReport report[3];
  for (const int k : {0, 1, 2}) {
    AutoOptions options;
    options.stop.tolerance = 1e-10;
    options.stop.measure = Measure::Velocity;
    options.threads = std::array{1, 2, 7}[static_cast<std::size_t>(k)];
    Auto solver(options);
    r[k] = VectorXd::Zero(problem.cones.rows());
    report[k] = solver.solve(problem, r[k]);
    CHECK(report[k].solved());
    CHECK(report[k].iterations == report[0].iterations);
    CHECK(std::memcmp(r[k].data(), r[0].data(), sizeof(double) * static_cast<std::size_t>(r[0].size())) == 0);
    for (std::size_t s = 0; s < report[0].stages.size(); ++s) {
      CHECK(report[k].stages[s].solver == report[0].stages[s].solver);
      CHECK(report[k].stages[s].parts == report[0].stages[s].parts);
    }
  }
  CHECK(report[0].stages[1].parts > 100);
}
