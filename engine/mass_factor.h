// M^-1 of a system in generalized coordinates. Coordinates that M couples form sets; each set is factored on its own,
// so that a chain of n balls costs O(n) and M^-1 H^T stays as sparse as it is. Sets up to kDenseLimit coordinates are
// factored densely in one flat array (no allocation once sizes have settled), larger ones sparsely.
#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <memory>

#include "base/types.h"

namespace carom {

using SparseMatrix = Eigen::SparseMatrix<double>;

class MassFactor {
 public:
  static constexpr int kDenseLimit = 64;

  // False when M is not positive definite or not finite; then nothing may be solved.
  [[nodiscard]] bool compute(const SparseMatrix& M);

  int size() const { return static_cast<int>(set_of_.size()); }
  int sets() const { return static_cast<int>(first_.size()) - 1; }
  int set_of(int coordinate) const { return set_of_[static_cast<std::size_t>(coordinate)]; }
  int place_in_set(int coordinate) const { return place_[static_cast<std::size_t>(coordinate)]; }
  int set_size(int set) const {
    return first_[static_cast<std::size_t>(set) + 1] - first_[static_cast<std::size_t>(set)];
  }

  // x <- M^-1 x over one set, entries by place_in_set; and over all coordinates.
  void solve_set(int set, double* x) const;
  void solve(VectorOut x) const;

 private:
  using SparseFactor = Eigen::SimplicialLLT<SparseMatrix>;

  void find_sets(const SparseMatrix& M);
  bool factor_dense(const SparseMatrix& M, int set);
  bool factor_sparse(const SparseMatrix& M, int set);

  std::vector<int> set_of_, place_;    // per coordinate: its set, and where in it
  std::vector<int> first_ = {0};       // per set, and the end: where its members start
  std::vector<int> members_;           // coordinates, increasing within a set
  std::vector<int> parent_;            // scratch of find_sets
  std::vector<std::ptrdiff_t> start_;  // per set: where its lower triangle (row-major, full square) starts
  std::vector<double> triangle_;
  std::vector<std::unique_ptr<SparseFactor>> sparse_;  // per set: empty where dense
  mutable std::vector<double> scratch_;                // solve: one set
};

}  // namespace carom
