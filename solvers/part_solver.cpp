#include "solvers/part_solver.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

constexpr int kExactIterations = 40;
constexpr int kAdmmIterations = 12;
constexpr int kNewtonIterations = 30;
constexpr int kIpmIterations = 200;
constexpr int kProximalSteps = 100;

}  // namespace

void Tally::add(std::string_view solver, int iterations, int parts) {
  for (Stage& stage : stages_) {
    if (!stage.solver.empty() && stage.solver != solver) continue;
    stage.solver = solver;
    stage.iterations += iterations;
    stage.parts += parts;
    return;
  }
}

void Tally::add(const Tally& other) {
  for (const Stage& stage : other.stages_) {
    if (!stage.solver.empty()) add(stage.solver, stage.iterations, stage.parts);
  }
}

int Tally::iterations() const {
  int sum = 0;
  for (const Stage& stage : stages_) sum += stage.iterations;
  return sum;
}

double PartSolver::seconds_left() const {
  return std::isfinite(stop_.max_seconds) ? std::max(0.0, stop_.max_seconds - watch_.seconds()) : stop_.max_seconds;
}

// From the present r; solvers never return a worse one.
template <class S>
bool PartSolver::run(S& solver, const ConeProblem& part, int iterations, VectorOut r, Tally& tally) {
  solver.options().stop = stop_;
  solver.options().stop.max_iterations = iterations;
  solver.options().stop.max_seconds = seconds_left();
  const SolveReport report = solver.solve(part, r);
  residual_ = measured(report.residuals, stop_.measure);
  tally.add(S::kName, report.iterations, 1);
  return report.solved();
}

// From zero; r becomes the answer where that is better.
template <class S>
bool PartSolver::run_from_zero(S& solver, const ConeProblem& part, int iterations, VectorOut r, Tally& tally) {
  const double before = residual_;
  trial_.assign(r.size(), 0.0);
  const bool solved = run(solver, part, iterations, trial_, tally);
  if (solved || residual_ < before)
    r = trial_;
  else
    residual_ = before;
  return solved;
}

bool PartSolver::solve(const ConeProblem& part, const StopOptions& stop, VectorOut r, Tally& tally) {
  watch_ = Stopwatch();
  stop_ = stop;
  residual_ = std::numeric_limits<double>::infinity();  // until someone has looked at r
  if (part.cones.count() <= SmallExact::kMostBlocks) {
    exact_.options().start_sweeps = 0;
    if (run(exact_, part, kExactIterations, r, tally)) return true;
  }
  newton_.options().start_sweeps = 0;
  if (part.cones.count() >= kLargePart) {
    prepare_residuals(part, scratch_);
    trial_.resize(r.size());
    residual_ = measured(compute_residuals(part, r, trial_, scratch_), stop_.measure);
    if (run_from_zero(admm_, part, kAdmmIterations, r, tally)) return true;
  }
  if (run(newton_, part, kNewtonIterations, r, tally)) return true;
  return takes_all(Ipm::kTakes, part.cones) && run_from_zero(ipm_, part, kIpmIterations, r, tally);
}

bool PartSolver::insist(const ConeProblem& part, const StopOptions& stop, VectorOut r, Tally& tally) {
  watch_ = Stopwatch();
  stop_ = stop;
  newton_.options().start_sweeps = 0;
  return run(proximal_, part, kProximalSteps, r, tally) || run(newton_, part, kNewtonIterations, r, tally) ||
         run(nsgs_, part, stop_.max_iterations, r, tally) || run(newton_, part, kNewtonIterations, r, tally);
}

}  // namespace carom
