#include "solvers/newton.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kArmijo = 1e-4;  // share of the predicted descent that a step must give
constexpr double kMostGrowth =
    100;  // of |F|^2 in one step, where its last values were larger: more undoes fast convergence
constexpr int kHalvings = 12;
constexpr double kLeastRegularization = 1e-9, kMostRegularization = 1e-3;
constexpr int kRestartSweeps = 20;  // of nsgs after a line search without descent, more after each
constexpr int kFailedSearches = 8;  // line searches without descent before giving up

}  // namespace

SolveReport Newton::solve(const ConeProblem& problem, VectorOut r) {
  const CheckOptions every_iteration{.check_every = 1, .stall_checks = 60, .record_history = options_.record_history};
  if (!stop_.start(problem, options_.stop, every_iteration, r)) return stop_.report();
  prepare(problem);

  int failures = 0;
  regularization_ = options_.regularization;
  bool sweep = options_.start_sweeps > 0;
  while (true) {
    if (sweep) {
      // r <- a few sweeps of nsgs(r)
      sweeps_.options().stop = options_.stop;
      sweeps_.options().stop.max_iterations = failures == 0 ? options_.start_sweeps : kRestartSweeps * failures;
      sweeps_.solve(problem, r);
      sweep = false;
      searches_ = 0;
    } else {
      const auto& u = stop_.velocity();
      // (A + B W) dr = -F
      if (!direction(problem, r, u)) {
        stop_.give_up(problem, SolveStatus::NumericalError, "the Newton matrix is singular", r);
        break;
      }
      // r <- r + t dr with |F(r + t dr)|^2 below its last values; whole steps need less regularization, failed ones
      // more
      const double t = line_search(problem, r, u);
      if (t == 1) regularization_ = std::max(0.1 * regularization_, kLeastRegularization);
      if (t < 0.1) regularization_ = std::min(100 * regularization_, kMostRegularization);
      if (t == 0) {
        sweep = true;
        if (++failures >= kFailedSearches) {
          stop_.give_up(problem, SolveStatus::Stalled, "no descent along the Newton direction", r);
          break;
        }
      }
    }
    if (stop_.done(problem, std::nan(""), r)) break;
  }
  return stop_.report();
}

void Newton::prepare(const ConeProblem& problem) {
  const Cones& cones = problem.cones;
  rho_.resize(at(cones.count()));
  active_.resize(at(cones.count()));
  derivatives_.resize(at(cones.count()));
  system_.prepare(problem);
  for (int i = 0; i < cones.count(); ++i) {
    const int dim = cones.dim(i);
    double entries[kMaxBlockDim], trace = 0;
    diagonal_entries(problem.W, cones, i, entries);
    for (int k = 0; k < dim; ++k) trace += entries[k];
    rho_[at(i)] = trace > 0 ? dim / trace : 1.0;
  }
  merits_.resize(at(options_.memory));
  searches_ = 0;
  for (Vector* v : {&F_, &dr_, &W_dr_, &trial_r_, &trial_u_, &right_, &open_}) v->resize(cones.rows());
  zero_.assign(cones.rows(), 0.0);
}

// |F|^2
double Newton::evaluate(const ConeProblem& problem, VectorIn r, VectorIn u) {
  double squares = 0;
  double F[kMaxBlockDim];
  for (int i = 0; i < problem.cones.count(); ++i) {
    const int offset = problem.cones.offset(i);
    contact_function(problem.cones[i], r.data() + offset, u.data() + offset, rho_[at(i)], F);
    for (int k = 0; k < problem.cones.dim(i); ++k) squares += F[k] * F[k];
  }
  return squares;
}

// dr with (A + B W) dr = -F, over the blocks that are not open; dr = -r on those that are.
bool Newton::direction(const ConeProblem& problem, VectorIn r, VectorIn u) {
  const Cones& cones = problem.cones;
  const int n = cones.count();
  for (int i = 0; i < n; ++i) {
    const int offset = cones.offset(i);
    contact_function(cones[i], r.data() + offset, u.data() + offset, rho_[at(i)], F_.data() + offset,
                     derivatives_[at(i)]);
    active_[at(i)] = !derivatives_[at(i)].open;
  }

  // what open blocks contribute: dr = -r there, right = -F - B W dr
  bool pulls = false;
  for (int i = 0; i < n; ++i) {
    for (int k = cones.offset(i); k < cones.offset(i) + cones.dim(i); ++k) {
      open_[k] = active_[at(i)] ? 0.0 : -r[k];
      pulls |= open_[k] != 0;
    }
  }
  if (pulls)
    apply(problem.W, cones, open_, zero_, W_dr_, twists_);
  else
    W_dr_.setZero();
  system_.start(active_);
  double own[kMaxBlockDim * kMaxBlockDim];
  for (int i = 0; i < n; ++i) {
    if (!active_[at(i)]) continue;
    const BlockDerivative& derivative = derivatives_[at(i)];
    const int dim = cones.dim(i), offset = cones.offset(i);
    for (int k = 0; k < dim; ++k) {
      right_[offset + k] = -F_[offset + k];
      for (int l = 0; l < dim; ++l) right_[offset + k] -= derivative.B[k * dim + l] * W_dr_[offset + l];
    }
    // A, and the regularization
    std::copy(derivative.A, derivative.A + dim * dim, own);
    for (int k = 0; k < dim; ++k) own[k * dim + k] += regularization_ / rho_[at(i)];
    system_.set(i, derivative.identity ? nullptr : derivative.B, nullptr, own);
  }
  if (!system_.factor()) return false;
  system_.solve(right_, dr_);
  for (int i = 0; i < n; ++i) {
    for (int k = cones.offset(i); !active_[at(i)] && k < cones.offset(i) + cones.dim(i); ++k) dr_[k] = open_[k];
  }
  return dr_.allFinite();
}

// The step length taken, or 0.
double Newton::line_search(const ConeProblem& problem, VectorOut r, VectorIn u) {
  // u(r + t dr) = u + t W dr
  apply(problem.W, problem.cones, dr_, zero_, W_dr_, twists_);
  merits_[searches_++ % merits_.size()] = F_.squaredNorm();
  const auto known = static_cast<std::ptrdiff_t>(std::min(searches_, merits_.size()));
  const double largest = *std::max_element(merits_.begin(), merits_.begin() + known);
  const double before = std::min(largest, kMostGrowth * F_.squaredNorm());
  double t = 1;
  for (int halving = 0; halving <= kHalvings; ++halving, t *= 0.5) {
    trial_r_ = r + t * dr_;
    trial_u_ = u + t * W_dr_;
    if (evaluate(problem, trial_r_, trial_u_) > (1 - kArmijo * t) * before) continue;
    r = trial_r_;
    return t;
  }
  return 0;
}

}  // namespace carom
