#include "solvers/pgs.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "solvers/other_blocks.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Of the symmetric part of a positive semidefinite W, size x size with the given distance between rows.
template <int Room>
double padded_largest_eigenvalue(int size, int stride, const double* W) {
  using Padded = Eigen::Matrix<double, Room, Room>;
  Padded symmetric = Padded::Zero();  // zeros add eigenvalues 0, which are not the largest
  for (int k = 0; k < size; ++k) {
    for (int l = 0; l < size; ++l) symmetric(k, l) = 0.5 * (W[k * stride + l] + W[l * stride + k]);
  }
  return Eigen::SelfAdjointEigenSolver<Padded>(symmetric, Eigen::EigenvaluesOnly).eigenvalues()[Room - 1];
}
double largest_eigenvalue(int size, int stride, const double* W) {
  if (size == 1) return W[0];
  return size <= 3 ? padded_largest_eigenvalue<3>(size, stride, W)
                   : padded_largest_eigenvalue<kMaxBlockDim>(size, stride, W);
}

// Whether row after row r_t goes onto the disk of radius mu r_n.
bool has_disk(const Cone& cone) { return cone.kind == ConeKind::Coulomb || cone.kind == ConeKind::Rolling; }

}  // namespace

std::string_view name_of(PgsStep step) { return step == PgsStep::Block ? "block" : "scalar"; }
std::string_view name_of(PgsScale scale) {
  return scale == PgsScale::LargestEigenvalue ? "largest_eigenvalue" : "mean_eigenvalue";
}

SolveReport Pgs::solve(const ConeProblem& problem, VectorOut r) {
  blocks_.reserve(at(problem.cones.count()));
  diagonal_.reserve(at(problem.cones.count()) * 9);
  if (!stop_.start(problem, options_.stop, options_.check, r)) return stop_.report();
  prepare(problem);

  // r <- sweep(r) until the residual is small
  const auto iterate = [&](auto others) {
    while (!stop_.done(problem, sweep(others, r), r)) {
    }
  };
  if (problem.W.factors)
    iterate(TwistOthers(problem, problem.W.factors->rows, stop_.twists()));
  else
    iterate(AssembledOthers(problem, *problem.W.assembled));
  return stop_.report();
}

void Pgs::prepare(const ConeProblem& problem) {
  const Cones& cones = problem.cones;
  blocks_.resize(at(cones.count()));
  diagonal_.clear();
  for (int i = 0; i < cones.count(); ++i) {
    Block& block = blocks_[at(i)];
    const int dim = cones.dim(i);
    block.cone = cones[i];
    block.offset = cones.offset(i);
    block.diagonal = static_cast<std::ptrdiff_t>(diagonal_.size());
    diagonal_.resize(diagonal_.size() + at(dim * dim));
    double* W_ii = diagonal_.data() + block.diagonal;
    diagonal_block(problem.W, cones, i, W_ii);
    double trace = 0;
    for (int k = 0; k < dim; ++k) trace += W_ii[k * dim + k];
    block.velocity_per_impulse = trace / dim;
    const double largest =
        options_.scale == PgsScale::LargestEigenvalue ? largest_eigenvalue(dim, dim, W_ii) : block.velocity_per_impulse;
    block.rho = options_.relaxation / largest;
    // of the square block whose first row is `first`
    const auto step_of = [&](int first, int size) {
      const double mobility = largest_eigenvalue(size, dim, W_ii + first * (dim + 1));
      return mobility > 0 ? options_.relaxation / mobility : 0.0;
    };
    const int tangents = block.cone.tangents();
    if (has_disk(block.cone)) block.rho_tangential = step_of(1, tangents);
    if (block.cone.kind == ConeKind::Rolling) block.rho_rolling = step_of(1 + tangents, tangents);
  }
}

