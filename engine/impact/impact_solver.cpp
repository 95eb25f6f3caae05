#include "engine/impact/impact_solver.h"

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <array>
#include <cmath>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kRank = 1e-10;  // pivots this much smaller than their diagonal entries are those of dependent rows
constexpr double kOpen = 1e-9;   // of the speeds at hand: a velocity above it is not 0

}  // namespace

// W -> D W D, q -> D q, p = D r: multiples of whole blocks, which map cones and their duals onto themselves.
void ImpactSolver::scale(const BlockSparse& W, const Cones& cones, VectorIn q) {
  d_.resize(at(cones.count()));
  for (int i = 0; i < cones.count(); ++i) {
    const double W_nn = W.values[at(static_cast<int>(W.start[at(static_cast<int>(W.diagonal[at(i)]))]))];
    d_[at(i)] = std::exp2(std::round(-0.5 * std::log2(W_nn)));
  }
  problem_.W.assembled = W;
  problem_.cones = cones;
  problem_.q.resize(q.size());
  BlockSparse& scaled = *problem_.W.assembled;
  for (int i = 0; i < cones.count(); ++i) {
    const int offset = cones.offset(i), dim = cones.dim(i);
    problem_.q.segment(offset, dim) = d_[at(i)] * q.segment(offset, dim);
    for (int e = W.first[at(i)]; e < W.first[at(i) + 1]; ++e) {
      const int j = W.column[at(e)];
      const int begin = static_cast<int>(W.start[at(e)]);
      for (int k = begin; k < begin + dim * cones.dim(j); ++k) scaled.values[at(k)] *= d_[at(i)] * d_[at(j)];
    }
  }
}

bool ImpactSolver::solve(const BlockSparse& W, const Cones& cones, VectorIn q, const ImpactSolveOptions& options,
                         VectorXd& p, ImpactReport& report) {
  scale(W, cones, q);
  exact_.options().stop.tolerance = lemke_.options().stop.tolerance = auto_.options().stop.tolerance =
      options.tolerance;
  const bool frictionless = is_frictionless(cones);
  std::array<Solver*, 3> candidates = {};
  std::size_t count = 0;
  if (cones.count() <= SmallExact::kMostBlocks) candidates[count++] = &exact_;
  bool orthants = true;
  for (int i = 0; i < cones.count(); ++i) orthants &= cones[i].kind == ConeKind::Orthant;
  if (frictionless && orthants) candidates[count++] = &lemke_;
  candidates[count++] = &auto_;

  // Each begins where the best one before it ended.
  SolveReport solved;
  r_.assign(cones.rows(), 0.0);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < count && !(best <= options.tolerance); ++k) {
    Vector r = r_;
    const SolveReport found = candidates[k]->solve(problem_, r);
    if (found.status == SolveStatus::Infeasible) {
      report.status = ImpactStatus::NotSolved;
      add_remark(report,
                 "no impulses satisfy the law: the contacts are redundant and their demands contradict each other");
      return false;
    }
    if (!(found.residuals.natural_map < best)) continue;
    best = found.residuals.natural_map;
    solved = found;
    r_ = r;
  }
  p.resize(cones.rows());
  for (int i = 0; i < cones.count(); ++i) {
    const int offset = cones.offset(i), dim = cones.dim(i);
    p.segment(offset, dim) = d_[at(i)] * r_.segment(offset, dim);
  }
  report.residual = std::max(report.residual, best);
  ++report.events;
  if (best <= std::max(options.tolerance, options.accept)) return true;
  report.status = ImpactStatus::NotSolved;
  add_remark(report, fmt::format("a cone problem was left at a residual of {:.1e}: {}{}{}", best,
                                 name_of(solved.status), solved.message.empty() ? "" : ", ", solved.message));
  return false;
}

bool is_frictionless(const Cones& cones) {
  for (int i = 0; i < cones.count(); ++i)
    if (cones[i].kind == ConeKind::Coulomb && cones[i].mu > 0) return false;
  return true;
}

Uniqueness uniqueness_of(const BlockSparse& W, const Cones& cones, VectorIn w, double speed) {
  if (!is_frictionless(cones)) return Uniqueness::NotKnown;
  std::vector<int> position(at(cones.count()), -1);
  int closed = 0;
  for (int i = 0; i < cones.count(); ++i)
    if (w[cones.offset(i)] <= kOpen * speed) position[at(i)] = closed++;
  std::vector<Eigen::Triplet<double>> entries;
  VectorXd diagonal(closed);
  for (int i = 0; i < cones.count(); ++i) {
    if (position[at(i)] < 0) continue;
    for (int e = W.first[at(i)]; e < W.first[at(i) + 1]; ++e) {
      const int j = W.column[at(e)];
      if (position[at(j)] < 0) continue;
      const double W_nn = W.values[at(static_cast<int>(W.start[at(e)]))];
      entries.emplace_back(position[at(i)], position[at(j)], W_nn);
      if (i == j) diagonal[position[at(i)]] = W_nn;
    }
  }
  if (closed == 0) return Uniqueness::Unique;
  Eigen::SparseMatrix<double> W_cc(closed, closed);
  W_cc.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(W_cc);
  if (factors.info() != Eigen::Success) return Uniqueness::VelocitiesOnly;
  const VectorXd pivots = factors.vectorD(), turned = factors.permutationP() * diagonal;
  return ((pivots.array() > kRank * turned.array()).all()) ? Uniqueness::Unique : Uniqueness::VelocitiesOnly;
}

}  // namespace carom
