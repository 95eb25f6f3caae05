// One square linear system A x = b given by blocks: dense with partial pivoting while it is small, UMFPACK's sparse LU
// (and SPQR's rank-revealing QR where that finds A singular) beyond. Both need no symmetry: De Saxce's shift and the
// W of real files have none.
#pragma once

#include <Eigen/LU>
#include <memory>
#include <optional>

#include "base/types.h"

namespace carom {

class PivotedSystem {
 public:
  PivotedSystem();
  ~PivotedSystem();
  PivotedSystem(PivotedSystem&&) noexcept;
  PivotedSystem& operator=(PivotedSystem&&) noexcept;

  // Forgets the old system. Storage is kept: systems that do not grow are filled and factored without allocation.
  void start(int size, bool dense);

  // A(row.., column..) += the block, row-major.
  void add(int row, int column, int rows, int columns, const double* block);

  // False when A is singular to working precision or not finite.
  bool factor();

  // x = A^-1 b with one step of iterative refinement.
  void solve(VectorIn b, VectorOut x);

  int size() const { return size_; }
  bool dense() const { return dense_; }

 private:
  struct Sparse;

  using DenseMap = Eigen::Map<MatrixXd>;

  int size_ = 0;
  bool dense_ = true;
  std::vector<double> matrix_;                                   // dense: A, column-major
  std::vector<double> factors_;                                  // dense: L and U in the place of A
  std::optional<Eigen::PartialPivLU<Eigen::Ref<MatrixXd>>> lu_;  // dense: of factors_
  Vector correction_;
  std::unique_ptr<Sparse> sparse_;
};

}  // namespace carom
