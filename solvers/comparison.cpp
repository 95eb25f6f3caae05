#include "solvers/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/timer.h"

namespace carom {

namespace {

constexpr double kLongSolve = 0.25;  // s: from here on caches no longer matter, and the first solve is measured too

Place item(const std::string& name) { return {.file = {}, .line = 0, .column = 0, .item = name}; }

int count(const auto& list) { return static_cast<int>(list.size()); }

bool takes(const Contender& contender, const Cones& cones) {
  return (contender.most_blocks == 0 || cones.count() <= contender.most_blocks) && takes_all(contender.takes, cones);
}

void check_options(const std::vector<NamedProblem>& problems, const std::vector<Contender>& contenders,
                   const ComparisonOptions& options) {
  if (problems.empty()) throw InputError("a comparison needs at least one problem");
  if (contenders.empty()) throw InputError("a comparison needs at least one solver");
  if (options.tolerances.empty()) throw InputError("a comparison needs at least one tolerance");
  for (double tolerance : options.tolerances)
    if (!(tolerance > 0 && tolerance <= 1))
      throw InputError(item("tolerance"), "must be in (0, 1]", fmt::format("{:g}", tolerance));
  if (!(options.max_seconds > 0))
    throw InputError(item("time limit"), "must be above 0 s", fmt::format("{:g}", options.max_seconds));
  if (options.repeats < 1) throw InputError(item("repeats"), "must be at least 1", fmt::format("{}", options.repeats));
}

Outcome judge(const SolveReport& report, const Residuals& recomputed, double seconds, const SolveRequest& request) {
  if (!std::isfinite(recomputed.natural_map)) return Outcome::Failed;
  if (recomputed.natural_map > request.tolerance) return report.solved() ? Outcome::Lied : Outcome::NotReached;
  return seconds > request.max_seconds ? Outcome::Late : Outcome::Reached;
}

// Fills one row: solves until the samples suffice or one of them is not Reached.
class RowRunner {
 public:
  RowRunner(const ConeProblem& problem, const Contender& contender, const SolveRequest& request)
      : problem_(problem), contender_(contender), request_(request), r_(problem.cones.rows()), u_(r_.size()) {}

  void run(const ComparisonOptions& options, ComparisonRow& row) {
    try {
      prepare_residuals(problem_, scratch_);
      solver_ = contender_.make(request_);
      measure(options, row);
    } catch (const std::exception& error) {
      row.outcome = Outcome::Failed;
      row.status = SolveStatus::NumericalError;
      row.message = error.what();
    }
  }

 private:
  void measure(const ComparisonOptions& options, ComparisonRow& row) {
    std::vector<double> samples;
    double total = 0;
    // A solve that did not reach the tolerance needs no better time, and a very long one has it.
    const double needed = contender_.own_clock ? 0 : options.measured_seconds;
    const auto enough = [&] {
      return row.outcome != Outcome::Reached || total >= 0.5 * options.max_seconds ||
             (count(samples) >= options.repeats && total >= needed);
    };
    const double first = solve_once(row);
    if (first >= std::min(kLongSolve, options.max_seconds) || row.outcome != Outcome::Reached) {
      samples.push_back(first);
      total += first;
    }
    while (!enough()) {
      samples.push_back(solve_once(row));
      total += samples.back();
    }
    std::sort(samples.begin(), samples.end());
    row.solves = count(samples);
    row.seconds = quantile(samples, 0.5);
    row.seconds_min = samples.front();
    row.seconds_spread = quantile(samples, 0.75) - quantile(samples, 0.25);
  }

