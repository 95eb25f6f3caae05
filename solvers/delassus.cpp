#include "solvers/delassus.h"

#include <algorithm>

#include "base/check.h"
#include "solvers/row_sum.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The part of a row of H that acts on one of its two bodies: side 0 is a, side 1 is b.
struct SideRow {
  Vec3 linear;
  Vec3 angular;
};
SideRow side_row(const FactorRow& row, int side) {
  return side == 0 ? SideRow{row.linear, row.angular_a} : SideRow{-row.linear, row.angular_b};
}

// Diagonal block i, dim x dim, gets its rows' own compliance.
void add_compliance(const DelassusFactors& factors, const Cones& cones, int i, double* block) {
  if (factors.compliance.empty()) return;
  const int dim = cones.dim(i);
  for (int k = 0; k < dim; ++k) block[k * dim + k] += factors.compliance[at(cones.offset(i) + k)];
}

// block += H_i M^-1 H_j^T through one body, on which block i acts with side_i and block j with side_j.
void add_through_body(const DelassusFactors& factors, const Cones& cones, int i, int side_i, int j, int side_j,
                      const InverseMass& inverse_mass, double* block) {
  for (int l = 0; l < cones.dim(j); ++l) {
    const SideRow right = side_row(factors.rows[at(cones.offset(j) + l)], side_j);
    const Vec3 linear = inverse_mass.linear * right.linear;
    const Vec3 angular = inverse_mass.angular * right.angular;
    for (int k = 0; k < cones.dim(i); ++k) {
      const SideRow left = side_row(factors.rows[at(cones.offset(i) + k)], side_i);
      block[k * cones.dim(j) + l] += left.linear.dot(linear) + left.angular.dot(angular);
    }
  }
}

// u_i = q_i + sum over j of W_ij r_j, blocks of any size
void add_row(const BlockSparse& W, const Cones& cones, int i, const double* r, double* u) {
  const int rows = cones.dim(i);
  for (int e = W.first[at(i)]; e < W.first[at(i + 1)]; ++e) {
    const int j = W.column[at(e)];
    const int columns = cones.dim(j);
    const double* block = W.values.data() + W.start[at(e)];
    const double* r_j = r + cones.offset(j);
    for (int k = 0; k < rows; ++k) {
      for (int l = 0; l < columns; ++l) u[k] += block[k * columns + l] * r_j[l];
    }
  }
}

}  // namespace

void BlockSparse::clear() {
  first.assign(1, 0);
  column.clear();
  start.clear();
  diagonal.clear();
  values.clear();
}

// ---- Products ----

void accumulate_twists(const DelassusFactors& factors, const Cones& cones, VectorIn r, std::vector<Twist>& v) {
  v.assign(factors.inverse_mass.size(), Twist{});
  // Momenta H^T r, in block order so that the sum is always the same.
  for (int i = 0; i < cones.count(); ++i) {
    for (int side = 0; side < 2; ++side) {
      const int body = factors.bodies[at(i)][at(side)];
      if (body < 0) continue;
      for (int k = cones.offset(i); k < cones.offset(i) + cones.dim(i); ++k) {
        const SideRow row = side_row(factors.rows[at(k)], side);
        v[at(body)].linear += r[k] * row.linear;
        v[at(body)].angular += r[k] * row.angular;
      }
    }
  }
  // Velocities M^-1 (H^T r).
  for (std::size_t body = 0; body < v.size(); ++body) {
    v[body].linear *= factors.inverse_mass[body].linear;
    v[body].angular = (factors.inverse_mass[body].angular * v[body].angular).eval();
  }
}

void list_actions(const DelassusFactors& factors, BodyActions& actions) {
  std::vector<int>& first = actions.first;
  // Counts two places up, so that filling moves each start to where it belongs.
  first.assign(factors.inverse_mass.size() + 2, 0);
  for (const auto& pair : factors.bodies) {
    for (int body : pair) {
      if (body >= 0) ++first[at(body + 2)];
    }
  }
  for (std::size_t b = 1; b < first.size(); ++b) first[b] += first[b - 1];
  actions.actions.resize(at(first.back()));
  for (int i = 0; i < static_cast<int>(factors.bodies.size()); ++i) {
    for (int side = 0; side < 2; ++side) {
      const int body = factors.bodies[at(i)][at(side)];
      if (body >= 0) actions.actions[at(first[at(body + 1)]++)] = 2 * i + side;
    }
  }
  first.pop_back();
}

