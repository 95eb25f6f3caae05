#include "solvers/stopping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace carom {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kIterationsPerHint = 32;

// K* contains q + s(q) in every block: nothing touches.
bool solved_by_zero(const ConeProblem& problem) {
  for (int i = 0; i < problem.cones.count(); ++i) {
    const double q_n = problem.q[problem.cones.offset(i)];
    if (!kOpeningCones.contains(problem.cones[i].kind) || q_n < 0) return false;
  }
  return true;
}

}  // namespace

bool StopTest::start(const ConeProblem& problem, const StopOptions& stop, const CheckOptions& check, VectorOut r,
                     Threads threads, bool iterate_anyway) {
  if (r.size() != problem.cones.rows())
    throw InputError(Place{.file = {}, .line = 0, .column = 0, .item = "r"},
                     fmt::format("the problem has {} rows", problem.cones.rows()), fmt::format("size {}", r.size()));
  watch_ = Stopwatch();
  check_problem(problem);
  stop_ = stop;
  check_ = check;
  report_ = SolveReport();
  check_below_ = kInfinity;  // the first iteration is always looked at
  best_ = progress_ = kInfinity;
  last_check_ = 0;
  checks_without_progress_ = 0;
  if (problem.cones.count() == 0) return false;

  const Cones& cones = problem.cones;
  bool all_zero = (r.array() == 0).all();
  for (int i = 0; i < cones.count() && !all_zero; ++i) {
    auto r_i = r.segment(cones.offset(i), cones.dim(i));
    if (!r_i.allFinite()) {
      r_i.setZero();
      report_.message = "parts of the first guess were not finite and were replaced by zero";
    }
    project(cones[i], r_i.data());
  }
  if (!all_zero) all_zero = (r.array() == 0).all();
  scratch_.threads = threads;
  prepare_residuals(problem, scratch_);
  u_.resize(r.size());
  best_r_.resize(r.size());  // resize leaves room to grow; assignments do not
  if (all_zero) {
    // r = 0 needs no product with W, and as a fallback no residual: it is computed when it is the answer.
    if (problem.W.factors) scratch_.twists.assign(problem.W.factors->inverse_mass.size(), Twist{});
    best_r_.setZero();
    u_ = problem.q;
    if (!solved_by_zero(problem)) return true;
  }
  judge(problem, kInfinity, r);
  if (!(best_ <= stop_.tolerance)) return true;
  if (iterate_anyway && !all_zero) {
    best_r_ = r;
    return true;
  }
  report_.status = SolveStatus::Solved;
  return false;
}

bool StopTest::due(double change) {
  const int iteration = ++report_.iterations;
  note_limits();
  // A check costs about an iteration: hints are followed only so often that checks stay a small part of the whole.
  const int since_check = iteration - last_check_;
  const bool hinted = change <= check_below_ && since_check > iteration / kIterationsPerHint;
  const bool worth_a_check = hinted || !(change > 0) || !std::isfinite(change) || since_check >= check_.check_every;
  return worth_a_check || out_of_iterations_ || out_of_time_;
}

bool StopTest::check_now(const ConeProblem& problem, VectorOut r) {
  note_limits();
  return look(problem, kInfinity, r);
}

void StopTest::note_limits() {
  out_of_iterations_ = report_.iterations >= stop_.max_iterations;
  out_of_time_ = std::isfinite(stop_.max_seconds) && watch_.seconds() >= stop_.max_seconds;
}

bool StopTest::look(const ConeProblem& problem, double change, VectorOut r) {
  judge(problem, change, r);
  const double residual = measured(report_.residuals, stop_.measure);
  report_.status = SolveStatus::Solved;
  if (residual <= stop_.tolerance) return true;
  if (!std::isfinite(residual)) {
    remark("impulses stopped being finite; the best finite ones are returned");
    finish(problem, SolveStatus::NumericalError, r);
  } else if (out_of_iterations_) {
    finish(problem, SolveStatus::MaxIterations, r);
  } else if (out_of_time_) {
    finish(problem, SolveStatus::MaxTime, r);
  } else if (change == 0 || (check_.stall_checks > 0 && checks_without_progress_ >= check_.stall_checks)) {
    finish(problem, SolveStatus::Stalled, r);
  } else {
    return false;
  }
  return true;
}

void StopTest::give_up(const ConeProblem& problem, SolveStatus status, const std::string& why, VectorOut r) {
  judge(problem, 0, r);
  remark(why);
  finish(problem, status, r);
}

void StopTest::remark(const std::string& sentence) {
  if (!report_.message.empty() && !sentence.empty()) report_.message += "; ";
  report_.message += sentence;
}

// r becomes the best one looked at, and the report speaks of it.
void StopTest::finish(const ConeProblem& problem, SolveStatus status, VectorOut r) {
  const double last = measured(report_.residuals, stop_.measure);
  if (!std::isfinite(last) || last > best_) {
    r = best_r_;
    report_.residuals = compute_residuals(problem, r, u_, scratch_);
  }
  const bool solved = measured(report_.residuals, stop_.measure) <= stop_.tolerance;
  report_.status = solved ? SolveStatus::Solved : status;
}

void StopTest::judge(const ConeProblem& problem, double change, VectorOut r) {
  report_.residuals = compute_residuals(problem, r, u_, scratch_);
  if (check_.record_history) report_.history.push_back({report_.iterations, watch_.seconds(), report_.residuals});
  last_check_ = report_.iterations;
  const double residual = measured(report_.residuals, stop_.measure);
  if (!std::isfinite(residual)) return;

  if (residual < best_) {
    best_ = residual;
    if (residual > stop_.tolerance) best_r_ = r;
  }
  // If the residual follows the change, it meets the tolerance when the change has shrunk as much as it must.
  check_below_ = change * std::min(0.9, stop_.tolerance / residual);
  // Progress is a residual at least a thousandth below the best.
  const bool progress = residual < 0.999 * progress_;
  checks_without_progress_ = progress ? 0 : checks_without_progress_ + 1;
  if (progress) progress_ = residual;
}

SolveReport StopTest::report() {
  report_.seconds = watch_.seconds();
  return std::move(report_);
}

}  // namespace carom