  // One cold solve; the row keeps the worst outcome's residuals. Returns the time.
  double solve_once(ComparisonRow& row) {
    r_.setZero();
    const double start = seconds_now();
    SolveReport report = solver_->solve(problem_, r_);
    const double wall = seconds_now() - start;
    const double seconds = contender_.own_clock ? report.seconds : wall;

    const Residuals residuals = compute_residuals(problem_, r_, u_, scratch_);
    if (!(residuals.natural_map <= row.residuals.natural_map)) row.residuals = residuals;
    row.outcome = judge(report, row.residuals, seconds, request_);
    row.status = report.status;
    row.iterations = report.iterations;
    row.message = told_by(report);
    row.history = std::move(report.history);
    return seconds;
  }

  const ConeProblem& problem_;
  const Contender& contender_;
  const SolveRequest request_;
  std::unique_ptr<Solver> solver_;
  VectorXd r_, u_;
  ResidualScratch scratch_;
};

void run_row(const ConeProblem& problem, const Contender& contender, SolveRequest request,
             const ComparisonOptions& options, bool with_history, ComparisonRow& row) {
  if (!takes(contender, problem.cones)) {
    row.outcome = Outcome::NotTaken;
    return;
  }
  RowRunner(problem, contender, request).run(options, row);
  row.history.clear();
  if (!with_history || row.outcome == Outcome::Failed) return;
  // Keeping a history costs time: not in the measured solves.
  request.record_history = true;
  ComparisonRow recorded;
  RowRunner(problem, contender, request).run({.repeats = 1, .measured_seconds = 0}, recorded);
  row.history = std::move(recorded.history);
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::NotRun:
      return "not_run";
    case Outcome::NotTaken:
      return "not_taken";
    case Outcome::Reached:
      return "reached";
    case Outcome::NotReached:
      return "not_reached";
    case Outcome::Late:
      return "late";
    case Outcome::Lied:
      return "lied";
    case Outcome::Failed:
      return "failed";
  }
  return "unknown";
}

Contender registry_contender(const SolverInfo& solver, const OptionValues& options) {
  for (const char* ours : {"tolerance", "measure", "max_seconds", "record_history"})
    if (const auto given = options.find(ours); given != options.end())
      throw InputError(item(solver.name + "." + ours), "is set by the comparison itself", text_of(given->second));
  make_solver(solver.name, options);  // complains now, not in the middle of the table

  const auto make = [solver, options](const SolveRequest& request) {
    OptionValues values;
    for (const OptionInfo& option : solver.options) {
      if (option.name == "tolerance") values[option.name] = request.tolerance;
      if (option.name == "measure") values[option.name] = std::string(name_of(Measure::NaturalMap));
      if (option.name == "max_seconds") values[option.name] = request.max_seconds;
      if (option.name == "record_history") values[option.name] = request.record_history;
      if (option.name == "max_iterations") values[option.name] = static_cast<std::int64_t>(option.range.high);
    }
    for (const auto& [name, value] : options) values[name] = value;
    return make_solver(solver.name, values);
  };
  return {.name = solver.name, .takes = solver.takes, .most_blocks = solver.most_blocks, .make = make};
}

Comparison empty_comparison(const std::vector<NamedProblem>& problems, const std::vector<Contender>& contenders,
                            const ComparisonOptions& options) {
  Comparison comparison;
  for (const NamedProblem& problem : problems) {
    comparison.problems.push_back(problem.name);
    comparison.contacts.push_back(problem.problem->cones.count());
  }
  for (const Contender& contender : contenders) comparison.solvers.push_back(contender.name);
  comparison.tolerances = options.tolerances;
  std::sort(comparison.tolerances.begin(), comparison.tolerances.end(), std::greater<>());
  comparison.max_seconds = options.max_seconds;
  comparison.repeats = options.repeats;
  comparison.rows.resize(comparison.tolerances.size() * problems.size() * contenders.size());
  return comparison;
}

Comparison compare(const std::vector<NamedProblem>& problems, const std::vector<Contender>& contenders,
                   const ComparisonOptions& options, const ComparisonCallback& callback) {
  check_options(problems, contenders, options);
  Comparison comparison = empty_comparison(problems, contenders, options);
  int done = 0;
  // Problem by problem, so that what is compared in one line of the table ran within one stretch of time.
  for (int p = 0; p < count(problems); ++p)
    for (int t = 0; t < count(comparison.tolerances); ++t)
      for (int s = 0; s < count(contenders); ++s) {
        const NamedProblem& problem = problems[static_cast<std::size_t>(p)];
        const Contender& contender = contenders[static_cast<std::size_t>(s)];
        const double tolerance = comparison.tolerances[static_cast<std::size_t>(t)];
        if (callback && !callback({done, count(comparison.rows), problem.name, contender.name, tolerance}))
          return comparison;
        const bool with_history = options.record_history && t + 1 == count(comparison.tolerances);
        run_row(*problem.problem, contender, {tolerance, options.max_seconds, false}, options, with_history,
                comparison.row(t, p, s));
        ++done;
      }
  return comparison;
}

int best_solver(const Comparison& comparison, int tolerance, int problem, const std::vector<int>& among) {
  int best = -1;
  for (int s : among) {
    const ComparisonRow& row = comparison.row(tolerance, problem, s);
    if (row.reached() && (best < 0 || row.seconds < comparison.row(tolerance, problem, best).seconds)) best = s;
  }
  return best;
}

int best_solver(const Comparison& comparison, int tolerance, int problem) {
  std::vector<int> all;
  for (int s = 0; s < count(comparison.solvers); ++s) all.push_back(s);
  return best_solver(comparison, tolerance, problem, all);
}

double ProfileCurve::fraction(double tau) const {
  const auto within = std::upper_bound(ratios.begin(), ratios.end(), tau) - ratios.begin();
  return problems > 0 ? static_cast<double>(within) / problems : 0.0;
}

double ratio_to_best(const Comparison& comparison, int tolerance, int problem, int solver) {
  const ComparisonRow& row = comparison.row(tolerance, problem, solver);
  if (!row.reached()) return std::numeric_limits<double>::quiet_NaN();
  const double fastest = comparison.row(tolerance, problem, best_solver(comparison, tolerance, problem)).seconds;
  return row.seconds == fastest ? 1.0 : row.seconds / fastest;  // 0 / 0: both below what the clock sees
}

std::vector<ProfileCurve> performance_profile(const Comparison& comparison, int tolerance) {
  std::vector<ProfileCurve> curves(comparison.solvers.size());
  for (int s = 0; s < count(comparison.solvers); ++s) {
    ProfileCurve& curve = curves[static_cast<std::size_t>(s)];
    curve.problems = count(comparison.problems);
    for (int p = 0; p < curve.problems; ++p) {
      const double ratio = ratio_to_best(comparison, tolerance, p, s);
      if (!std::isnan(ratio)) curve.ratios.push_back(ratio);
    }
    std::sort(curve.ratios.begin(), curve.ratios.end());
  }
  return curves;
}

std::vector<Standing> standings(const Comparison& comparison, int tolerance) {
  const std::vector<ProfileCurve> curves = performance_profile(comparison, tolerance);
  std::vector<Standing> result;
  for (int s = 0; s < count(comparison.solvers); ++s) {
    Standing standing;
    for (int p = 0; p < count(comparison.problems); ++p) {
      const ComparisonRow& row = comparison.row(tolerance, p, s);
      standing.taken += row.outcome != Outcome::NotTaken;
      standing.lies += row.outcome == Outcome::Lied;
    }
    double logarithms = 0;
    for (double ratio : curves[static_cast<std::size_t>(s)].ratios) {
      standing.wins += ratio == 1;
      logarithms += std::log(ratio);
    }
    standing.reached = count(curves[static_cast<std::size_t>(s)].ratios);
    standing.mean_ratio =
        standing.reached > 0 ? std::exp(logarithms / standing.reached) : std::numeric_limits<double>::quiet_NaN();
    result.push_back(standing);
  }
  return result;
}

double quantile(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace carom
