#include "solvers/comparison.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "base/error.h"
#include "random_problems.h"
#include "solvers/nsgs.h"

using namespace carom;

namespace {

// What a scripted solver does in solve.
struct Script {
  SolveStatus status = SolveStatus::Solved;
  double r = 0;         // its answer, in every component
  double sleep = 0;     // s
  double reported = 0;  // s in the report
  bool throws = false;
};

class ScriptedSolver : public Solver {
 public:
  ScriptedSolver(Script script, int* solves) : script_(script), solves_(solves) {}
  std::string_view name() const override { return "scripted"; }
  SolveReport solve(const ConeProblem&, VectorOut r) override {
    if (solves_ != nullptr) ++*solves_;
    if (script_.throws) throw InputError("no such contact");
    started_cold = started_cold && r.isZero();
    r.setConstant(script_.r);
    if (script_.sleep > 0) std::this_thread::sleep_for(std::chrono::duration<double>(script_.sleep));
    SolveReport report;
    report.status = script_.status;
    report.iterations = 7;
    report.seconds = script_.reported;
    // A liar's own residual is as good as it wants.
    report.residuals = {};
    return report;
  }
  bool started_cold = true;

 private:
  Script script_;
  int* solves_;
};

Contender scripted(const Script& script, int* solves = nullptr) {
  return {.name = "scripted",
          .takes = kAllCones,
          .make = [=](const SolveRequest&) { return std::make_unique<ScriptedSolver>(script, solves); },
          .own_clock = false};
}

// One frictionless contact that approaches at 1 m/s with unit mass: r = 1, and the residual of r is |r - 1|.
ConeProblem unit_problem() {
  return to_cone_problem({.M = MatrixXd::Identity(1, 1).sparseView(), .q = VectorXd::Constant(1, -1.0)});
}

ComparisonRow run_one(const ConeProblem& problem, const Contender& contender, const ComparisonOptions& options) {
  return compare({{"one", &problem}}, {contender}, options).row(0, 0, 0);
}

const ComparisonOptions kOnce = {
    .tolerances = {1e-8}, .max_seconds = 30, .repeats = 1, .measured_seconds = 0, .record_history = false};

// Times in s by problem and solver; 0: not reached.
Comparison toy(const std::vector<std::vector<double>>& seconds) {
  Comparison c;
  for (std::size_t p = 0; p < seconds.size(); ++p) {
    c.problems.push_back("p" + std::to_string(p));
    c.contacts.push_back(1);
  }
  for (std::size_t s = 0; s < seconds[0].size(); ++s) c.solvers.push_back("s" + std::to_string(s));
  c.tolerances = {1e-8};
  for (const auto& line : seconds)
    for (double time : line) {
      ComparisonRow row;
      row.outcome = time > 0 ? Outcome::Reached : Outcome::NotReached;
      row.seconds = time > 0 ? time : 1e-9;  // a quick failure is no win
      c.rows.push_back(row);
    }
  return c;
}

std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a solver that says solved without being so is found to have lied") {
  const ConeProblem problem = unit_problem();
  const ComparisonRow honest = run_one(problem, scripted({.r = 1}), kOnce);
  CHECK(honest.outcome == Outcome::Reached);
  const ComparisonRow liar = run_one(problem, scripted({.r = 1.5}), kOnce);
  CHECK(liar.outcome == Outcome::Lied);
  CHECK(liar.residuals.natural_map == doctest::Approx(0.5).epsilon(1e-14));
  CHECK(liar.status == SolveStatus::Solved);
  CHECK(!liar.reached());
}

TEST_CASE("what counts is the recomputed residual, whatever the status") {
  const ConeProblem problem = unit_problem();
  CHECK(run_one(problem, scripted({.status = SolveStatus::Stalled, .r = 1}), kOnce).outcome == Outcome::Reached);
  CHECK(run_one(problem, scripted({.status = SolveStatus::Stalled, .r = 1 + 2e-8}), kOnce).outcome ==
        Outcome::NotReached);
  CHECK(run_one(problem, scripted({.status = SolveStatus::Stalled, .r = 1 + 0.5e-8}), kOnce).outcome ==
        Outcome::Reached);
}

TEST_CASE("answers that are not finite and exceptions are failures, and the table goes on") {
  const ConeProblem problem = unit_problem();
  const Comparison c = compare({{"one", &problem}},
                               {scripted({.r = std::nan("")}), scripted({.throws = true}), scripted({.r = 1})}, kOnce);
  CHECK(c.row(0, 0, 0).outcome == Outcome::Failed);
  CHECK(c.row(0, 0, 1).outcome == Outcome::Failed);
  CHECK(says(c.row(0, 0, 1).message, "no such contact"));
  CHECK(c.row(0, 0, 2).outcome == Outcome::Reached);
}

