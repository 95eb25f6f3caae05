#include "engine/mass_factor.h"

#include <cmath>
#include <numeric>

#include "base/check.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void MassFactor::find_sets(const SparseMatrix& M) {
  const int n = static_cast<int>(M.rows());
  parent_.resize(at(n));
  std::iota(parent_.begin(), parent_.end(), 0);
  const auto root = [&](int i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  };
  // The smaller root wins, so that sets are numbered by their first coordinate.
  for (int column = 0; column < n; ++column) {
    for (SparseMatrix::InnerIterator entry(M, column); entry; ++entry) {
      const int a = root(static_cast<int>(entry.row())), b = root(column);
      if (a != b) parent_[at(std::max(a, b))] = std::min(a, b);
    }
  }
  set_of_.resize(at(n));
  place_.resize(at(n));
  first_.assign(1, 0);
  for (int i = 0; i < n; ++i) {
    if (root(i) == i) {
      set_of_[at(i)] = static_cast<int>(first_.size()) - 1;
      first_.push_back(0);
    } else {
      set_of_[at(i)] = set_of_[at(root(i))];
    }
    place_[at(i)] = first_[at(set_of_[at(i)]) + 1]++;
  }
  for (std::size_t s = 1; s < first_.size(); ++s) first_[s] += first_[s - 1];
  members_.resize(at(n));
  for (int i = 0; i < n; ++i) members_[at(first_[at(set_of_[at(i)])] + place_[at(i)])] = i;
}

bool MassFactor::compute(const SparseMatrix& M) {
  CAROM_CHECK(M.rows() == M.cols(), "a mass matrix is square");
  find_sets(M);
  const int count = sets();
  start_.resize(at(count));
  std::ptrdiff_t values = 0;
  int largest = 0;
  for (int s = 0; s < count; ++s) {
    start_[at(s)] = values;
    if (set_size(s) <= kDenseLimit) values += static_cast<std::ptrdiff_t>(set_size(s)) * set_size(s);
    largest = std::max(largest, set_size(s));
  }
  triangle_.assign(static_cast<std::size_t>(values), 0.0);
  sparse_.resize(at(count));
  scratch_.resize(at(largest));
  for (int s = 0; s < count; ++s)
    if (!(set_size(s) <= kDenseLimit ? factor_dense(M, s) : factor_sparse(M, s))) return false;
  return true;
}

// Cholesky, M = L L^T; the diagonal holds 1 / L_ii.
bool MassFactor::factor_dense(const SparseMatrix& M, int set) {
  const int n = set_size(set);
  double* L = triangle_.data() + start_[at(set)];
  for (int j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator entry(M, members_[at(first_[at(set)] + j)]); entry; ++entry)
      L[place_in_set(static_cast<int>(entry.row())) * n + j] = entry.value();
  }
  for (int j = 0; j < n; ++j) {
    double pivot = L[j * n + j];
    for (int k = 0; k < j; ++k) pivot -= L[j * n + k] * L[j * n + k];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    const double inverse = 1 / std::sqrt(pivot);
    L[j * n + j] = inverse;
    for (int i = j + 1; i < n; ++i) {
      double sum = L[i * n + j];
      for (int k = 0; k < j; ++k) sum -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = sum * inverse;
    }
  }
  return true;
}

bool MassFactor::factor_sparse(const SparseMatrix& M, int set) {
  const int n = set_size(set);
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator entry(M, members_[at(first_[at(set)] + j)]); entry; ++entry)
      entries.emplace_back(place_in_set(static_cast<int>(entry.row())), j, entry.value());
  SparseMatrix part(n, n);
  part.setFromTriplets(entries.begin(), entries.end());
  auto& factor = sparse_[at(set)];
  if (!factor) factor = std::make_unique<SparseFactor>();
  factor->compute(part);
  return factor->info() == Eigen::Success;
}

void MassFactor::solve_set(int set, double* x) const {
  const int n = set_size(set);
  if (n > kDenseLimit) {
    Eigen::Map<VectorXd> values(x, n);
    values = sparse_[at(set)]->solve(values).eval();
    return;
  }
  const double* L = triangle_.data() + start_[at(set)];
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= L[i * n + k] * x[k];
    x[i] *= L[i * n + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] -= L[k * n + i] * x[k];
    x[i] *= L[i * n + i];
  }
}

void MassFactor::solve(VectorOut x) const {
  for (int s = 0; s < sets(); ++s) {
    const int n = set_size(s), begin = first_[at(s)];
    for (int k = 0; k < n; ++k) scratch_[at(k)] = x[members_[at(begin + k)]];
    solve_set(s, scratch_.data());
    for (int k = 0; k < n; ++k) x[members_[at(begin + k)]] = scratch_[at(k)];
  }
}

}  // namespace carom
