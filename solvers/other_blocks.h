// How one block of a Gauss-Seidel sweep sees the others, on either body of the Delassus operator:
//
//   velocity_without   u = q_i + sum over j != i of W_ij r_j
//   moved              tells that r_i changed by dr
#pragma once

#include "solvers/problem.h"

namespace carom {

// Sums W_ij r_j over 3x3 blocks, row-major. Nine running products, two at a time, are added up only at the end:
// they are independent of each other and take each block as it lies in memory.
struct RowSum3 {
  Vec2 rows_00 = Vec2::Zero();  // products of entries 0, 1: row 0
  Vec2 rows_01 = Vec2::Zero();  //                     2, 3: row 0, row 1
  Vec2 rows_11 = Vec2::Zero();  //                     4, 5: row 1
  Vec2 rows_22 = Vec2::Zero();  //                     6, 7: row 2
  double row_2 = 0;             //                        8: row 2

  void add(const double* W, const double* r) {
    const Vec2 r01(r[0], r[1]), r20(r[2], r[0]), r12(r[1], r[2]);
    rows_00 += Eigen::Map<const Vec2>(W).cwiseProduct(r01);
    rows_01 += Eigen::Map<const Vec2>(W + 2).cwiseProduct(r20);
    rows_11 += Eigen::Map<const Vec2>(W + 4).cwiseProduct(r12);
    rows_22 += Eigen::Map<const Vec2>(W + 6).cwiseProduct(r01);
    row_2 += W[8] * r[2];
  }
  void add_to(double* u) const {
    u[0] += rows_00[0] + rows_00[1] + rows_01[0];
    u[1] += rows_01[1] + rows_11[0] + rows_11[1];
    u[2] += rows_22[0] + rows_22[1] + row_2;
  }
};

// W in block rows: the others are summed at each visit.
class AssembledOthers {
 public:
  explicit AssembledOthers(const ConeProblem& p) : problem_(p), W_(*p.W.assembled), all_3x3_(only_3x3()) {}

  // u = q_i + sum over j != i of W_ij r_j
  template <int Dim>
  void velocity_without(int i, int dim, const double* /*W_ii*/, const double* r, double* u) const {
    const double* q_i = problem_.q.data() + problem_.cones.offset(i);
    for (int k = 0; k < dim; ++k) u[k] = q_i[k];
    const int diagonal = W_.diagonal[at(i)];
    RowSum3 sum;
    if (Dim == 3 && all_3x3_) {
      const double* values = W_.values.data();
      const int* column = W_.column.data();
      for (std::ptrdiff_t e = W_.first[at(i)]; e < diagonal; ++e) sum.add(values + 9 * e, r + 3 * column[e]);
      for (std::ptrdiff_t e = diagonal + 1; e < W_.first[at(i + 1)]; ++e) sum.add(values + 9 * e, r + 3 * column[e]);
    } else {
      add_blocks<Dim>(dim, W_.first[at(i)], diagonal, r, sum, u);
      add_blocks<Dim>(dim, diagonal + 1, W_.first[at(i + 1)], r, sum, u);
    }
    if constexpr (Dim == 3) sum.add_to(u);
  }

  void moved(int, int, int, const double*) const {}

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  bool only_3x3() const {
    for (int i = 0; i < problem_.cones.count(); ++i) {
      if (problem_.cones.dim(i) != 3) return false;
    }
    for (std::size_t e = 0; e < W_.start.size(); ++e) {
      if (W_.start[e] != static_cast<std::ptrdiff_t>(9 * e)) return false;
    }
    return true;
  }

  template <int Dim>
  void add_blocks(int dim, int begin, int end, const double* r, RowSum3& sum, double* u) const {
    for (int e = begin; e < end; ++e) {
      const int j = W_.column[at(e)];
      const int columns = problem_.cones.dim(j);
      const double* W_ij = W_.values.data() + W_.start[at(e)];
      const double* r_j = r + problem_.cones.offset(j);
      if (Dim == 3 && columns == 3) {
        sum.add(W_ij, r_j);
        continue;
      }
      for (int k = 0; k < dim; ++k) {
        for (int l = 0; l < columns; ++l) u[k] += W_ij[k * columns + l] * r_j[l];
      }
    }
  }

  const ConeProblem& problem_;
  const BlockSparse& W_;
  const bool all_3x3_;  // 3x3 blocks only, one after the other in memory
};

// W = H M^-1 H^T, matrix-free: the others are in the velocities v = M^-1 H^T r of the block's two bodies.
class TwistOthers {
 public:
  TwistOthers(const ConeProblem& p, std::vector<Twist>& twists) : problem_(p), factors_(*p.W.factors), v_(twists) {}

  // u = q_i + H_i v - W_ii r_i
  template <int Dim>
  void velocity_without(int i, int dim, const double* W_ii, const double* r, double* u) const {
    const int offset = problem_.cones.offset(i);
    for (int k = 0; k < dim; ++k) {
      u[k] = problem_.q[offset + k];
      for (int l = 0; l < dim; ++l) u[k] -= W_ii[k * dim + l] * r[offset + l];
    }
    add_block_velocity(factors_, i, offset, dim, v_, u);
  }

  // v += M^-1 H_i^T dr
  void moved(int i, int offset, int dim, const double* dr) const {
    const auto [a, b] = factors_.bodies[at(i)];
    Vec3 linear = Vec3::Zero(), angular_a = Vec3::Zero(), angular_b = Vec3::Zero();
    for (int k = 0; k < dim; ++k) {
      const FactorRow& row = factors_.rows[at(offset + k)];
      linear += dr[k] * row.linear;
      angular_a += dr[k] * row.angular_a;
      angular_b += dr[k] * row.angular_b;
    }
    if (a >= 0) push(a, linear, angular_a);
    if (b >= 0) push(b, -linear, angular_b);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void push(int body, const Vec3& linear, const Vec3& angular) const {
    const InverseMass& inverse_mass = factors_.inverse_mass[at(body)];
    v_[at(body)].linear += inverse_mass.linear * linear;
    v_[at(body)].angular += inverse_mass.angular * angular;
  }

  const ConeProblem& problem_;
  const DelassusFactors& factors_;
  std::vector<Twist>& v_;
};

}  // namespace carom