void accumulate_twists(const DelassusFactors& factors, const Cones& cones, const BodyActions& actions, Threads threads,
                       VectorIn r, std::vector<Twist>& v) {
  v.resize(factors.inverse_mass.size());
  parallel_for(threads, static_cast<std::ptrdiff_t>(v.size()), [&](std::ptrdiff_t index) {
    const int body = static_cast<int>(index);
    Twist momentum;
    for (int action = actions.first[at(body)]; action < actions.first[at(body + 1)]; ++action) {
      const int i = actions.actions[at(action)] / 2, side = actions.actions[at(action)] % 2;
      for (int k = cones.offset(i); k < cones.offset(i) + cones.dim(i); ++k) {
        const SideRow row = side_row(factors.rows[at(k)], side);
        momentum.linear += r[k] * row.linear;
        momentum.angular += r[k] * row.angular;
      }
    }
    v[at(body)].linear = momentum.linear * factors.inverse_mass[at(body)].linear;
    v[at(body)].angular = factors.inverse_mass[at(body)].angular * momentum.angular;
  });
}

void add_block_velocity(const DelassusFactors& factors, int block, int offset, int dim, const std::vector<Twist>& v,
                        double* u) {
  const auto [a, b] = factors.bodies[at(block)];
  const Twist at_rest;
  const Twist& twist_a = a < 0 ? at_rest : v[at(a)];
  const Twist& twist_b = b < 0 ? at_rest : v[at(b)];
  const Vec3 relative = twist_a.linear - twist_b.linear;
  for (int k = 0; k < dim; ++k) {
    const FactorRow& row = factors.rows[at(offset + k)];
    u[k] += row.linear.dot(relative) + row.angular_a.dot(twist_a.angular) + row.angular_b.dot(twist_b.angular);
  }
}

void block_velocity(const DelassusOperator& W, const Cones& cones, AddRow3x3 add_row_3, int i, const double* r,
                    const double* q, const std::vector<Twist>& v, double* u) {
  const int offset = cones.offset(i), dim = cones.dim(i);
  for (int k = 0; k < dim; ++k) u[k] = q[offset + k];
  if (W.factors) {
    if (!W.factors->compliance.empty())
      for (int k = 0; k < dim; ++k) u[k] += W.factors->compliance[at(offset + k)] * r[offset + k];
    return add_block_velocity(*W.factors, i, offset, dim, v, u);
  }
  const BlockSparse& blocks = *W.assembled;
  if (add_row_3 == nullptr) return add_row(blocks, cones, i, r, u);
  const int begin = blocks.first[at(i)], end = blocks.first[at(i + 1)];
  add_row_3(blocks.values.data(), blocks.column.data(), begin, end, end, r, u);
}

void apply(const BlockSparse& W, const Cones& cones, VectorIn r, VectorIn q, VectorOut u) {
  const AddRow3x3 add_row_3 = only_3x3(W, cones) ? add_row_3x3() : nullptr;
  for (int i = 0; i < cones.count(); ++i) {
    double* u_i = u.data() + cones.offset(i);
    for (int k = 0; k < cones.dim(i); ++k) u_i[k] = q[cones.offset(i) + k];
    const int begin = W.first[at(i)], end = W.first[at(i + 1)];
    if (add_row_3 != nullptr)
      add_row_3(W.values.data(), W.column.data(), begin, end, end, r.data(), u_i);
    else
      add_row(W, cones, i, r.data(), u_i);
  }
}

void apply(const DelassusOperator& W, const Cones& cones, VectorIn r, VectorIn q, VectorOut u) {
  std::vector<Twist> scratch;
  apply(W, cones, r, q, u, scratch);
}

void apply(const DelassusOperator& W, const Cones& cones, VectorIn r, VectorIn q, VectorOut u,
           std::vector<Twist>& scratch) {
  CAROM_CHECK(!W.empty(), "a Delassus operator needs factors or assembled blocks");
  CAROM_CHECK(r.size() == cones.rows() && q.size() == cones.rows() && u.size() == cones.rows(), "sizes agree");
  if (W.factors) accumulate_twists(*W.factors, cones, r, scratch);
  const AddRow3x3 add_row_3 = !W.factors && only_3x3(*W.assembled, cones) ? add_row_3x3() : nullptr;
  for (int i = 0; i < cones.count(); ++i)
    block_velocity(W, cones, add_row_3, i, r.data(), q.data(), scratch, u.data() + cones.offset(i));
}

