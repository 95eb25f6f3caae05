#include "solvers/newton.h"

#include <cmath>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kArmijo = 1e-4;      // share of the predicted descent that a step must give
constexpr int kHalvings = 12;
constexpr int kFailedSearches = 8;    // line searches without descent before giving up

}  // namespace

SolveReport Newton::solve(const ConeProblem& problem, VectorOut r) {
  const CheckOptions every_iteration{.check_every = 1, .stall_checks = 60, .record_history = options_.record_history};
  if (!stop_.start(problem, options_.stop, every_iteration, r)) return stop_.report();
  prepare(problem);

  int failures = 0;
  bool sweep = options_.start_sweeps > 0;
  while (true) {
    if (sweep) {
      // r <- a few sweeps of nsgs(r)
      sweeps_.options().stop = options_.stop;
      sweeps_.options().stop.max_iterations = options_.start_sweeps * (1 + failures);
      sweeps_.solve(problem, r);
      sweep = false;
    } else {
      const auto& u = stop_.velocity();
      // (A + B W) dr = -F
      if (!direction(problem, r, u)) {
        stop_.give_up(problem, SolveStatus::NumericalError, "the Newton matrix is singular", r);
        break;
      }
      // r <- r + t dr with |F(r + t dr)|^2 below |F(r)|^2
      if (line_search(problem, r, u) == 0) {
        sweep = options_.start_sweeps > 0;
        if (++failures >= kFailedSearches || !sweep) {
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
  W_ = &assembled_body(problem, storage_);
  rho_.resize(at(cones.count()));
  place_.resize(at(cones.count()));
  for (int i = 0; i < cones.count(); ++i) {
    const int dim = cones.dim(i);
    const double* W_ii = W_->values.data() + W_->start[at(W_->diagonal[at(i)])];
    double trace = 0;
    for (int k = 0; k < dim; ++k) trace += W_ii[k * dim + k];
    rho_[at(i)] = trace > 0 ? dim / trace : 1.0;
  }
  for (Vector* v : {&F_, &dr_, &W_dr_, &trial_r_, &trial_u_, &right_, &left_}) v->resize(cones.rows());
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
  BlockDerivative derivative;
  int rows = 0;
  for (int i = 0; i < n; ++i) {
    const int offset = cones.offset(i);
    contact_function(cones[i], r.data() + offset, u.data() + offset, rho_[at(i)], F_.data() + offset, derivative);
    place_[at(i)] = derivative.open ? -1 : rows;
    if (!derivative.open) rows += cones.dim(i);
  }

  system_.start(rows, rows <= options_.dense_rows);
  double block[kMaxBlockDim * kMaxBlockDim];
  double F[kMaxBlockDim];
  for (int i = 0; i < n; ++i) {
    const int offset = cones.offset(i), dim = cones.dim(i), row = place_[at(i)];
    if (row < 0) {
      for (int k = 0; k < dim; ++k) dr_[offset + k] = -r[offset + k];
      continue;
    }
    contact_function(cones[i], r.data() + offset, u.data() + offset, rho_[at(i)], F, derivative);
    for (int k = 0; k < dim; ++k) right_[row + k] = -F[k];
    for (int e = W_->first[at(i)]; e < W_->first[at(i + 1)]; ++e) {
      const int j = W_->column[at(e)], columns = cones.dim(j);
      const double* W_ij = W_->values.data() + W_->start[at(e)];
      // B_i W_ij
      for (int k = 0; k < dim; ++k) {
        for (int l = 0; l < columns; ++l) {
          double sum = 0;
          if (derivative.identity) {
            sum = W_ij[k * columns + l];
          } else {
            for (int m = 0; m < dim; ++m) sum += derivative.B[k * dim + m] * W_ij[m * columns + l];
          }
          block[k * columns + l] = sum;
        }
      }
      if (place_[at(j)] >= 0) {
        system_.add(row, place_[at(j)], dim, columns, block);
        continue;
      }
      for (int k = 0; k < dim; ++k) {
        for (int l = 0; l < columns; ++l) right_[row + k] += block[k * columns + l] * r[cones.offset(j) + l];
      }
    }
    // A_i, and the regularization
    for (int k = 0; k < dim * dim; ++k) block[k] = derivative.A[k];
    for (int k = 0; k < dim; ++k) block[k * dim + k] += options_.regularization / rho_[at(i)];
    system_.add(row, row, dim, dim, block);
  }
  if (!system_.factor()) return false;
  system_.solve(right_.head(rows), left_.head(rows));
  for (int i = 0; i < n; ++i) {
    if (place_[at(i)] < 0) continue;
    for (int k = 0; k < cones.dim(i); ++k) dr_[cones.offset(i) + k] = left_[place_[at(i)] + k];
  }
  return dr_.allFinite();
}

// The step length taken, or 0.
double Newton::line_search(const ConeProblem& problem, VectorOut r, VectorIn u) {
  // u(r + t dr) = u + t W dr
  apply(*W_, problem.cones, dr_, zero_, W_dr_);
  const double before = F_.squaredNorm();
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
