#include "solvers/shifted_delassus.h"

#include <amd.h>
#include <cholmod.h>
#include <klu.h>

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kSymmetric = 1e-12;  // of the largest entry

// Approximate minimum degree on the graph of blocks, expanded to rows: order[k] is the row eliminated k-th.
void order_rows(const BlockSparse& W, const Cones& cones, std::vector<int>& block_order, std::vector<int>& order) {
  block_order.resize(at(cones.count()));
  amd_order(cones.count(), W.first.data(), W.column.data(), block_order.data(), nullptr, nullptr);
  order.clear();
  for (int i : block_order) {
    for (int k = 0; k < cones.dim(i); ++k) order.push_back(cones.offset(i) + k);
  }
}

}  // namespace

struct ShiftedDelassus::Body {
  BlockSparse storage;  // W where the problem has factors only
  const BlockSparse* blocks = nullptr;
  const Cones* cones = nullptr;
  bool symmetric = false;
  std::vector<int> block_order, order;
  // Compressed columns: of the upper triangle of W (symmetric), else of W transposed
  std::vector<int> first, row, diagonal;
  std::vector<double> W, shifted;  // values of W, of W + R

  cholmod_common common;
  cholmod_factor* cholesky = nullptr;
  cholmod_dense *solution = nullptr, *scratch_y = nullptr, *scratch_e = nullptr;
  klu_common lu_common;
  klu_symbolic* lu_symbolic = nullptr;
  klu_numeric* lu = nullptr;

  Body() {
    cholmod_start(&common);
    common.print = 0;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_GIVEN;
    common.supernodal = CHOLMOD_AUTO;
    common.final_ll = 1;
    klu_defaults(&lu_common);
  }
  ~Body() {
    release();
    cholmod_free_dense(&solution, &common);
    cholmod_free_dense(&scratch_y, &common);
    cholmod_free_dense(&scratch_e, &common);
    cholmod_finish(&common);
  }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  void release() {
    if (cholesky) cholmod_free_factor(&cholesky, &common);
    if (lu) klu_free_numeric(&lu, &lu_common);
    if (lu_symbolic) klu_free_symbolic(&lu_symbolic, &lu_common);
  }

  int rows() const { return static_cast<int>(first.size()) - 1; }

  // Rows of W, up to the diagonal only where `upper`, as compressed columns.
  void compress(bool upper) {
    first.assign(1, 0);
    row.clear();
    W.clear();
    diagonal.clear();
    for (int i = 0; i < cones->count(); ++i) {
      for (int k = 0; k < cones->dim(i); ++k) {
        const int last = upper ? cones->offset(i) + k : cones->rows();
        for (int e = blocks->first[at(i)]; e < blocks->first[at(i + 1)]; ++e) {
          const int j = blocks->column[at(e)], columns = cones->dim(j), begin = cones->offset(j);
          const double* W_ij = blocks->values.data() + blocks->start[at(e)];
          for (int l = 0; l < columns && begin + l <= last; ++l) {
            if (begin + l == cones->offset(i) + k) diagonal.push_back(static_cast<int>(W.size()));
            row.push_back(begin + l);
            W.push_back(W_ij[k * columns + l]);
          }
        }
        first.push_back(static_cast<int>(W.size()));
      }
    }
    shifted.resize(W.size());
  }

  cholmod_sparse matrix() {
    cholmod_sparse A{};
    A.nrow = A.ncol = static_cast<std::size_t>(rows());
    A.nzmax = W.size();
    A.p = first.data();
    A.i = row.data();
    A.x = shifted.data();
    A.stype = 1;
    A.itype = CHOLMOD_INT;
    A.xtype = CHOLMOD_REAL;
    A.dtype = CHOLMOD_DOUBLE;
    A.sorted = A.packed = 1;
    return A;
  }

  bool factor_symmetric() {
    cholmod_sparse A = matrix();
    if (!cholesky) cholesky = cholmod_analyze_p(&A, order.data(), nullptr, 0, &common);
    if (!cholesky) return false;
    cholmod_factorize(&A, cholesky, &common);
    return common.status == CHOLMOD_OK;
  }

  bool factor_general() {
    if (!lu_symbolic)
      lu_symbolic = klu_analyze_given(rows(), first.data(), row.data(), order.data(), order.data(), &lu_common);
    if (!lu_symbolic) return false;
    if (lu) klu_free_numeric(&lu, &lu_common);
    lu = klu_factor(first.data(), row.data(), shifted.data(), lu_symbolic, &lu_common);
    return lu != nullptr && lu_common.status == KLU_OK;
  }
};

ShiftedDelassus::ShiftedDelassus() : body_(std::make_unique<Body>()) {}
ShiftedDelassus::~ShiftedDelassus() = default;

bool ShiftedDelassus::symmetric() const { return body_->symmetric; }

void ShiftedDelassus::prepare(const ConeProblem& problem) {
  Body& b = *body_;
  const BlockSparse& W = assembled_body(problem, b.storage);
  b.release();
  b.blocks = &W;
  b.cones = &problem.cones;
  b.symmetric = is_symmetric(W, problem.cones, kSymmetric);
  order_rows(W, problem.cones, b.block_order, b.order);
  b.compress(b.symmetric);
}

bool ShiftedDelassus::factor(VectorIn R) {
  Body& b = *body_;
  b.shifted = b.W;
  for (int i = 0; i < b.rows(); ++i) b.shifted[at(b.diagonal[at(i)])] += R[i];
  if (b.symmetric && b.factor_symmetric()) return true;
  if (b.symmetric) {
    // Not positive definite: W has a negative eigenvalue larger than R.
    b.release();
    b.symmetric = false;
    b.compress(false);
    return factor(R);
  }
  return b.factor_general();
}

void ShiftedDelassus::solve(VectorOut x) {
  Body& b = *body_;
  if (!b.symmetric) {
    // the columns hold W + R transposed
    klu_tsolve(b.lu_symbolic, b.lu, b.rows(), 1, x.data(), &b.lu_common);
    return;
  }
  cholmod_dense right{};
  right.nrow = right.d = right.nzmax = static_cast<std::size_t>(b.rows());
  right.ncol = 1;
  right.x = x.data();
  right.xtype = CHOLMOD_REAL;
  right.dtype = CHOLMOD_DOUBLE;
  cholmod_solve2(CHOLMOD_A, b.cholesky, &right, nullptr, &b.solution, nullptr, &b.scratch_y, &b.scratch_e, &b.common);
  x = Eigen::Map<const VectorXd>(static_cast<const double*>(b.solution->x), b.rows());
}

}  // namespace carom
