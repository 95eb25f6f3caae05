#include "solvers/stopping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace carom {

bool StopTest::start(const ConeProblem& problem, const StopOptions& stop, const CheckOptions& check, VectorOut r) {
  if (r.size() != problem.cones.rows())
    throw InputError(Place{.file = {}, .line = 0, .column = 0, .item = "r"},
                     fmt::format("the problem has {} rows", problem.cones.rows()), fmt::format("size {}", r.size()));
  stop_ = stop;
  check_ = check;
  watch_ = Stopwatch();
  report_ = SolveReport();
  check_below_ = std::numeric_limits<double>::infinity();  // the first iteration is always looked at
  best_ = std::numeric_limits<double>::infinity();
  last_check_ = 0;
  checks_without_progress_ = 0;

  const Cones& cones = problem.cones;
  for (int i = 0; i < cones.count(); ++i) {
    auto r_i = r.segment(cones.offset(i), cones.dim(i));
    if (!r_i.allFinite()) {
      r_i.setZero();
      report_.message = "parts of the first guess were not finite and were replaced by zero";
    }
    project(cones[i], r_i.data());
  }
  prepare_residuals(problem, scratch_);
  u_.resize(r.size());
  last_finite_ = r;
  if (problem.W.factors) accumulate_twists(*problem.W.factors, cones, r, scratch_.twists);
  return cones.count() > 0;
}

bool StopTest::done(const ConeProblem& problem, double change, VectorOut r) {
  const int iteration = ++report_.iterations;
  const bool out_of_iterations = iteration >= stop_.max_iterations;
  const bool out_of_time = std::isfinite(stop_.max_seconds) && watch_.seconds() >= stop_.max_seconds;
  // Negated, so that a change that is not a number is looked at.
  const bool worth_a_check = !(change > check_below_) || iteration - last_check_ >= check_.check_every;
  if (!worth_a_check && !out_of_iterations && !out_of_time) return false;

  check(problem, change, r);
  const double residual = measured(report_.residuals, stop_.measure);
  if (!std::isfinite(residual)) {
    r = last_finite_;
    report_.residuals = compute_residuals(problem, r, u_, scratch_);
    report_.status = SolveStatus::NumericalError;
    report_.message = "impulses stopped being finite; those of the last finite check are returned";
    return true;
  }
  report_.status = SolveStatus::Solved;
  if (residual <= stop_.tolerance) return true;
  report_.status = SolveStatus::MaxIterations;
  if (out_of_iterations) return true;
  report_.status = SolveStatus::MaxTime;
  if (out_of_time) return true;
  report_.status = SolveStatus::Stalled;
  if (change == 0) return true;
  return check_.stall_checks > 0 && checks_without_progress_ >= check_.stall_checks;
}

void StopTest::check(const ConeProblem& problem, double change, VectorOut r) {
  report_.residuals = compute_residuals(problem, r, u_, scratch_);
  if (check_.record_history) report_.history.push_back({report_.iterations, watch_.seconds(), report_.residuals});
  last_check_ = report_.iterations;
  const double residual = measured(report_.residuals, stop_.measure);
  if (!std::isfinite(residual)) return;

  last_finite_ = r;
  // If the residual follows the change, it meets the tolerance when the change has shrunk as much as it must.
  check_below_ = change * std::min(0.9, stop_.tolerance / residual);
  // Progress is a residual at least a thousandth below the best.
  const bool progress = residual < 0.999 * best_;
  checks_without_progress_ = progress ? 0 : checks_without_progress_ + 1;
  if (progress) best_ = residual;
}

SolveReport StopTest::report() {
  report_.seconds = watch_.seconds();
  return std::move(report_);
}

}  // namespace carom
