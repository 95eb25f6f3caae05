#include "solvers/anderson.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

// Backward error of the least squares, of the squared norm of each df: keeps gamma bounded where differences are
// almost parallel.
constexpr double kRegularization = 1e-12;

// Of gamma: where f hardly changes, the iteration runs away and has no point to extrapolate to.
constexpr double kLongest = 1e6;

// Solves (A + regularization) x = b in place for positive semidefinite A of size n; false where it is not.
bool solve_regularized(const MatrixXd& A, int n, MatrixXd& L, Eigen::Ref<VectorXd> x) {
  for (int j = 0; j < n; ++j) {
    double pivot = A(j, j) * (1 + kRegularization);
    for (int k = 0; k < j; ++k) pivot -= L(j, k) * L(j, k);
    if (!(pivot > 1e-2 * kRegularization * A(j, j))) return false;
    L(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < n; ++i) {
      double sum = A(i, j);
      for (int k = 0; k < j; ++k) sum -= L(i, k) * L(j, k);
      L(i, j) = sum / L(j, j);
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= L(i, k) * x[k];
    x[i] /= L(i, i);
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] -= L(k, i) * x[k];
    x[i] /= L(i, i);
  }
  return true;
}

}  // namespace

void Anderson::prepare(Eigen::Index n, int memory) {
  memory_ = static_cast<int>(std::min<Eigen::Index>(memory, n));
  clear();
  if (memory_ == 0 || (f_.size() == n && df_.cols() == memory_)) return;
  df_.resize(n, memory_);
  dg_.resize(n, memory_);
  gram_.resize(memory_, memory_);
  factor_.resize(memory_, memory_);
  f_.resize(n);
  g_.resize(n);
  gamma_.resize(memory_);
}

void Anderson::extrapolate(VectorIn f, VectorOut v) {
  if (memory_ == 0) return;
  if (points_ > 0) {
    const int k = static_cast<int>((points_ - 1) % memory_);
    df_.col(k) = f - f_;
    dg_.col(k) = v - g_;
  }
  f_ = f;
  g_ = v;
  const int n = static_cast<int>(std::min<long>(points_, memory_));
  if (points_ > 0) {
    // The Gram matrix changes in one row and column.
    const int k = static_cast<int>((points_ - 1) % memory_);
    for (int j = 0; j < n; ++j) gram_(k, j) = gram_(j, k) = df_.col(k).dot(df_.col(j));
  }
  ++points_;
  if (n == 0) return;
  for (int j = 0; j < n; ++j) gamma_[j] = df_.col(j).dot(f);
  if (!solve_regularized(gram_, n, factor_, gamma_.head(n)) || !(gamma_.head(n).cwiseAbs().maxCoeff() <= kLongest)) {
    clear();
    return;
  }
  for (int j = 0; j < n; ++j) v -= gamma_[j] * dg_.col(j);
}

}  // namespace carom