TEST_CASE("an answer after the time limit does not count") {
  const ConeProblem problem = unit_problem();
  ComparisonOptions options = kOnce;
  options.max_seconds = 0.005;
  const ComparisonRow late = run_one(problem, scripted({.r = 1, .sleep = 0.01}), options);
  CHECK(late.outcome == Outcome::Late);
  CHECK(late.seconds >= 0.01);
  options.max_seconds = 5;
  CHECK(run_one(problem, scripted({.r = 1, .sleep = 0.01}), options).outcome == Outcome::Reached);
}

TEST_CASE("every solver of the registry is told the time limit") {
  RandomStream random(3, 0);
  const ConeProblem problem = random_dense_problem(random, 60, 0.3, {.free = false, .associated = false});
  for (const SolverInfo& info : solver_table()) {
    bool limited = false;
    for (const OptionInfo& option : info.options) limited |= option.name == "max_seconds";
    if (!limited || !takes(info, problem.cones)) continue;
    CAPTURE(info.name);
    // No residual is below 1e-300: the limit ends it.
    const Contender contender = registry_contender(info);
    VectorXd r = VectorXd::Zero(problem.cones.rows());
    const double start = seconds_now();
    contender.make({.tolerance = 1e-300, .max_seconds = 0.05})->solve(problem, r);
    CHECK(seconds_now() - start < 2);
  }
}

TEST_CASE("the median is that of many solves when each is short, of the repeats when each is long") {
  const ConeProblem problem = unit_problem();
  ComparisonOptions options = kOnce;
  options.repeats = 3;
  options.measured_seconds = 0.02;
  int solves = 0;
  const ComparisonRow shorter = run_one(problem, scripted({.r = 1}, &solves), options);
  CHECK(shorter.solves + 1 == solves);  // one to warm up
  CHECK(shorter.solves > 100);
  CHECK(shorter.seconds < 1e-3);
  CHECK(shorter.seconds_min <= shorter.seconds);
  CHECK(shorter.seconds_spread >= 0);

  solves = 0;
  const ComparisonRow longer = run_one(problem, scripted({.r = 1, .sleep = 0.01}, &solves), options);
  CHECK(longer.solves == 3);
  CHECK(solves == 4);
  CHECK(longer.seconds >= 0.01);

  solves = 0;  // nothing is gained by timing a failure twice
  run_one(problem, scripted({.r = 2}, &solves), options);
  CHECK(solves == 1);
}

TEST_CASE("a contender with its own clock is timed by it") {
  const ConeProblem problem = unit_problem();
  Contender contender = scripted({.r = 1, .sleep = 0.005, .reported = 0.125});
  contender.own_clock = true;
  CHECK(run_one(problem, contender, kOnce).seconds == 0.125);
}

TEST_CASE("every solve starts from zero") {
  const ConeProblem problem = unit_problem();
  bool cold = false;
  struct Keeper : ScriptedSolver {
    Keeper(bool* cold) : ScriptedSolver({.r = 1}, nullptr), cold_(cold) {}
    ~Keeper() override { *cold_ = started_cold; }
    bool* cold_;
  };
  ComparisonOptions options = kOnce;
  options.repeats = 5;
  run_one(problem, {.name = "keeper", .make = [&](const SolveRequest&) { return std::make_unique<Keeper>(&cold); }},
          options);
  CHECK(cold);
}

TEST_CASE("quantiles interpolate between the sorted values") {
  CHECK(quantile({3}, 0.5) == 3);
  CHECK(quantile({1, 2}, 0.5) == 1.5);
  CHECK(quantile({1, 2, 10}, 0.5) == 2);
  CHECK(quantile({1, 2, 3, 4, 5}, 0.25) == 2);
  CHECK(quantile({1, 2, 3, 4, 5}, 1) == 5);
  CHECK(std::isnan(quantile({}, 0.5)));
}

TEST_CASE("the virtual best is the fastest that reached the tolerance") {
  const Comparison c = toy({{2, 1, 0}, {0, 0, 0}, {0, 0, 5}});
  CHECK(best_solver(c, 0, 0) == 1);
  CHECK(best_solver(c, 0, 1) == -1);
  CHECK(best_solver(c, 0, 2) == 2);
  CHECK(best_solver(c, 0, 0, {0, 2}) == 0);
}

