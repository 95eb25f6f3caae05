#include "solvers/nsgs.h"

#include <cmath>

#include "solvers/other_blocks.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

SolveReport Nsgs::solve(const ConeProblem& problem, VectorOut r) {
  blocks_.reserve(at(problem.cones.count()));  // even when there is nothing to solve: the next step may need them
  diagonal_.reserve(at(problem.cones.count()) * 9);
  if (!stop_.start(problem, options_.stop, options_.check, r)) return stop_.report();
  prepare(problem);

  // r <- sweep(r) until the residual is small
  const auto iterate = [&](auto others) {
    while (!stop_.done(problem, sweep(others, r), r)) {
    }
  };
  if (problem.W.factors)
    iterate(TwistOthers(problem, stop_.twists()));
  else
    iterate(AssembledOthers(problem));
  return stop_.report();
}

void Nsgs::prepare(const ConeProblem& problem) {
  const Cones& cones = problem.cones;
  blocks_.resize(at(cones.count()));
  diagonal_.clear();
  for (int i = 0; i < cones.count(); ++i) {
    Block& block = blocks_[at(i)];
    const int dim = cones.dim(i);
    const bool free = cones[i].kind == ConeKind::Free;
    block.cone = cones[i];
    block.offset = cones.offset(i);
    block.diagonal = static_cast<std::ptrdiff_t>(diagonal_.size());
    diagonal_.resize(diagonal_.size() + at(dim * dim) * (free ? 2 : 1));
    double* W_ii = diagonal_.data() + block.diagonal;
    diagonal_block(problem.W, cones, i, W_ii);
    double trace = 0;
    for (int k = 0; k < dim; ++k) trace += W_ii[k * dim + k];
    block.velocity_per_impulse = trace / dim;
    if (free) pseudo_inverse(dim, W_ii, W_ii + dim * dim);
    if (cones[i].kind == ConeKind::Coulomb || cones[i].kind == ConeKind::Associated)
      block.elimination = eliminate_normal(dim, W_ii);
  }
}

// One visit to each block; returns the largest |dr_i| trace(W_ii) / dim, m/s.
template <class Others>
double Nsgs::sweep(Others& others, VectorOut r) const {
  double largest = 0;  // squared
  const int n = static_cast<int>(blocks_.size());
  for (int i = 0; i < n; ++i) {
    double change = 0;
    switch (blocks_[at(i)].cone.dim) {
      case 3:
        change = visit<3>(i, others, r.data());
        break;
      case 2:
        change = visit<2>(i, others, r.data());
        break;
      case 1:
        change = visit<1>(i, others, r.data());
        break;
      default:
        change = visit<Eigen::Dynamic>(i, others, r.data());
        break;
    }
    if (!(change <= largest)) largest = change;
  }
  return std::sqrt(largest);
}

// Solves one block for the others as they are; returns the square of its change.
template <int Dim, class Others>
double Nsgs::visit(int i, Others& others, double* r) const {
  constexpr int kSize = Dim == Eigen::Dynamic ? kMaxBlockDim : Dim;
  const Block& block = blocks_[at(i)];
  const int dim = Dim == Eigen::Dynamic ? block.cone.dim : Dim;
  double* r_i = r + block.offset;
  double q[kSize], next[kSize], dr[kSize];

  // q = q_i + sum over j != i of W_ij r_j: the block's velocity without its own impulse
  others.template velocity_without<Dim>(i, dim, diagonal_.data() + block.diagonal, r, q);

  // next: K* contains u + s(u), next in K, (u + s(u)) . next = 0 for u = W_ii next + q
  solve_local<Dim>(block, q, next);

  // next <- P_K(r_i + omega (next - r_i))
  if (options_.relaxation != 1) {
    for (int k = 0; k < dim; ++k) next[k] = r_i[k] + options_.relaxation * (next[k] - r_i[k]);
    project(block.cone, next);
  }

  // r_i <- next, and the others learn of the difference
  double squares = 0;
  for (int k = 0; k < dim; ++k) {
    dr[k] = next[k] - r_i[k];
    r_i[k] = next[k];
    squares += dr[k] * dr[k];
  }
  others.moved(i, block.offset, dim, dr);
  return squares * block.velocity_per_impulse * block.velocity_per_impulse;
}

template <int Dim>
void Nsgs::solve_local(const Block& block, const double* q, double* r) const {
  const Elimination& e = block.elimination;
  const double mu = block.cone.mu;
  const double* W_ii = diagonal_.data() + block.diagonal;
  switch (block.cone.kind) {
    case ConeKind::Coulomb:
      Dim == 3 ? solve_coulomb_3d(e, mu, q, r) : solve_coulomb_2d(e, mu, q, r);
      return;
    case ConeKind::Associated:
      Dim == 3 ? solve_associated_3d(e, W_ii, mu, q, r) : solve_associated_2d(e, W_ii, mu, q, r);
      return;
    case ConeKind::Orthant:
      r[0] = q[0] >= 0 ? 0.0 : -q[0] / W_ii[0];
      return;
    case ConeKind::Free: {
      // r = -W_ii^+ q
      const int dim = Dim == Eigen::Dynamic ? block.cone.dim : Dim;
      const double* inverse = W_ii + dim * dim;
      for (int k = 0; k < dim; ++k) {
        r[k] = 0;
        for (int l = 0; l < dim; ++l) r[k] -= inverse[k * dim + l] * q[l];
      }
      return;
    }
  }
}

}  // namespace carom
