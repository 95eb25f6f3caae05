// Solvers side by side: every solver on every problem to every tolerance, timed alike and judged by the one shared
// residual. Pure computation; io/comparison_report.h and io/comparison_table.h show the outcome.
//
// The protocol. Each solve starts from r = 0; its time is the wall time around Solver::solve, checks and
// factorizations included; the solver object is kept between repeats, so that its workspaces are warm. A short solve
// is first run once unmeasured and then repeated until medians mean something. An answer counts only when the residual
// recomputed from its r outside the solver is within the tolerance, whatever the solver reported, and in time.
#pragma once

#include <functional>
#include <memory>

#include "solvers/registry.h"

namespace carom {

struct NamedProblem {
  std::string name;
  const ConeProblem* problem = nullptr;
};

// What a contender is asked for.
struct SolveRequest {
  double tolerance = 1e-8;  // of the natural-map residual
  double max_seconds = 30;
  bool record_history = false;
};

struct Contender {
  std::string name;
  ConeKinds takes = kAllCones;
  int most_blocks = 0;  // 0: any number
  std::function<std::unique_ptr<Solver>(const SolveRequest&)> make;
  // The time is SolveReport::seconds instead of the wall time, and short solves are not repeated beyond
  // ComparisonOptions::repeats: for wrappers that do more than solve, and repeat by themselves.
  bool own_clock = false;
};

// A solver of the registry. Its iteration limit is lifted as far as it goes, so that the time limit is the only one;
// `options` come last. Throws InputError where they are not the solver's, or are the comparison's to choose
// (tolerance, measure, max_seconds, record_history).
Contender registry_contender(const SolverInfo& solver, const OptionValues& options = {});

struct ComparisonOptions {
  std::vector<double> tolerances = {1e-4, 1e-8, 1e-10};  // natural-map residual
  double max_seconds = 30;                               // of one solve
  int repeats = 3;                                       // measured solves at least, >= 1
  double measured_seconds = 0.02;                        // repeats go on until they add up to this
  bool record_history = false;                           // one more, unmeasured solve to the tightest tolerance
};

enum class Outcome : std::uint8_t {
  NotRun,      // the comparison was stopped before
  NotTaken,    // the problem has cones the solver does not take
  Reached,     // recomputed residual within the tolerance, in time
  NotReached,  // the report's status says why
  Late,        // the tolerance was met, but after the time limit
  Lied,        // the solver reported Solved without it
  Failed,      // an exception, or an answer that is not finite
};
std::string_view name_of(Outcome outcome);

// One solver on one problem to one tolerance.
struct ComparisonRow {
  Outcome outcome = Outcome::NotRun;
  SolveStatus status = SolveStatus::Solved;  // as reported
  int iterations = 0;                        // as reported
  int solves = 0;                            // measured ones
  double seconds = 0;                        // median
  double seconds_min = 0;
  double seconds_spread = 0;  // interquartile range
  Residuals residuals;        // recomputed outside the solver, the worst of all solves
  std::string message;
  std::vector<HistoryEntry> history;

  bool reached() const { return outcome == Outcome::Reached; }
};

struct Comparison {
  std::vector<std::string> problems;
  std::vector<int> contacts;  // blocks, per problem
  std::vector<std::string> solvers;
  std::vector<double> tolerances;  // loosest first
  double max_seconds = 0;
  int repeats = 0;
  std::vector<ComparisonRow> rows;  // by tolerance, then problem, then solver

  const ComparisonRow& row(int tolerance, int problem, int solver) const {
    return rows[index(tolerance, problem, solver)];
  }
  ComparisonRow& row(int tolerance, int problem, int solver) { return rows[index(tolerance, problem, solver)]; }

 private:
  std::size_t index(int tolerance, int problem, int solver) const {
    return (static_cast<std::size_t>(tolerance) * problems.size() + static_cast<std::size_t>(problem)) *
               solvers.size() +
           static_cast<std::size_t>(solver);
  }
};

// A table of this shape with all rows NotRun.
Comparison empty_comparison(const std::vector<NamedProblem>& problems, const std::vector<Contender>& contenders,
                            const ComparisonOptions& options);

// What runs next, for the progress callback.
struct ComparisonProgress {
  int done = 0, total = 0;  // rows
  std::string_view problem, solver;
  double tolerance = 0;
};
// Before each row; false stops the comparison there.
using ComparisonCallback = std::function<bool(const ComparisonProgress&)>;

// Throws InputError for an empty list, a tolerance that is not in (0, 1], a time limit that is not positive and
// repeats below 1. Solvers that throw are rows, not exceptions.
Comparison compare(const std::vector<NamedProblem>& problems, const std::vector<Contender>& contenders,
                   const ComparisonOptions& options, const ComparisonCallback& callback = {});

// ---- What the table says ----

// The fastest solver that reached the tolerance: the virtual best. -1 when none did.
int best_solver(const Comparison& comparison, int tolerance, int problem);

// The same among some solvers only.
int best_solver(const Comparison& comparison, int tolerance, int problem, const std::vector<int>& among);

// Seconds over those of the virtual best, >= 1; NaN where the tolerance was not reached.
double ratio_to_best(const Comparison& comparison, int tolerance, int problem, int solver);

// Dolan and More (2002): the fraction of problems that a solver reached within tau times the virtual best's time.
struct ProfileCurve {
  int problems = 0;
  std::vector<double> ratios;  // seconds / best seconds, increasing; one per problem reached

  double fraction(double tau) const;
};
std::vector<ProfileCurve> performance_profile(const Comparison& comparison, int tolerance);  // per solver

struct Standing {
  int taken = 0;    // problems whose cones it takes
  int reached = 0;  // of those
  int wins = 0;     // problems on which nobody was faster
  int lies = 0;
  double mean_ratio = 0;  // geometric mean of seconds / best seconds over the problems reached; NaN without any
};
std::vector<Standing> standings(const Comparison& comparison, int tolerance);  // per solver

// Quantile of sorted values by linear interpolation between neighbours, p in [0, 1].
double quantile(const std::vector<double>& sorted, double p);

}  // namespace carom
