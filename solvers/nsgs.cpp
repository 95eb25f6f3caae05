#include "solvers/nsgs.h"

#include <cmath>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// ---- The two ways a block sees the others: velocity_without and moved. ----

// W in block rows: the others are summed at each visit.
struct AssembledOthers {
  const BlockSparse& W;
  const ConeProblem& problem;

  // u = q_i + sum over j != i of W_ij r_j
  template <int Dim>
  void velocity_without(int i, int dim, const double* /*W_ii*/, const double* r, double* u) const {
    const Cones& cones = problem.cones;
    const double* q_i = problem.q.data() + cones.offset(i);
    for (int k = 0; k < dim; ++k) u[k] = q_i[k];
    const int diagonal = W.diagonal[at(i)];
    add_blocks<Dim>(dim, W.first[at(i)], diagonal, r, u);
    add_blocks<Dim>(dim, diagonal + 1, W.first[at(i + 1)], r, u);
  }

  void moved(int, int, int, const double*) const {}

 private:
  template <int Dim>
  void add_blocks(int dim, int begin, int end, const double* r, double* u) const {
    const Cones& cones = problem.cones;
    // Nine running products instead of three running sums: they are independent and need no transposition.
    double product[9] = {};
    for (int e = begin; e < end; ++e) {
      const int j = W.column[at(e)];
      const int columns = cones.offset(j + 1) - cones.offset(j);
      const double* W_ij = W.values.data() + W.start[at(e)];
      const double* r_j = r + cones.offset(j);
      if (Dim == 3 && columns == 3) {
        for (int k = 0; k < 9; ++k) product[k] += W_ij[k] * r_j[k % 3];
      } else {
        for (int k = 0; k < dim; ++k) {
          for (int l = 0; l < columns; ++l) u[k] += W_ij[k * columns + l] * r_j[l];
        }
      }
    }
    if constexpr (Dim == 3) {
      for (int k = 0; k < 3; ++k) u[k] += product[3 * k] + product[3 * k + 1] + product[3 * k + 2];
    }
  }
};

// W = H M^-1 H^T, matrix-free: the others are in the velocities v = M^-1 H^T r of the block's two bodies.
struct TwistOthers {
  const DelassusFactors& factors;
  const ConeProblem& problem;
  std::vector<Twist>& v;

  // u = q_i + H_i v - W_ii r_i
  template <int Dim>
  void velocity_without(int i, int dim, const double* W_ii, const double* r, double* u) const {
    const int offset = problem.cones.offset(i);
    for (int k = 0; k < dim; ++k) {
      u[k] = problem.q[offset + k];
      for (int l = 0; l < dim; ++l) u[k] -= W_ii[k * dim + l] * r[offset + l];
    }
    add_block_velocity(factors, i, offset, dim, v, u);
  }

  // v += M^-1 H_i^T dr
  void moved(int i, int offset, int dim, const double* dr) const {
    const auto [a, b] = factors.bodies[at(i)];
    Vec3 linear = Vec3::Zero(), angular_a = Vec3::Zero(), angular_b = Vec3::Zero();
    for (int k = 0; k < dim; ++k) {
      const FactorRow& row = factors.rows[at(offset + k)];
      linear += dr[k] * row.linear;
      angular_a += dr[k] * row.angular_a;
      angular_b += dr[k] * row.angular_b;
    }
    if (a >= 0) push(a, linear, angular_a);
    if (b >= 0) push(b, -linear, angular_b);
  }

 private:
  void push(int body, const Vec3& linear, const Vec3& angular) const {
    const InverseMass& inverse_mass = factors.inverse_mass[at(body)];
    v[at(body)].linear += inverse_mass.linear * linear;
    v[at(body)].angular += inverse_mass.angular * angular;
  }
};

}  // namespace

SolveReport Nsgs::solve(const ConeProblem& problem, VectorOut r) {
  check_problem(problem);
  prepare(problem);
  if (!stop_.start(problem, options_.stop, options_.check, r)) return stop_.report();

  double change = 0;  // largest |dr_i| trace(W_ii) / dim of a sweep, m/s
  if (problem.W.factors) {
    TwistOthers others{*problem.W.factors, problem, stop_.twists()};
    do change = sweep(others, r);
    while (!stop_.done(problem, change, r));
  } else {
    AssembledOthers others{*problem.W.assembled, problem};
    do change = sweep(others, r);
    while (!stop_.done(problem, change, r));
  }
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

// One visit to each block; returns the largest change, m/s.
template <class Others>
double Nsgs::sweep(Others& others, VectorOut r) const {
  double largest = 0;
  const int n = static_cast<int>(blocks_.size());
  for (int i = 0; i < n; ++i) {
    double change = 0;
    switch (blocks_[at(i)].cone.dim) {
      case 3: change = visit<3>(i, others, r.data()); break;
      case 2: change = visit<2>(i, others, r.data()); break;
      case 1: change = visit<1>(i, others, r.data()); break;
      default: change = visit<Eigen::Dynamic>(i, others, r.data()); break;
    }
    if (!(change <= largest)) largest = change;
  }
  return largest;
}

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
  return std::sqrt(squares) * block.velocity_per_impulse;
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