void diagonal_block(const DelassusOperator& W, const Cones& cones, int i, double* block) {
  CAROM_CHECK(!W.empty(), "a Delassus operator needs factors or assembled blocks");
  const int size = cones.dim(i) * cones.dim(i);
  if (!W.factors) {
    const double* stored = W.assembled->values.data() + W.assembled->start[at(W.assembled->diagonal[at(i)])];
    std::copy(stored, stored + size, block);
    return;
  }
  std::fill(block, block + size, 0.0);
  for (int side = 0; side < 2; ++side) {
    const int body = W.factors->bodies[at(i)][at(side)];
    if (body < 0) continue;
    add_through_body(*W.factors, cones, i, side, i, side, W.factors->inverse_mass[at(body)], block);
  }
  add_compliance(*W.factors, cones, i, block);
}

void diagonal_entries(const DelassusOperator& W, const Cones& cones, int i, double* entries) {
  CAROM_CHECK(!W.empty(), "a Delassus operator needs factors or assembled blocks");
  const int dim = cones.dim(i);
  if (!W.factors) {
    const double* stored = W.assembled->values.data() + W.assembled->start[at(W.assembled->diagonal[at(i)])];
    for (int k = 0; k < dim; ++k) entries[k] = stored[k * dim + k];
    return;
  }
  const auto [a, b] = W.factors->bodies[at(i)];
  const InverseMass immovable;
  const InverseMass& mass_a = a < 0 ? immovable : W.factors->inverse_mass[at(a)];
  const InverseMass& mass_b = b < 0 ? immovable : W.factors->inverse_mass[at(b)];
  for (int k = 0; k < dim; ++k) {
    const FactorRow& row = W.factors->rows[at(cones.offset(i) + k)];
    entries[k] = (mass_a.linear + mass_b.linear) * row.linear.squaredNorm() +
                 row.angular_a.dot(mass_a.angular * row.angular_a) + row.angular_b.dot(mass_b.angular * row.angular_b);
    if (!W.factors->compliance.empty()) entries[k] += W.factors->compliance[at(cones.offset(i) + k)];
  }
}

// ---- Conversions ----

BlockSparse assemble(const DelassusFactors& factors, const Cones& cones) {
  BodyActions scratch;
  BlockSparse W;
  assemble(factors, cones, scratch, W);
  return W;
}

void assemble(const DelassusFactors& factors, const Cones& cones, BodyActions& scratch, BlockSparse& W) {
  const int n = cones.count();
  list_actions(factors, scratch);
  const std::vector<int>&first = scratch.first, &actions = scratch.actions;
  W.clear();
  for (int i = 0; i < n; ++i) {
    // The columns of row i: the blocks on its two bodies, merged in increasing order; i itself always.
    const auto [a, b] = factors.bodies[at(i)];
    int in_a = a < 0 ? 0 : first[at(a)], end_a = a < 0 ? 0 : first[at(a + 1)];
    int in_b = b < 0 ? 0 : first[at(b)], end_b = b < 0 ? 0 : first[at(b + 1)];
    const auto append_column = [&](int j) {
      W.column.push_back(j);
      W.start.push_back(static_cast<std::ptrdiff_t>(W.values.size()));
      W.values.resize(W.values.size() + at(cones.dim(i) * cones.dim(j)), 0.0);
    };
    if (a < 0 && b < 0) append_column(i);
    while (in_a < end_a || in_b < end_b) {
      const int from_a = in_a < end_a ? actions[at(in_a)] : 2 * n;
      const int from_b = in_b < end_b ? actions[at(in_b)] : 2 * n;
      const int j = std::min(from_a / 2, from_b / 2);
      append_column(j);
      double* block = W.values.data() + W.start.back();
      for (; in_a < end_a && actions[at(in_a)] / 2 == j; ++in_a)
        add_through_body(factors, cones, i, 0, j, actions[at(in_a)] % 2, factors.inverse_mass[at(a)], block);
      for (; in_b < end_b && actions[at(in_b)] / 2 == j; ++in_b)
        add_through_body(factors, cones, i, 1, j, actions[at(in_b)] % 2, factors.inverse_mass[at(b)], block);
    }
    const auto row = W.column.begin() + W.first.back();
    W.diagonal.push_back(static_cast<int>(std::lower_bound(row, W.column.end(), i) - W.column.begin()));
    add_compliance(factors, cones, i, W.values.data() + W.start[at(W.diagonal.back())]);
    W.first.push_back(static_cast<int>(W.column.size()));
  }
}

