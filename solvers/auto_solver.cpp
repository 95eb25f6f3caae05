#include "solvers/auto_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int kLargePart = 100;  // contacts from which one factorization costs as much as many sweeps

// Costs in nanoseconds of one core, fitted to the shared problems; only their ratios matter.
double sweep_cost(double contacts, double blocks) { return 60 * contacts + 5 * blocks; }
// Of newton's usual six iterations on a small part, or of admm's one factorization on a large one
double direct_cost(double contacts, double blocks) {
  return contacts < kLargePart ? 6 * (500 * contacts + 90 * blocks) : 500 * contacts + 300 * blocks;
}

constexpr int kFirstSweeps = 10;
constexpr int kAdmmIterations = 12;
constexpr int kProximalSteps = 100;
constexpr int kMostSweeps = 2000;
constexpr double kSafety = 0.9;  // of a part's share of the tolerance, so that rounding does not spoil the sum

}  // namespace

SolveReport Auto::solve(const ConeProblem& problem, VectorOut r) {
  const CheckOptions checks{.check_every = 25, .stall_checks = 0, .record_history = options_.record_history};
  if (!stop_.start(problem, options_.stop, checks, r)) return stop_.report();
  tally_ = {};
  norm_q_ = problem.q.norm();
  if (norm_q_ == 0) norm_q_ = 1;
  components_.first.assign(1, 0);
  if (!sweep(problem, r)) {
    solve_parts(problem, r);
    if (!stop_.check_now(problem, r))
      stop_.give_up(problem, SolveStatus::Stalled, "no method reached the tolerance", r);
  }
  stop_.remark(tally_.text(components_.count()));
  SolveReport report = stop_.report();
  report.iterations =
      tally_.sweeps + tally_.admm_iterations + tally_.newton_iterations + tally_.ipm_iterations + tally_.proximal_steps;
  return report;
}

double Auto::seconds_left() const { return std::max(0.0, options_.stop.max_seconds - stop_.seconds()); }

// Sweeps while they promise to be the cheapest way. True when that ended the solve.
bool Auto::sweep(const ConeProblem& problem, VectorOut r) {
  const Cones& cones = problem.cones;
  double last = std::numeric_limits<double>::infinity();
  nsgs_.prepare(problem);
  for (int sweeps = kFirstSweeps; tally_.sweeps < kMostSweeps; sweeps *= 2) {
    const int before = stop_.iterations();
    const bool ended = nsgs_.sweep_until(stop_, problem, sweeps, r);
    tally_.sweeps += stop_.iterations() - before;
    // Sweeps that came to a halt are no end: other methods go on from their best point.
    if (ended && stop_.status() != SolveStatus::Stalled && stop_.status() != SolveStatus::NumericalError) return true;
    if (!ended && stop_.check_now(problem, r)) return true;

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
    double by_parts = 0;
    for (int c = 0; c < components_.count(); ++c) {
      const double share = components_.size(c) / static_cast<double>(cones.count());
      if (part_error(problem, c, r, stop_.velocity()) > kSafety)
        by_parts += direct_cost(components_.size(c), share * blocks);
    }
    if (std::isfinite(last) && by_sweeps > by_parts) return false;
    last = now;
  }
  return false;
}

