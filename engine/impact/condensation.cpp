#include "engine/impact/condensation.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <limits>

#include "solvers/components.h"

namespace carom {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kShift = 1e-10;      // of the largest entry: what a singular W_jj is factored with
constexpr int kRefinements = 20;      // each takes the error down by the shift over the smallest eigenvalue not zero
constexpr double kImmovable = 1e-10;  // of W_nn: what is left of it where joints hold a contact's bodies

// What an impact sees of a block: rolling is resisted by the step's finite forces, so that rows of m are left out.
Cone struck(const Cone& cone) {
  if (cone.kind != ConeKind::Rolling) return cone;
  if (cone.mu == 0) return {ConeKind::Orthant, 1, 0};
  return {ConeKind::Coulomb, 1 + cone.tangents(), cone.mu};
}

// H and M^-1 of the listed blocks alone, bodies numbered anew.
DelassusFactors part_of(const DelassusFactors& all, const Cones& cones, std::span<const int> blocks) {
  DelassusFactors part;
  std::vector<int> bodies;
  for (int i : blocks)
    for (int body : all.bodies[at(i)])
      if (body >= 0) bodies.push_back(body);
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  for (int body : bodies) part.inverse_mass.push_back(all.inverse_mass[at(body)]);
  const auto renamed = [&](int body) {
    return body < 0 ? -1 : static_cast<int>(std::lower_bound(bodies.begin(), bodies.end(), body) - bodies.begin());
  };
  for (int i : blocks) {
    part.bodies.push_back({renamed(all.bodies[at(i)][0]), renamed(all.bodies[at(i)][1])});
    const auto rows = all.rows.begin() + cones.offset(i);
    part.rows.insert(part.rows.end(), rows, rows + struck(cones[i]).dim);
  }
  return part;
}

// X with W X = B, columns of B in the range of W; W positive semidefinite. A shifted factorization is refined until the
// residual stays.
Sparse solve_in_range(const Sparse& W, const Sparse& B) {
  const double scale = W.nonZeros() > 0 ? W.coeffs().abs().maxCoeff() : 1.0;
  Sparse identity(W.rows(), W.cols());
  identity.setIdentity();
  const Eigen::SimplicialLDLT<Sparse> factors(W + kShift * scale * identity);
  Sparse X = factors.solve(B);
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kRefinements; ++k) {
    const Sparse left = B - W * X;
    const double norm = left.norm();
    if (!(norm < 0.5 * last) || norm == 0) break;
    last = norm;
    const Sparse correction = factors.solve(left);
    X += correction;
  }
  return X;
}

}  // namespace

BlockSparse delassus_among(const ConeProblem& problem, std::span<const int> blocks, Cones& cones) {
  const int first = cones.count();
  for (int i : blocks) cones.add(struck(problem.cones[i]));
  if (problem.W.factors) {
    Cones own;
    for (int k = first; k < cones.count(); ++k) own.add(cones[k]);
    return assemble(part_of(*problem.W.factors, problem.cones, blocks), own);
  }
  const Components one = {{0, static_cast<int>(blocks.size())}, {blocks.begin(), blocks.end()}};
  PartCopy part;
  part.extract(problem, one, 0, problem.q);
  return std::move(*part.problem.W.assembled);
}

JointCondensation::JointCondensation(const ConeProblem& problem, std::span<const int> contacts,
                                     std::span<const int> joints) {
  std::vector<int> blocks(contacts.begin(), contacts.end());
  blocks.insert(blocks.end(), joints.begin(), joints.end());
  Cones cones, contact_cones;
  const Sparse W = to_sparse(delassus_among(problem, blocks, cones), cones);
  for (int i : contacts) contact_cones.add(struck(problem.cones[i]));
  const int n = contact_cones.rows(), m = cones.rows() - n;
  const Sparse W_cc = W.block(0, 0, n, n), W_jc = W.block(n, 0, m, n), W_jj = W.block(n, n, m, m);
  answer_ = solve_in_range(W_jj, W_jc);
  const Sparse W_cj = W_jc.transpose();
  const Sparse reduced = W_cc - Sparse(W_cj * answer_);
  const Sparse mirrored = reduced.transpose();
  condensed_ = to_block_sparse(0.5 * (reduced + mirrored), contact_cones);
  for (int i = 0; i < contact_cones.count(); ++i) {
    const int row = contact_cones.offset(i);
    yields_.push_back(reduced.coeff(row, row) > kImmovable * W_cc.coeff(row, row));
  }
}

VectorXd JointCondensation::joint_impulses(VectorIn p) const { return -(answer_ * p); }

}  // namespace carom
