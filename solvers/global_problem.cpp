#include "solvers/global_problem.h"

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <cmath>

#include "base/error.h"
#include "base/random.h"

namespace carom {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

// Beyond this condition number, rows and columns scaled alike, an inverse has no correct digit to speak of.
constexpr double kSingular = 1e14;

[[noreturn]] void reject(const std::string& item, const std::string& problem, const std::string& value = {}) {
  throw InputError(Place{.file = {}, .line = 0, .column = 0, .item = item}, problem, value);
}

void check_matrix(const char* name, const Sparse& A, Eigen::Index rows, Eigen::Index columns) {
  if (A.rows() != rows || A.cols() != columns)
    reject(name, fmt::format("must be {} x {}", rows, columns), fmt::format("{} x {}", A.rows(), A.cols()));
  for (Eigen::Index j = 0; j < A.outerSize(); ++j) {
    for (Sparse::InnerIterator entry(A, j); entry; ++entry) {
      if (!std::isfinite(entry.value()))
        reject(fmt::format("{}({}, {})", name, entry.row(), j), "is not finite", fmt::format("{}", entry.value()));
    }
  }
}

void check_vector(const char* name, const VectorXd& x, Eigen::Index size) {
  if (x.size() != size) reject(name, fmt::format("must have size {}", size), fmt::format("size {}", x.size()));
  for (Eigen::Index k = 0; k < size; ++k) {
    if (!std::isfinite(x[k])) reject(fmt::format("{}({})", name, k), "is not finite", fmt::format("{}", x[k]));
  }
}

void check_global(const GlobalProblem& p) {
  if (p.dimension != 2 && p.dimension != 3) reject("dimension", "must be 2 or 3", fmt::format("{}", p.dimension));
  const Eigen::Index rows = p.dimension * p.mu.size();
  check_vector("f", p.f, p.f.size());
  check_matrix("M", p.M, p.f.size(), p.f.size());
  check_matrix("H", p.H, p.f.size(), rows);
  check_vector("w", p.w, rows);
  if (p.G.cols() > 0) check_matrix("G", p.G, p.f.size(), p.G.cols());
  check_vector("b", p.b, p.G.cols());
}

// A = [H G]
Sparse all_columns(const GlobalProblem& p) {
  Sparse A(p.H.rows(), p.H.cols() + p.G.cols());
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(p.H.nonZeros() + p.G.nonZeros()));
  const auto append = [&](const Sparse& part, Eigen::Index first) {
    for (Eigen::Index j = 0; j < part.outerSize(); ++j) {
      for (Sparse::InnerIterator entry(part, j); entry; ++entry)
        entries.emplace_back(static_cast<int>(entry.row()), static_cast<int>(first + j), entry.value());
    }
  };
  append(p.H, 0);
  append(p.G, p.H.cols());
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

// M^-1 = D (D M D)^-1 D with D such that units and sizes of bodies drop out of D M D; Cholesky's factorization
// where M is a mass matrix, LU where it is not.
class MassInverse {
 public:
  explicit MassInverse(const Sparse& M) {
    scale(M);
    const Sparse S = scale_.asDiagonal() * M * scale_.asDiagonal();
    if (!Eigen::Map<const VectorXd>(S.valuePtr(), S.nonZeros()).allFinite())
      reject("M", "has entries too far apart in size");
    symmetric_ = Sparse(S - Sparse(S.transpose())).norm() <= 1e-12 * S.norm();
    if (symmetric_) cholesky_.compute(S);
    factored_by_cholesky_ = symmetric_ && cholesky_.info() == Eigen::Success;
    if (!factored_by_cholesky_) {
      lu_.compute(S);
      if (lu_.info() != Eigen::Success) reject("M", "is singular: velocities do not follow from impulses");
    }
    check_condition(S);
  }

  bool symmetric() const { return symmetric_; }