// One visit to each block; returns the largest |dr_i| trace(W_ii) / dim, m/s.
template <class Others>
double Pgs::sweep(Others& others, VectorOut r) const {
  double largest = 0;  // squared
  const int n = static_cast<int>(blocks_.size());
  for (int i = 0; i < n; ++i) {
    double change = 0;
    switch (blocks_[at(i)].cone.dim) {
      case 3:
        change = visit<3>(i, others, r.data());
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

// Steps one block with the others as they are; returns the square of its change.
template <int Dim, class Others>
double Pgs::visit(int i, Others& others, double* r) const {
  constexpr int kSize = Dim == Eigen::Dynamic ? kMaxBlockDim : Dim;
  const Block& block = blocks_[at(i)];
  const int dim = Dim == Eigen::Dynamic ? block.cone.dim : Dim;
  const Visited visited{.block = i, .offset = block.offset, .place = i, .row = block.offset};
  double* r_i = r + block.offset;
  double q[kSize], next[kSize], dr[kSize];

  // q = q_i + sum over j != i of W_ij r_j: the block's velocity without its own impulse
  others.template velocity_without<Dim>(visited, dim, diagonal_.data() + block.diagonal, r, q);

  std::copy(r_i, r_i + dim, next);
  if (options_.step == PgsStep::Block || block.cone.kind == ConeKind::Associated)
    step_block(block, q, next);
  else
    step_rows(block, q, next);

  // r_i <- next, and the others learn of the difference
  double squares = 0;
  for (int k = 0; k < dim; ++k) {
    dr[k] = next[k] - r_i[k];
    r_i[k] = next[k];
    squares += dr[k] * dr[k];
  }
  others.moved(visited, dim, dr);
  return squares * block.velocity_per_impulse * block.velocity_per_impulse;
}

// r <- P_K(r - omega rho (u + s(u))),  u = W_ii r + q
void Pgs::step_block(const Block& block, const double* q, double* r) const {
  const int dim = block.cone.dim;
  const double* W = diagonal_.data() + block.diagonal;
  double u[kMaxBlockDim] = {};
  for (int k = 0; k < dim; ++k) {
    u[k] = q[k];
    for (int l = 0; l < dim; ++l) u[k] += W[k * dim + l] * r[l];
  }
  r[0] -= block.rho * de_saxce_shift(block.cone, u);
  for (int k = 0; k < dim; ++k) r[k] -= block.rho * u[k];
  project(block.cone, r);
}

// Row after row: r_k <- r_k - omega u_k / W_kk, with r_n >= 0, |r_t| <= mu r_n and |r_m| <= mu_roll r_n.
void Pgs::step_rows(const Block& block, const double* q, double* r) const {
  const int dim = block.cone.dim;
  const double* W = diagonal_.data() + block.diagonal;
  const auto velocity = [&](int k) {
    double u = q[k];
    for (int l = 0; l < dim; ++l) u += W[k * dim + l] * r[l];
    return u;
  };
  const double omega = options_.relaxation;
  if (!has_disk(block.cone)) {
    // A row that cannot move at all carries no impulse.
    for (int k = 0; k < dim; ++k) r[k] -= W[k * dim + k] > 0 ? omega * velocity(k) / W[k * dim + k] : 0.0;
    project(block.cone, r);
    return;
  }
  // r_n <- max(0, r_n - omega u_n / W_nn)
  r[0] = std::max(0.0, r[0] - omega * velocity(0) / W[0]);
  // r_t <- the point nearest to r_t - rho_t u_t on the disk of radius mu r_n; one rho_t for both rows, so that nearest
  // means what the law of friction means
  const auto step_disk = [&](int first, double rho, double mu) {
    const int size = block.cone.tangents();
    double u_t[2] = {0, 0}, tangential = 0;
    for (int k = 0; k < size; ++k) u_t[k] = velocity(first + k);
    for (int k = 0; k < size; ++k) {
      r[first + k] -= rho * u_t[k];
      tangential = std::hypot(tangential, r[first + k]);
    }
    const double radius = mu * r[0];
    if (tangential <= radius) return;
    for (int k = 0; k < size; ++k) r[first + k] *= radius / tangential;
  };
  step_disk(1, block.rho_tangential, block.cone.mu);
  if (block.cone.kind == ConeKind::Rolling) step_disk(1 + dim / 2, block.rho_rolling, block.cone.mu_roll);
}

}  // namespace carom
