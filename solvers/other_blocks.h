// How one block of a Gauss-Seidel sweep sees the others, on either body of the Delassus operator:
//
//   velocity_without   u = q_i + sum over j != i of W_ij r_j
//   moved              tells that r_i changed by dr
//
// Blocks are visited in an order of the solver's choice; `place` is a block's number there. What a visit reads lies in
// that order: the problem's own arrays where it is the natural one, copies where it is not.
#pragma once

#include "solvers/row_sum.h"

namespace carom {

// Where a visited block is found.
struct Visited {
  int block = 0;   // in the problem
  int offset = 0;  // of the block in r, q and u
  int place = 0;   // in the order of visits
  int row = 0;     // its first row, in the order of visits
};

// W in block rows: the others are summed at each visit.
class AssembledOthers {
 public:
  // `rows`: W's block rows in the order of visits; columns are still blocks of the problem.
  AssembledOthers(const ConeProblem& p, const BlockSparse& rows)
      : problem_(p), W_(rows), add_row_(only_3x3(rows, p.cones) ? add_row_3x3() : nullptr) {}

  template <int Dim>
  void velocity_without(const Visited& i, int dim, const double* /*W_ii*/, const double* r, double* u) const {
    for (int k = 0; k < dim; ++k) u[k] = problem_.q.data()[i.offset + k];
    const std::size_t place = static_cast<std::size_t>(i.place);
    const int begin = W_.first[place], diagonal = W_.diagonal[place], end = W_.first[place + 1];
    if (Dim == 3 && add_row_ != nullptr) {
      if (end - begin > 1) add_row_(W_.values.data(), W_.column.data(), begin, diagonal, end, r, u);
      return;
    }
    add_blocks(dim, diagonal + 1, end, r, u);
    add_blocks(dim, begin, diagonal, r, u);
  }

  void moved(const Visited&, int, const double*) const {}

 private:
  void add_blocks(int dim, int begin, int end, const double* r, double* u) const {
    for (std::size_t e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e) {
      const int j = W_.column[e];
      const int columns = problem_.cones.dim(j);
      const double* W_ij = W_.values.data() + W_.start[e];
      const double* r_j = r + problem_.cones.offset(j);
      for (int k = 0; k < dim; ++k) {
        for (int l = 0; l < columns; ++l) u[k] += W_ij[k * columns + l] * r_j[l];
      }
    }
  }

  const ConeProblem& problem_;
  const BlockSparse& W_;
  const AddRow3x3 add_row_;
};

// W = H M^-1 H^T, matrix-free: the others are in the velocities v = M^-1 H^T r of the block's two bodies.
class TwistOthers {
 public:
  // `rows`: those of H in the order of visits.
  TwistOthers(const ConeProblem& p, const std::vector<FactorRow>& rows, std::vector<Twist>& twists)
      : q_(p.q.data()),
        factors_(*p.W.factors),
        rows_(rows.data()),
        compliance_(p.W.factors->compliance.empty() ? nullptr : p.W.factors->compliance.data()),
        v_(twists.data()) {}

  // u = q_i + H_i v + compliance r_i - W_ii r_i
  template <int Dim>
  void velocity_without(const Visited& i, int dim, const double* W_ii, const double* r, double* u) const {
    const auto [a, b] = factors_.bodies[static_cast<std::size_t>(i.block)];
    const Twist at_rest;
    const Twist& twist_a = a < 0 ? at_rest : v_[a];
    const Twist& twist_b = b < 0 ? at_rest : v_[b];
    const Vec3 relative = twist_a.linear - twist_b.linear;
    for (int k = 0; k < dim; ++k) {
      const FactorRow& row = rows_[i.row + k];
      u[k] = q_[i.offset + k] + row.linear.dot(relative) + row.angular_a.dot(twist_a.angular) +
             row.angular_b.dot(twist_b.angular);
      for (int l = 0; l < dim; ++l) u[k] -= W_ii[k * dim + l] * r[i.offset + l];
    }
    if (compliance_ == nullptr) return;
    for (int k = 0; k < dim; ++k) u[k] += compliance_[i.offset + k] * r[i.offset + k];
  }

  // v += M^-1 H_i^T dr
  void moved(const Visited& i, int dim, const double* dr) const {
    const auto [a, b] = factors_.bodies[static_cast<std::size_t>(i.block)];
    Vec3 linear = Vec3::Zero(), angular_a = Vec3::Zero(), angular_b = Vec3::Zero();
    for (int k = 0; k < dim; ++k) {
      const FactorRow& row = rows_[i.row + k];
      linear += dr[k] * row.linear;
      angular_a += dr[k] * row.angular_a;
      angular_b += dr[k] * row.angular_b;
    }
    if (a >= 0) push(a, linear, angular_a);
    if (b >= 0) push(b, -linear, angular_b);
  }

 private:
  void push(int body, const Vec3& linear, const Vec3& angular) const {
    const InverseMass& inverse_mass = factors_.inverse_mass[static_cast<std::size_t>(body)];
    v_[body].linear += inverse_mass.linear * linear;
    v_[body].angular += inverse_mass.angular * angular;
  }

  const double* q_;
  const DelassusFactors& factors_;
  const FactorRow* rows_;
  const double* compliance_;  // per row of the problem, or nullptr
  Twist* v_;
};

}  // namespace carom
