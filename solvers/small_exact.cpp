#include "solvers/small_exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace carom {

namespace {

constexpr double kRegularization = 1e-9;  // of W's diagonal: redundant contacts make the system singular
constexpr int kRestarts = 4;
constexpr int kSweepsOnRestart = 20;  // times the number of the restart, where none were asked for at first

}  // namespace

SolveReport SmallExact::solve(const ConeProblem& problem, VectorOut r) {
  if (problem.cones.count() > kMostBlocks)
    throw InputError(Place{.file = {}, .line = 0, .column = 0, .item = "contacts"},
                     fmt::format("solver exact takes problems of up to {} blocks", kMostBlocks),
                     fmt::format("{}", problem.cones.count()));
  constexpr CheckOptions kEveryIteration{.check_every = 1, .stall_checks = 0, .record_history = false};
  if (!stop_.start(problem, options_.stop, kEveryIteration, r)) return stop_.report();
  prepare(problem);
  for (int restart = 0; restart < kRestarts; ++restart) {
    // guess the states
    const int sweeps = options_.start_sweeps > 0 ? options_.start_sweeps << (2 * restart) : kSweepsOnRestart * restart;
    if (sweeps > 0) {
      sweeps_.options().stop = options_.stop;
      sweeps_.options().stop.max_iterations = sweeps;
      sweeps_.solve(problem, r);
      if (stop_.done(problem, std::nan(""), r)) return stop_.report();
    }
    // solve their equations
    while (newton_step(problem, r)) {
      if (stop_.done(problem, std::nan(""), r)) return stop_.report();
    }
  }
  stop_.give_up(problem, SolveStatus::Stalled, "the contacts' states did not settle", r);
  return stop_.report();
}

void SmallExact::prepare(const ConeProblem& problem) {
  const Cones& cones = problem.cones;
  const BlockSparse& W = assembled_body(problem, storage_);
  const int rows = cones.rows();
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  W_.assign(at(rows * rows), 0.0);
  for (int i = 0; i < cones.count(); ++i) {
    for (int e = W.first[at(i)]; e < W.first[at(i + 1)]; ++e) {
      const int j = W.column[at(e)];
      const double* block = W.values.data() + W.start[at(e)];
      for (int k = 0; k < cones.dim(i); ++k) {
        for (int l = 0; l < cones.dim(j); ++l) W_[at((cones.offset(i) + k) * rows + cones.offset(j) + l)] = *block++;
      }
    }
  }
  for (int i = 0; i < cones.count(); ++i) {
    double trace = 0;
    for (int k = cones.offset(i); k < cones.offset(i) + cones.dim(i); ++k) trace += W_[at(k * rows + k)];
    rho_[i] = trace > 0 ? cones.dim(i) / trace : 1.0;
  }
}

// |F|^2
double SmallExact::evaluate(const ConeProblem& problem, const double* r, const double* u) const {
  double squares = 0, F[kMaxBlockDim];
  for (int i = 0; i < problem.cones.count(); ++i) {
    const int offset = problem.cones.offset(i);
    contact_function(problem.cones[i], r + offset, u + offset, rho_[i], F);
    for (int k = 0; k < problem.cones.dim(i); ++k) squares += F[k] * F[k];
  }
  return squares;
}

// r <- r + t dr with (A + B W) dr = -F; false when no t brings |F| down.
bool SmallExact::newton_step(const ConeProblem& problem, VectorOut r) {
  const Cones& cones = problem.cones;
  const double* u = stop_.velocity().data();
  const double* W = W_.data();
  const int rows = cones.rows();
  int n = 0;
  double before = 0;
  for (int i = 0; i < cones.count(); ++i) {
    const int offset = cones.offset(i);
    contact_function(cones[i], r.data() + offset, u + offset, rho_[i], F_ + offset, derivative_[i]);
    for (int k = offset; k < offset + cones.dim(i); ++k) {
      before += F_[k] * F_[k];
      dr_[k] = -r[k];
      if (!derivative_[i].open) row_[n++] = k;
    }
  }
  // rows of A + B W with right-hand side -F + B W r on open blocks
  int row = 0;
  for (int i = 0; i < cones.count(); ++i) {
    if (derivative_[i].open) continue;
    const int offset = cones.offset(i), dim = cones.dim(i);
    for (int k = 0; k < dim; ++k, ++row) {
      double* entries = matrix_ + row * (n + 1);
      int column = 0;
      double right = -F_[offset + k];
      for (int c = 0; c < rows; ++c) {
        double B_W = 0;
        for (int m = 0; m < dim; ++m) B_W += derivative_[i].B[k * dim + m] * W[(offset + m) * rows + c];
        if (column < n && row_[column] == c)
          entries[column++] = B_W;
        else
          right += B_W * r[c];
      }
      entries[n] = right;
      for (int l = 0; l < dim; ++l) entries[row - k + l] += derivative_[i].A[k * dim + l];
      entries[row] += kRegularization / rho_[i];
    }
  }
  if (!solve_linear(n)) return false;
  for (int k = 0; k < n; ++k) dr_[row_[k]] = matrix_[k * (n + 1) + n];

  for (int k = 0; k < rows; ++k) {
    W_dr_[k] = 0;
    for (int l = 0; l < rows; ++l) W_dr_[k] += W[k * rows + l] * dr_[l];
  }
  for (double t = 1; t > 0.01; t *= 0.5) {
    for (int k = 0; k < rows; ++k) {
      trial_r_[k] = r[k] + t * dr_[k];
      trial_u_[k] = u[k] + t * W_dr_[k];
    }
    if (!(evaluate(problem, trial_r_, trial_u_) < (1 - 1e-4 * t) * before)) continue;
    r = Eigen::Map<VectorXd>(trial_r_, rows);
    return true;
  }
  return false;
}

// Gauss elimination with row pivoting on the rows of matrix_; the solution replaces the right-hand sides.
bool SmallExact::solve_linear(int n) {
  const int stride = n + 1;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(matrix_[i * stride + k]) > std::abs(matrix_[pivot * stride + k])) pivot = i;
    }
    double* top = matrix_ + k * stride;
    if (pivot != k) std::swap_ranges(top + k, top + stride, matrix_ + pivot * stride + k);
    if (!(std::abs(top[k]) > 0) || !std::isfinite(top[k])) return false;
    const double reciprocal = 1 / top[k];
    for (int i = k + 1; i < n; ++i) {
      double* row = matrix_ + i * stride;
      const double factor = row[k] * reciprocal;
      if (factor == 0) continue;
      for (int j = k + 1; j < stride; ++j) row[j] -= factor * top[j];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    double* row = matrix_ + k * stride;
    for (int j = k + 1; j < n; ++j) row[n] -= row[j] * matrix_[j * stride + n];
    row[n] /= row[k];
    if (!std::isfinite(row[n])) return false;
  }
  return true;
}

}  // namespace carom