// How far part c is from its law, relative to the share of the tolerance that it may have: errors add up in squares, so
// that is by the number of its blocks; velocity errors do not add up.
double Auto::part_error(const ConeProblem& problem, int c, VectorIn r, VectorIn u) const {
  const Cones& cones = problem.cones;
  const bool by_velocity = options_.stop.measure == Measure::Velocity;
  double squares = 0, worst = 0, map[kMaxBlockDim], diagonal[kMaxBlockDim];
  for (int b = components_.first[at(c)]; b < components_.first[at(c + 1)]; ++b) {
    const int i = components_.blocks[at(b)], offset = cones.offset(i), dim = cones.dim(i);
    double rho = 1;
    if (by_velocity) {
      diagonal_entries(problem.W, cones, i, diagonal);
      double trace = 0;
      for (int k = 0; k < dim; ++k) trace += diagonal[k];
      if (trace > 0) rho = dim / trace;
    }
    natural_map(cones[i], r.data() + offset, u.data() + offset, rho, map);
    double square = 0;
    for (int k = 0; k < dim; ++k) square += map[k] * map[k];
    squares += square;
    worst = std::max(worst, std::sqrt(square) / rho);
  }
  if (by_velocity) return worst / options_.stop.tolerance;
  const double share = components_.size(c) / static_cast<double>(cones.count());
  return std::sqrt(squares / share) / (norm_q_ * options_.stop.tolerance);
}

void Auto::solve_parts(const ConeProblem& problem, VectorOut r) {
  for (int c = 0; c < components_.count(); ++c) {
    if (part_error(problem, c, r, stop_.velocity()) <= kSafety) continue;
    extract(*W_, problem.q, problem.cones, components_, c, r, part_, r_part_);
    double tolerance = kSafety * options_.stop.tolerance;
    if (options_.stop.measure == Measure::NaturalMap) {
      const double norm_part = part_.q.norm();
      const double share = std::sqrt(components_.size(c) / static_cast<double>(problem.cones.count()));
      tolerance *= share * norm_q_ / (norm_part > 0 ? norm_part : 1.0);
    }
    solve_part(tolerance);
    insert(problem.cones, components_, c, r_part_, r);
    if (seconds_left() == 0) return;
  }
}

// A few iterations of admm where the part is large; newton; else ipm, which newton finishes; else proximal points;
// else sweeps to the end.
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
  if (part_.cones.count() >= kLargePart) {
    limit(admm_.options().stop, kAdmmIterations);
    Vector r_admm;  // not from the present r: its first trial, that all contacts stick, starts from nothing
    r_admm.assign(r_part_.size(), 0.0);
    const SolveReport report = admm_.solve(part_, r_admm);
    ++tally_.admm_parts;
    tally_.admm_iterations += report.iterations;
    if (report.solved() || report.residuals.natural_map < natural_map_residual(part_, r_part_)) r_part_ = r_admm;
    if (report.solved()) return;
  }
  if (run_newton(0, 60)) return;
  limit(ipm_.options().stop, 100);
  Vector r_ipm;
  r_ipm.assign(r_part_.size(), 0.0);
  const SolveReport by_ipm = ipm_.solve(part_, r_ipm);
  ++tally_.ipm_parts;
  tally_.ipm_iterations += by_ipm.iterations;
  if (by_ipm.solved() || by_ipm.residuals.natural_map < natural_map_residual(part_, r_part_)) r_part_ = r_ipm;
  if (by_ipm.solved()) return;
  limit(proximal_.options().stop, kProximalSteps);
  const SolveReport by_proximal = proximal_.solve(part_, r_part_);
  ++tally_.proximal_parts;
  tally_.proximal_steps += by_proximal.iterations;
  if (by_proximal.solved()) return;
  limit(nsgs_.options().stop, options_.stop.max_iterations);
  tally_.sweeps += nsgs_.solve(part_, r_part_).iterations;
}

std::string Auto::Tally::text(int parts) const {
  std::string text = fmt::format("nsgs {} sweeps", sweeps);
  if (admm_parts > 0) text += fmt::format(", admm {} iterations on {} of {} parts", admm_iterations, admm_parts, parts);
  if (newton_parts > 0)
    text += fmt::format(", newton {} iterations on {} of {} parts", newton_iterations, newton_parts, parts);
  if (ipm_parts > 0) text += fmt::format(", ipm {} iterations on {}", ipm_iterations, ipm_parts);
  if (proximal_parts > 0) text += fmt::format(", proximal {} steps on {}", proximal_steps, proximal_parts);
  return text;
}

}  // namespace carom
