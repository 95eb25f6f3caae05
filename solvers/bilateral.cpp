#include "solvers/bilateral.h"

#include "base/check.h"
#include "solvers/one_contact.h"

namespace carom {

void BilateralSolver::precondition(const Cones& cones) {
  const double* P = inverse_.data();
  for (int i = 0; i < cones.count(); ++i) {
    const int offset = cones.offset(i), dim = cones.dim(i);
    z_.segment(offset, dim) = Eigen::Map<const RowMatrixXd>(P, dim, dim).lazyProduct(residual_.segment(offset, dim));
    P += dim * dim;
  }
}

int BilateralSolver::solve(const ConeProblem& problem, double tolerance, int max_iterations, Vector& r) {
  const Cones& cones = problem.cones;
  double block[kMaxBlockDim * kMaxBlockDim], inverse[kMaxBlockDim * kMaxBlockDim];
  inverse_.clear();
  for (int i = 0; i < cones.count(); ++i) {
    CAROM_CHECK(cones[i].kind == ConeKind::Free, "Free blocks alone make a linear problem");
    diagonal_block(problem.W, cones, i, block);
    pseudo_inverse(cones.dim(i), block, inverse);
    inverse_.insert(inverse_.end(), inverse, inverse + cones.dim(i) * cones.dim(i));
  }
  r.assign(cones.rows(), 0.0);
  zero_.assign(cones.rows(), 0.0);
  z_.resize(cones.rows());
  product_.resize(cones.rows());
  direction_.assign(cones.rows(), 0.0);

  // residual = -(W r + q);  z = P residual;  direction = z + beta direction;  r += alpha direction
  residual_ = -problem.q;
  double last = 0;
  for (int k = 0; k < max_iterations; ++k) {
    if (!(residual_.lpNorm<Eigen::Infinity>() > tolerance)) return k;
    precondition(cones);
    const double now = residual_.dot(z_);
    direction_ = z_ + (k == 0 ? 0.0 : now / last) * direction_;
    last = now;
    apply(problem.W, cones, direction_, zero_, product_, twists_);
    const double curvature = direction_.dot(product_);
    if (!(curvature > 0)) return k;
    r += now / curvature * direction_;
    residual_ -= now / curvature * product_;
  }
  return max_iterations;
}

}  // namespace carom