TEST_CASE("the profile of a known table") {
  // ratios: s0 1, 4, -; s1 2, 1, 1; s2 -, -, 8
  const Comparison c = toy({{1, 2, 0}, {12, 3, 0}, {0, 1, 8}});
  const std::vector<ProfileCurve> curves = performance_profile(c, 0);
  CHECK(curves[0].ratios == std::vector<double>{1, 4});
  CHECK(curves[1].ratios == std::vector<double>{1, 1, 2});
  CHECK(curves[2].ratios == std::vector<double>{8});
  CHECK(curves[0].fraction(0.99) == 0);
  CHECK(curves[0].fraction(1) == doctest::Approx(1.0 / 3));
  CHECK(curves[0].fraction(4) == doctest::Approx(2.0 / 3));
  CHECK(curves[0].fraction(1e9) == doctest::Approx(2.0 / 3));
  CHECK(curves[1].fraction(2) == 1);

  const std::vector<Standing> table = standings(c, 0);
  CHECK(table[0].reached == 2);
  CHECK(table[0].wins == 1);
  CHECK(table[0].mean_ratio == doctest::Approx(2));
  CHECK(table[1].wins == 2);
  CHECK(table[1].mean_ratio == doctest::Approx(std::cbrt(2.0)));
  CHECK(table[2].mean_ratio == doctest::Approx(8));
}

TEST_CASE("a solver that reached nothing has no mean ratio") {
  CHECK(std::isnan(standings(toy({{1, 0}}), 0)[1].mean_ratio));
}

TEST_CASE("problems with cones a solver does not take are not run") {
  const ConeProblem orthant = unit_problem();
  RandomStream random(1, 0);
  const ConeProblem coulomb =
      random_dense_problem(random, 3, 2, {.free = false, .orthant = false, .associated = false});
  int solves = 0;
  Contender lcp_only = scripted({.r = 1}, &solves);
  lcp_only.takes = {ConeKind::Orthant};
  const Comparison c = compare({{"coulomb", &coulomb}, {"orthant", &orthant}}, {lcp_only}, kOnce);
  CHECK(c.row(0, 0, 0).outcome == Outcome::NotTaken);
  CHECK(c.row(0, 1, 0).outcome == Outcome::Reached);
  CHECK(standings(c, 0)[0].taken == 1);
}

TEST_CASE("tolerances are compared from the loosest to the tightest, and a callback can stop") {
  const ConeProblem problem = unit_problem();
  ComparisonOptions options = kOnce;
  options.tolerances = {1e-10, 1e-2, 1e-6};
  int calls = 0;
  const Comparison c = compare({{"one", &problem}}, {scripted({.r = 1})}, options, [&](const ComparisonProgress& p) {
    CHECK(p.done == calls);
    CHECK(p.total == 3);
    return ++calls < 3;
  });
  CHECK(c.tolerances == std::vector<double>{1e-2, 1e-6, 1e-10});
  CHECK(c.row(1, 0, 0).outcome == Outcome::Reached);
  CHECK(c.row(2, 0, 0).outcome == Outcome::NotRun);
}

TEST_CASE("histories come from a solve of their own, to the tightest tolerance") {
  RandomStream random(5, 0);
  const ConeProblem problem = random_dense_problem(random, 10, 2);
  ComparisonOptions options = kOnce;
  options.tolerances = {1e-2, 1e-8};
  options.record_history = true;
  for (const SolverInfo& info : solver_table()) {
    if (info.name != Nsgs::kName) continue;
    const Comparison c = compare({{"random", &problem}}, {registry_contender(info)}, options);
    CHECK(c.row(0, 0, 0).history.empty());
    REQUIRE(!c.row(1, 0, 0).history.empty());
    CHECK(c.row(1, 0, 0).history.back().residuals.natural_map <= 1e-8);
  }
}

TEST_CASE("what the comparison chooses itself cannot be an option, and bad options are refused at once") {
  const SolverInfo& info = solver_table().front();
  CHECK(says(complaint([&] { registry_contender(info, {{"tolerance", 1e-3}}); }), "set by the comparison"));
  CHECK(says(complaint([&] { registry_contender(info, {{"tolerence", 1e-3}}); }), "has no such option"));
  const ConeProblem problem = unit_problem();
  const auto with = [&](auto change) {
    ComparisonOptions options = kOnce;
    change(options);
    return complaint([&] { compare({{"one", &problem}}, {scripted({})}, options); });
  };
  CHECK(says(with([](auto& o) { o.tolerances = {0.0}; }), "(0, 1]"));
  CHECK(says(with([](auto& o) { o.tolerances = {std::nan("")}; }), "(0, 1]"));
  CHECK(says(with([](auto& o) { o.max_seconds = 0; }), "time limit"));
  CHECK(says(with([](auto& o) { o.repeats = 0; }), "at least 1"));
  CHECK(says(complaint([&] { compare({}, {scripted({})}, kOnce); }), "problem"));
  CHECK(says(complaint([&] { compare({{"one", &problem}}, {}, kOnce); }), "solver"));
}
