#include "solvers/pivoted_system.h"

#include <Eigen/SPQRSupport>
#include <Eigen/SparseCore>
#include <Eigen/UmfPackSupport>
#include <algorithm>
#include <cmath>

namespace carom {

struct PivotedSystem::Sparse {
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::SparseMatrix<double> matrix;
  Eigen::UmfPackLU<Eigen::SparseMatrix<double>> lu;
  std::unique_ptr<Eigen::SPQR<Eigen::SparseMatrix<double>>> qr;  // where LU finds A singular
};

PivotedSystem::PivotedSystem() = default;
PivotedSystem::~PivotedSystem() = default;
PivotedSystem::PivotedSystem(PivotedSystem&&) noexcept = default;
PivotedSystem& PivotedSystem::operator=(PivotedSystem&&) noexcept = default;

void PivotedSystem::start(int size, bool dense) {
  size_ = size;
  dense_ = dense;
  correction_.resize(size);
  if (dense) {
    matrix_.assign(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.0);
    return;
  }
  if (!sparse_) sparse_ = std::make_unique<Sparse>();
  sparse_->entries.clear();
}

void PivotedSystem::add(int row, int column, int rows, int columns, const double* block) {
  if (dense_) {
    double* corner = matrix_.data() + static_cast<std::ptrdiff_t>(column) * size_ + row;
    for (int l = 0; l < columns; ++l) {
      for (int k = 0; k < rows; ++k) corner[static_cast<std::ptrdiff_t>(l) * size_ + k] += block[k * columns + l];
    }
    return;
  }
  for (int k = 0; k < rows; ++k) {
    for (int l = 0; l < columns; ++l) sparse_->entries.emplace_back(row + k, column + l, block[k * columns + l]);
  }
}

bool PivotedSystem::factor() {
  if (!dense_) {
    Sparse& s = *sparse_;
    s.matrix.resize(size_, size_);
    s.matrix.setFromTriplets(s.entries.begin(), s.entries.end());
    s.qr.reset();
    for (const double value : s.matrix.coeffs()) {
      if (!std::isfinite(value)) return false;
    }
    s.lu.umfpackControl()[UMFPACK_IRSTEP] = 0;  // refinement is done here
    s.lu.compute(s.matrix);
    if (s.lu.info() == Eigen::Success) return true;
    s.qr = std::make_unique<Eigen::SPQR<Eigen::SparseMatrix<double>>>(s.matrix);
    return s.qr->info() == Eigen::Success;
  }
  if (size_ == 0) return true;
  // P A = L U in the place of a copy
  factors_ = matrix_;
  Eigen::Ref<MatrixXd> in_place = DenseMap(factors_.data(), size_, size_);
  lu_.emplace(in_place);
  for (int k = 0; k < size_; ++k) {
    const double pivot = in_place(k, k);
    if (!(std::abs(pivot) > 0) || !std::isfinite(pivot)) return false;
  }
  return true;
}

void PivotedSystem::solve(VectorIn b, VectorOut x) {
  const auto apply_inverse = [&](auto& v) {
    if (!dense_) {
      v = sparse_->qr ? VectorXd(sparse_->qr->solve(VectorXd(v))) : VectorXd(sparse_->lu.solve(VectorXd(v)));
      return;
    }
    v = lu_->permutationP() * v;
    lu_->matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(v);
    lu_->matrixLU().triangularView<Eigen::Upper>().solveInPlace(v);
  };
  x = b;
  apply_inverse(x);
  // x += A^-1 (b - A x)
  if (dense_)
    correction_.noalias() = b - DenseMap(matrix_.data(), size_, size_) * x;
  else
    correction_.noalias() = b - sparse_->matrix * x;
  apply_inverse(correction_);
  if (correction_.allFinite()) x += correction_;
}

}  // namespace carom