  template <class Right>
  auto operator*(const Right& right) const {
    using Plain = typename Right::PlainObject;
    const Plain scaled = scale_.asDiagonal() * right;
    Plain x = scaled;
    if (factored_by_cholesky_)
      x = cholesky_.solve(scaled);
    else
      x = lu_.solve(scaled);
    return Plain(scale_.asDiagonal() * x);
  }

 private:
  // D_i = |M_ii|^-1/2, or by the largest entry of the row where the diagonal is zero.
  void scale(const Sparse& M) {
    VectorXd largest_in_row = VectorXd::Zero(M.rows()), largest_in_column = VectorXd::Zero(M.rows());
    VectorXd diagonal = VectorXd::Zero(M.rows());
    for (Eigen::Index j = 0; j < M.outerSize(); ++j) {
      for (Sparse::InnerIterator entry(M, j); entry; ++entry) {
        const double size = std::abs(entry.value());
        largest_in_row[entry.row()] = std::max(largest_in_row[entry.row()], size);
        largest_in_column[j] = std::max(largest_in_column[j], size);
        if (entry.row() == j) diagonal[j] = size;
      }
    }
    scale_.resize(M.rows());
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      if (largest_in_row[i] == 0 || largest_in_column[i] == 0)
        reject("M", fmt::format("is singular: degree of freedom {} has no mass", i));
      scale_[i] = 1 / std::sqrt(diagonal[i] > 0 ? diagonal[i] : largest_in_row[i]);
    }
  }

  // cond(S) >= |S| |x| / |b| for S x = b, and is not much more for most b.
  void check_condition(const Sparse& S) const {
    RandomStream random(1, 0);
    VectorXd b(S.rows());
    for (double& value : b) value = random.uniform(0.5, 1) * (random.below(2) == 0 ? 1 : -1);
    const VectorXd x = factored_by_cholesky_ ? VectorXd(cholesky_.solve(b)) : VectorXd(lu_.solve(b));
    const double condition = S.norm() * x.norm() / b.norm();
    if (!(condition <= kSingular))
      reject("M", "is singular to working precision", fmt::format("condition number above {:.1e}", condition));
  }

  VectorXd scale_;  // D
  bool symmetric_ = false;
  bool factored_by_cholesky_ = false;
  Eigen::SimplicialLLT<Sparse> cholesky_;
  Eigen::SparseLU<Sparse> lu_;
};

}  // namespace

Cones cones_of(const GlobalProblem& global) {
  Cones cones;
  cones.reserve(static_cast<int>(global.mu.size() + global.G.cols()));
  for (const double mu : global.mu) cones.add({.kind = ConeKind::Coulomb, .dim = global.dimension, .mu = mu});
  for (Eigen::Index k = 0; k < global.G.cols(); ++k) cones.add({.kind = ConeKind::Free, .dim = 1, .mu = 0});
  return cones;
}

ConeProblem condense(const GlobalProblem& global) {
  check_global(global);
  ConeProblem problem;
  problem.cones = cones_of(global);
  const Sparse A = all_columns(global);
  Sparse W(A.cols(), A.cols());
  VectorXd q(A.cols());
  q << global.w, global.b;
  if (A.rows() > 0) {
    const MassInverse inverse(global.M);
    // W = A^T M^-1 A, symmetric where M is
    W = A.transpose() * (inverse * A);
    if (inverse.symmetric()) W = Sparse(0.5 * (W + Sparse(W.transpose())));
    // q = A^T M^-1 f + (w, b)
    q += A.transpose() * (inverse * global.f);
  }
  problem.W.assembled = to_block_sparse(W, problem.cones);
  problem.q = q;
  return problem;
}

VectorXd global_velocity(const GlobalProblem& global, VectorIn impulses) {
  check_global(global);
  const Sparse A = all_columns(global);
  if (impulses.size() != A.cols())
    reject("impulses", fmt::format("must have size {}", A.cols()), fmt::format("size {}", impulses.size()));
  const VectorXd momentum = A * impulses + global.f;
  if (A.rows() == 0) return momentum;
  return MassInverse(global.M) * momentum;
}

}  // namespace carom
