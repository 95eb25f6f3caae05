#include "benchmarks/peers/siconos_problem.h"

#include <NumericsSparseMatrix.h>
#include <SparseBlockMatrix.h>

#include <algorithm>
#include <cstdlib>

namespace carom::peers {

namespace {

// Siconos frees what it owns with free().
template <class T>
T* allocate(std::size_t count) {
  return static_cast<T*>(std::malloc(std::max<std::size_t>(1, count) * sizeof(T)));
}

template <class T>
std::size_t index(T i) {
  return static_cast<std::size_t>(i);
}

NumericsMatrix* block_matrix(const BlockSparse& W, const Cones& cones) {
  const auto n = index(cones.count());
  SparseBlockStructuredMatrix* blocks = SBM_new();
  blocks->nbblocks = static_cast<unsigned>(W.column.size());
  blocks->blocknumber0 = blocks->blocknumber1 = static_cast<unsigned>(n);
  blocks->filled1 = n + 1;
  blocks->filled2 = W.column.size();
  blocks->blocksize0 = allocate<unsigned>(n);
  blocks->blocksize1 = allocate<unsigned>(n);
  blocks->index1_data = allocate<std::size_t>(n + 1);
  blocks->index2_data = allocate<std::size_t>(W.column.size());
  blocks->block = allocate<double*>(W.column.size());
  for (std::size_t i = 0; i < n; ++i)
    blocks->blocksize0[i] = blocks->blocksize1[i] = static_cast<unsigned>(cones.offset(static_cast<int>(i)) + 3);
  for (std::size_t i = 0; i <= n; ++i) blocks->index1_data[i] = index(W.first[i]);
  for (std::size_t k = 0; k < W.column.size(); ++k) {
    blocks->index2_data[k] = index(W.column[k]);
    blocks->block[k] = allocate<double>(9);
    // column by column
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column)
        blocks->block[k][3 * column + row] = W.values[index(W.start[k]) + index(3 * row + column)];
  }
  SBM_diagonal_block_indices(blocks);
  return NM_new_SBM(cones.rows(), cones.rows(), blocks);
}

NumericsMatrix* column_matrix(const BlockSparse& W, const Cones& cones) {
  const Eigen::SparseMatrix<double> M = to_sparse(W, cones);
  NumericsMatrix* matrix = NM_create(NM_SPARSE, cones.rows(), cones.rows());
  NM_triplet_alloc(matrix, M.nonZeros());
  matrix->matrix2->origin = NSM_TRIPLET;
  for (int j = 0; j < M.outerSize(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator entry(M, j); entry; ++entry)
      NM_entry(matrix, static_cast<int>(entry.row()), j, entry.value());
  NM_csc(matrix);
  return matrix;
}

}  // namespace

SiconosProblem to_siconos(const ConeProblem& problem, MatrixStorage storage) {
  const Cones& cones = problem.cones;
  BlockSparse assembled;
  const BlockSparse& W = assembled_body(problem, assembled);
  double* q = allocate<double>(index(cones.rows()));
  std::copy_n(problem.q.data(), cones.rows(), q);
  double* mu = allocate<double>(index(cones.count()));
  for (int i = 0; i < cones.count(); ++i) mu[i] = cones[i].mu;
  NumericsMatrix* M = storage == MatrixStorage::Blocks ? block_matrix(W, cones) : column_matrix(W, cones);
  return SiconosProblem(frictionContactProblem_new_with_data(3, cones.count(), M, q, mu));
}

NumericsMatrix* to_siconos_dense(const Eigen::SparseMatrix<double>& M) {
  double* values = allocate<double>(index(M.rows() * M.cols()));
  Eigen::Map<MatrixXd>(values, M.rows(), M.cols()) = MatrixXd(M);
  return NM_create_from_data(NM_DENSE, static_cast<int>(M.rows()), static_cast<int>(M.cols()), values);
}

}  // namespace carom::peers