BlockSparse to_block_sparse(const Eigen::SparseMatrix<double>& W, const Cones& cones) {
  CAROM_CHECK(W.rows() == cones.rows() && W.cols() == cones.rows(), "the matrix has the cones' size");
  const Eigen::SparseMatrix<double, Eigen::RowMajor> by_rows = W;
  std::vector<int> block_of(at(cones.rows()));
  for (int i = 0; i < cones.count(); ++i) std::fill_n(block_of.begin() + cones.offset(i), cones.dim(i), i);

  BlockSparse result;
  std::vector<int> entry_of(at(cones.count()), -1);  // per block column: its entry in this block row
  for (int i = 0; i < cones.count(); ++i) {
    const std::size_t row_begin = result.column.size();
    result.column.push_back(i);
    for (int k = 0; k < cones.dim(i); ++k) {
      for (decltype(by_rows)::InnerIterator entry(by_rows, cones.offset(i) + k); entry; ++entry)
        result.column.push_back(block_of[at(static_cast<int>(entry.col()))]);
    }
    std::sort(result.column.begin() + static_cast<std::ptrdiff_t>(row_begin), result.column.end());
    result.column.erase(
        std::unique(result.column.begin() + static_cast<std::ptrdiff_t>(row_begin), result.column.end()),
        result.column.end());
    for (std::size_t e = row_begin; e < result.column.size(); ++e) {
      const int j = result.column[e];
      entry_of[at(j)] = static_cast<int>(e);
      result.start.push_back(static_cast<std::ptrdiff_t>(result.values.size()));
      result.values.resize(result.values.size() + at(cones.dim(i) * cones.dim(j)), 0.0);
    }
    for (int k = 0; k < cones.dim(i); ++k) {
      for (decltype(by_rows)::InnerIterator entry(by_rows, cones.offset(i) + k); entry; ++entry) {
        const int j = block_of[at(static_cast<int>(entry.col()))];
        const int l = static_cast<int>(entry.col()) - cones.offset(j);
        const auto start = static_cast<std::size_t>(result.start[at(entry_of[at(j)])]);
        result.values[start + at(k * cones.dim(j) + l)] += entry.value();
      }
    }
    result.diagonal.push_back(entry_of[at(i)]);
    result.first.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

Eigen::SparseMatrix<double> to_sparse(const BlockSparse& W, const Cones& cones) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(W.values.size());
  for (int i = 0; i < cones.count(); ++i) {
    for (int e = W.first[at(i)]; e < W.first[at(i + 1)]; ++e) {
      const int j = W.column[at(e)];
      const double* block = W.values.data() + W.start[at(e)];
      for (int k = 0; k < cones.dim(i); ++k) {
        for (int l = 0; l < cones.dim(j); ++l)
          entries.emplace_back(cones.offset(i) + k, cones.offset(j) + l, block[k * cones.dim(j) + l]);
      }
    }
  }
  Eigen::SparseMatrix<double> result(cones.rows(), cones.rows());
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

MatrixXd to_dense(const DelassusOperator& W, const Cones& cones) {
  CAROM_CHECK(!W.empty(), "a Delassus operator needs factors or assembled blocks");
  return MatrixXd(to_sparse(W.factors ? assemble(*W.factors, cones) : *W.assembled, cones));
}

bool is_symmetric(const BlockSparse& W, const Cones& cones, double tolerance) {
  double largest = 0;
  for (double value : W.values) largest = std::max(largest, std::abs(value));
  const double allowed = tolerance * largest;
  for (int i = 0; i < cones.count(); ++i) {
    for (int e = W.first[at(i)]; e < W.first[at(i + 1)]; ++e) {
      const int j = W.column[at(e)];
      const auto begin = W.column.begin() + W.first[at(j)], end = W.column.begin() + W.first[at(j + 1)];
      const auto found = std::lower_bound(begin, end, i);
      if (found == end || *found != i) return false;
      const double* W_ij = W.values.data() + W.start[at(e)];
      const double* W_ji = W.values.data() + W.start[static_cast<std::size_t>(found - W.column.begin())];
      for (int k = 0; k < cones.dim(i); ++k) {
        for (int l = 0; l < cones.dim(j); ++l) {
          if (!(std::abs(W_ij[k * cones.dim(j) + l] - W_ji[l * cones.dim(i) + k]) <= allowed)) return false;
        }
      }
    }
  }
  return true;
}

}  // namespace carom
