#include "solvers/auto_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Costs in nanoseconds of one core, fitted to the shared problems; only their ratios matter.
double sweep_cost(double contacts, double blocks) { return 60 * contacts + 5 * blocks; }
double newton_cost(double contacts, double blocks) { return 5 * (1000 * contacts + 100 * blocks); }

constexpr int kFirstSweeps = 10;
constexpr int kMostSweeps = 2000;

}  // namespace

SolveReport Auto::solve(const ConeProblem& problem, VectorOut r) {
  const CheckOptions every_stage{.check_every = 1, .stall_checks = 0, .record_history = options_.record_history};
  if (!stop_.start(problem, options_.stop, every_stage, r)) return stop_.report();
  tally_ = {};
  components_.first.assign(1, 0);
  if (!sweep(problem, r)) {
    solve_parts(problem, r);
    if (!stop_.done(problem, std::nan(""), r))
      stop_.give_up(problem, SolveStatus::Stalled, "no method reached the tolerance", r);
  }
  stop_.remark(tally_.text(components_.count()));
  SolveReport report = stop_.report();
  report.iterations = tally_.sweeps + tally_.newton_iterations + tally_.ipm_iterations;
  return report;
}

double Auto::seconds_left() const { return std::max(0.0, options_.stop.max_seconds - stop_.seconds()); }

// Sweeps while they promise to be the cheapest way. True when that ended the solve.
bool Auto::sweep(const ConeProblem& problem, VectorOut r) {
  const Cones& cones = problem.cones;
  double last = std::numeric_limits<double>::infinity();
  for (int batch = kFirstSweeps; tally_.sweeps < kMostSweeps; batch *= 2) {
    nsgs_.options().stop = options_.stop;
    nsgs_.options().stop.max_iterations = batch;
    nsgs_.options().stop.max_seconds = seconds_left();
    const int sweeps = nsgs_.solve(problem, r).iterations;
    tally_.sweeps += sweeps;
    if (stop_.done(problem, std::nan(""), r)) return true;

    if (components_.count() == 0) {
      W_ = &assembled_body(problem, storage_);
      finder_.find(*W_, components_);
    }
    // What is left for sweeps at their present rate, and for newton on the parts that are not solved
    const double now = measured(stop_.residuals(), options_.stop.measure);
    const double rate = std::log(last / now) / sweeps;
    const double left = rate > 0 ? std::log(now / options_.stop.tolerance) / rate : 1e9;
    const double blocks = static_cast<double>(W_->column.size());
    const double by_sweeps = left * sweep_cost(cones.count(), blocks);
    double by_newton = 0;
    for (int c = 0; c < components_.count(); ++c) {
      const double share = components_.size(c) / static_cast<double>(cones.count());
      if (part_error(problem, c, r, stop_.velocity()) > share * options_.stop.tolerance)
        by_newton += newton_cost(components_.size(c), share * blocks);
    }
    if (std::isfinite(last) && by_sweeps > by_newton) return false;
    last = now;
  }
  return false;
}

// How far part c is from its law, in the measure of the tolerance.
double Auto::part_error(const ConeProblem& problem, int c, VectorIn r, VectorIn u) const {
  const Cones& cones = problem.cones;
  double squares = 0, map[kMaxBlockDim];
  for (int b = components_.first[at(c)]; b < components_.first[at(c + 1)]; ++b) {
    const int i = components_.blocks[at(b)], offset = cones.offset(i);
    natural_map(cones[i], r.data() + offset, u.data() + offset, 1.0, map);
    for (int k = 0; k < cones.dim(i); ++k) squares += map[k] * map[k];
  }
  const double norm_q = problem.q.norm();
  return std::sqrt(squares) / (norm_q > 0 ? norm_q : 1.0);
}

void Auto::solve_parts(const ConeProblem& problem, VectorOut r) {
  const double norm_q = problem.q.norm();
  for (int c = 0; c < components_.count(); ++c) {
    // Errors add up in squares: each part may have its share of the tolerance by its number of blocks.
    const double share = std::sqrt(components_.size(c) / static_cast<double>(problem.cones.count()));
    if (part_error(problem, c, r, stop_.velocity()) <= 0.9 * share * options_.stop.tolerance) continue;
    extract(*W_, problem.q, problem.cones, components_, c, r, part_, r_part_);
    double tolerance = options_.stop.tolerance;
    if (options_.stop.measure == Measure::NaturalMap) {
      const double norm_part = part_.q.norm();
      tolerance *= 0.9 * share * (norm_q > 0 ? norm_q : 1.0) / (norm_part > 0 ? norm_part : 1.0);
    }
    solve_part(tolerance);
    insert(problem.cones, components_, c, r_part_, r);
    if (seconds_left() == 0) return;
  }
}

// newton; else ipm and newton from its last point; else sweeps to the end
void Auto::solve_part(double tolerance) {
  const auto limit = [&](StopOptions& stop, int iterations) {
    stop = options_.stop;
    stop.tolerance = tolerance;
    stop.max_iterations = iterations;
    stop.max_seconds = seconds_left();
  };
  const auto run_newton = [&](int start_sweeps, int iterations) {
    limit(newton_.options().stop, iterations);
    newton_.options().start_sweeps = start_sweeps;
    const SolveReport report = newton_.solve(part_, r_part_);
    ++tally_.newton_parts;
    tally_.newton_iterations += report.iterations;
    return report.solved();
  };
  if (run_newton(0, 60)) return;
  limit(ipm_.options().stop, 100);
  Vector r_ipm;
  r_ipm.assign(r_part_.size(), 0.0);
  const SolveReport by_ipm = ipm_.solve(part_, r_ipm);
  ++tally_.ipm_parts;
  tally_.ipm_iterations += by_ipm.iterations;
  if (by_ipm.solved() || by_ipm.residuals.natural_map < natural_map_residual(part_, r_part_)) r_part_ = r_ipm;
  if (by_ipm.solved() || run_newton(0, 60) || run_newton(100, 200)) return;
  limit(nsgs_.options().stop, options_.stop.max_iterations);
  tally_.sweeps += nsgs_.solve(part_, r_part_).iterations;
}

std::string Auto::Tally::text(int parts) const {
  std::string text = fmt::format("nsgs {} sweeps", sweeps);
  if (newton_parts > 0)
    text += fmt::format(", newton {} iterations on {} of {} parts", newton_iterations, newton_parts, parts);
  if (ipm_parts > 0) text += fmt::format(", ipm {} iterations on {}", ipm_iterations, ipm_parts);
  return text;
}

}  // namespace carom
