#include "solvers/lcp_pgs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int kCheckEvery = 10;   // sweeps between residuals
constexpr int kStallChecks = 50;  // without a residual a thousandth smaller

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// The step of each row, omega / M_ii or its stand-in; 0 where a row depends on nothing.
VectorXd row_steps(const Lcp& lcp, double omega) {
  const int n = static_cast<int>(lcp.q.size());
  const VectorXd diagonal = lcp.M.diagonal();
  VectorXd schur = VectorXd::Zero(n);
  const RowMatrix rows = lcp.M;
  for (int i = 0; i < n; ++i) {
    if (diagonal[i] > 0) continue;
    // Both run over j in order: row i of M and column i of M.
    RowMatrix::InnerIterator row(rows, i);
    Eigen::SparseMatrix<double>::InnerIterator column(lcp.M, i);
    while (row && column) {
      const auto j = row.col(), k = column.row();
      if (j == k && diagonal[j] > 0) schur[i] -= row.value() * column.value() / diagonal[j];
      if (j <= k) ++row;
      if (k <= j) ++column;
    }
  }
  VectorXd step(n);
  for (int i = 0; i < n; ++i) {
    const double d = diagonal[i] > 0 ? diagonal[i] : schur[i];
    step[i] = d > 0 ? omega / d : 0.0;
  }
  return step;
}

}  // namespace

LcpReport solve_lcp_pgs(const Lcp& lcp, const std::vector<bool>& free, VectorXd& z, const LcpPgsOptions& options) {
  check_lcp(lcp, free);
  const Stopwatch watch;
  const int n = static_cast<int>(lcp.q.size());
  const RowMatrix M = lcp.M;
  const VectorXd step = row_steps(lcp, options.relaxation);
  if (z.size() != n || !z.allFinite()) z = VectorXd::Zero(n);
  VectorXd best = z;
  LcpReport report;
  report.residual = lcp_residual(lcp, free, z);
  double progress = report.residual;
  int stalled = 0;
  report.status = SolveStatus::MaxIterations;
  while (report.residual > options.tolerance && report.sweeps < options.max_sweeps) {
    for (int i = 0; i < n; ++i) {
      double w = lcp.q[i];
      for (RowMatrix::InnerIterator e(M, i); e; ++e) w += e.value() * z[e.col()];
      z[i] -= step[i] * w;
      if (free.empty() || !free[at(i)]) z[i] = std::max(z[i], 0.0);
    }
    ++report.sweeps;
    const bool late = watch.seconds() >= options.max_seconds;
    if (report.sweeps % kCheckEvery != 0 && report.sweeps < options.max_sweeps && !late) continue;

    const double residual = lcp_residual(lcp, free, z);
    if (residual < report.residual) report.residual = residual, best = z;
    stalled = report.residual < 0.999 * progress ? 0 : stalled + 1;
    progress = std::min(progress, report.residual);
    if (late || stalled >= kStallChecks || !std::isfinite(residual)) {
      report.status = late ? SolveStatus::MaxTime : SolveStatus::Stalled;
      break;
    }
  }
  z = best;
  if (report.residual <= options.tolerance)
    report.status = SolveStatus::Solved;
  else
    report.message = fmt::format("the LCP's residual is {:.2e} after {} sweeps", report.residual, report.sweeps);
  report.seconds = watch.seconds();
  return report;
}

}  // namespace carom
