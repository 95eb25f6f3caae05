#include "solvers/proximal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Chosen on walls, towers, arches and heaps with friction from 0 to 2 (tests/support/structured_problems.h).
constexpr double kLowering = 0.2, kRaising = 10;
constexpr double kLeastWeight = 1e-8, kMostWeight = 10;
constexpr int kEasy = 8;          // newton's iterations up to which the weight is lowered
constexpr double kInexact = 0.1;  // of the residual: what a step's own may be
constexpr int kMostFailures = 2;  // in a row, before sweeps
constexpr int kSweepsOnFailure = 20;

}  // namespace

SolveReport Proximal::solve(const ConeProblem& problem, VectorOut r) {
  const CheckOptions every_step{.check_every = 1, .stall_checks = 60, .record_history = options_.record_history};
  if (!stop_.start(problem, options_.stop, every_step, r)) return stop_.report();
  prepare(problem);
  const auto sweep = [&](int sweeps) {
    sweeps_.options().stop = options_.stop;
    sweeps_.options().stop.max_iterations = sweeps;
    sweeps_.options().stop.max_seconds = std::max(0.0, options_.stop.max_seconds - stop_.seconds());
    sweeps_.solve(problem, r);
  };
  if (options_.start_sweeps > 0) sweep(options_.start_sweeps);
  bool ended = stop_.done(problem, std::nan(""), r);
  while (!ended) {
    // r <- argument near r of the problem with W + eps D
    const bool solved = step(problem, measured(stop_.residuals(), options_.stop.measure), r);
    failures_ = solved ? 0 : failures_ + 1;
    if (failures_ > kMostFailures || (!solved && weight_ >= kMostWeight)) {
      r = trial_;
      sweep(kSweepsOnFailure);
    }
    ended = stop_.done(problem, std::nan(""), r);
  }
  stop_.remark(fmt::format("newton took {} iterations", newton_iterations_));
  return stop_.report();
}

void Proximal::prepare(const ConeProblem& problem) {
  const Cones& cones = problem.cones;
  near_.cones = cones;
  near_.W = problem.W;
  if (near_.W.factors) {
    near_.W.assembled.reset();
    near_.W.factors->compliance.resize(at(cones.rows()), 0.0);
  }
  near_.q.resize(cones.rows());
  mobility_.resize(cones.rows());
  for (int i = 0; i < cones.count(); ++i) {
    const int dim = cones.dim(i);
    double entries[kMaxBlockDim], trace = 0;
    diagonal_entries(problem.W, cones, i, entries);
    for (int k = 0; k < dim; ++k) trace += entries[k];
    mobility_.segment(cones.offset(i), dim).setConstant(trace / dim);
  }
  trial_.resize(cones.rows());
  weight_ = options_.weight;
  failures_ = newton_iterations_ = 0;
}

// One proximal step. False, with r as it was, when newton did not solve it.
bool Proximal::step(const ConeProblem& problem, double residual, VectorOut r) {
  const Cones& cones = problem.cones;
  // W + eps D,  q - eps D r
  if (near_.W.factors) {
    for (int k = 0; k < cones.rows(); ++k) {
      const double own = problem.W.factors->compliance.empty() ? 0.0 : problem.W.factors->compliance[at(k)];
      near_.W.factors->compliance[at(k)] = own + weight_ * mobility_[k];
    }
  } else {
    BlockSparse& W = *near_.W.assembled;
    for (int i = 0; i < cones.count(); ++i) {
      const std::ptrdiff_t start = W.start[at(W.diagonal[at(i)])];
      const int dim = cones.dim(i);
      for (int k = 0; k < dim; ++k) {
        const auto entry = static_cast<std::size_t>(start + k * dim + k);
        W.values[entry] = problem.W.assembled->values[entry] + weight_ * mobility_[cones.offset(i) + k];
      }
    }
  }
  near_.q = problem.q - weight_ * mobility_.cwiseProduct(r);

  StopOptions& stop = newton_.options().stop;
  stop = options_.stop;
  stop.tolerance = std::max(0.3 * options_.stop.tolerance, kInexact * residual);
  if (stop.measure == Measure::NaturalMap && near_.q.norm() > 0)
    stop.tolerance *= (problem.q.norm() > 0 ? problem.q.norm() : 1.0) / near_.q.norm();
  stop.max_iterations = options_.newton_iterations;
  stop.max_seconds = std::max(0.0, options_.stop.max_seconds - stop_.seconds());
  newton_.options().start_sweeps = 0;
  trial_ = r;
  const SolveReport report = newton_.solve(near_, trial_);
  newton_iterations_ += report.iterations;
  if (!report.solved()) {
    weight_ = std::min(kMostWeight, kRaising * weight_);
    return false;
  }
  if (report.iterations <= kEasy) weight_ = std::max(kLeastWeight, kLowering * weight_);
  r = trial_;
  return true;
}

}  // namespace carom
