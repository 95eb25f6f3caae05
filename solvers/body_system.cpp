#include "solvers/body_system.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kAccurate = 1e-12, kAcceptable = 1e-6;  // relative residuals: enough, and still of use
constexpr int kRefinements = 6;

// inverse <- A^-1 by Gauss and Jordan with full pivoting; A is destroyed. False where A is singular.
bool invert(int n, double* A, double* inverse) {
  int row_of[kMaxBlockDim];  // column k was eliminated with this row
  bool used_row[kMaxBlockDim] = {}, used_column[kMaxBlockDim] = {};
  std::fill(inverse, inverse + n * n, 0.0);
  for (int k = 0; k < n; ++k) inverse[k * n + k] = 1;
  for (int step = 0; step < n; ++step) {
    int row = -1, column = -1;
    double largest = 0;
    for (int k = 0; k < n; ++k) {
      for (int l = 0; l < n && !used_row[k]; ++l) {
        if (used_column[l] || !(std::abs(A[k * n + l]) > largest)) continue;
        largest = std::abs(A[k * n + l]), row = k, column = l;
      }
    }
    if (row < 0 || !std::isfinite(largest)) return false;
    used_row[row] = used_column[column] = true;
    row_of[column] = row;
    const double reciprocal = 1 / A[row * n + column];
    for (int l = 0; l < n; ++l) A[row * n + l] *= reciprocal, inverse[row * n + l] *= reciprocal;
    for (int k = 0; k < n; ++k) {
      const double factor = A[k * n + column];
      if (k == row || factor == 0) continue;
      for (int l = 0; l < n; ++l) {
        A[k * n + l] -= factor * A[row * n + l];
        inverse[k * n + l] -= factor * inverse[row * n + l];
      }
    }
  }
  double sorted[kMaxBlockDim * kMaxBlockDim];
  for (int k = 0; k < n; ++k) std::copy_n(inverse + row_of[k] * n, n, sorted + k * n);
  std::copy_n(sorted, n * n, inverse);
  return true;
}

// out = A x
void multiply(int n, const double* A, const double* x, double* out) {
  for (int k = 0; k < n; ++k) {
    out[k] = 0;
    for (int l = 0; l < n; ++l) out[k] += A[k * n + l] * x[l];
  }
}

// Row k of H on one of the block's two bodies: linear and angular part.
void side_row(const FactorRow& row, int side, double* six) {
  for (int c = 0; c < 3; ++c) {
    six[c] = side == 0 ? row.linear[c] : -row.linear[c];
    six[3 + c] = side == 0 ? row.angular_a[c] : row.angular_b[c];
  }
}

}  // namespace

void BodySystem::prepare(const DelassusFactors& factors, const Cones& cones) {
  factors_ = &factors;
  cones_ = &cones;
  const int bodies = static_cast<int>(factors.inverse_mass.size());
  list_actions(factors, actions_);
  blocks_.resize(at(cones.count()));
  places_.resize(at(cones.count()));
  diagonal_.resize(at(bodies));
  pattern_.first.assign(1, 0);
  pattern_.column.clear();
  for (int body = 0; body < bodies; ++body) {
    // the body itself and those it touches, sorted; then the same row once more for its angular half
    const std::size_t begin = pattern_.column.size();
    pattern_.column.push_back(2 * body);
    for (int k = actions_.first[at(body)]; k < actions_.first[at(body + 1)]; ++k) {
      const int action = actions_.actions[at(k)];
      const int other = factors.bodies[at(action / 2)][at(1 - action % 2)];
      if (other >= 0) pattern_.column.push_back(2 * other);
    }
    const auto first = pattern_.column.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, pattern_.column.end());
    pattern_.column.erase(std::unique(first, pattern_.column.end()), pattern_.column.end());
    const std::size_t neighbours = pattern_.column.size() - begin;
    pattern_.column.resize(begin + 4 * neighbours);
    for (std::size_t k = neighbours; k-- > 0;) {
      const int column = pattern_.column[begin + k];
      for (const std::size_t row : {std::size_t{0}, 2 * neighbours}) {
        pattern_.column[begin + row + 2 * k] = column;
        pattern_.column[begin + row + 2 * k + 1] = column + 1;
      }
    }
    pattern_.first.push_back(static_cast<int>(begin + 2 * neighbours));
    pattern_.first.push_back(static_cast<int>(begin + 4 * neighbours));
  }
  const auto find = [&](int row_body, int column_body) {
    const auto begin = pattern_.column.begin() + pattern_.first[at(2 * row_body)];
    const auto end = pattern_.column.begin() + pattern_.first[at(2 * row_body + 1)];
    return static_cast<int>(std::lower_bound(begin, end, 2 * column_body) - pattern_.column.begin());
  };
  for (int body = 0; body < bodies; ++body) diagonal_[at(body)] = find(body, body);
  for (int i = 0; i < cones.count(); ++i) {
    const auto [a, b] = factors.bodies[at(i)];
    places_[at(i)] = a >= 0 && b >= 0 ? std::array<int, 2>{find(a, b), find(b, a)} : std::array<int, 2>{-1, -1};
  }
  tiles_.resize(pattern_.column.size());
  p_.resize(6 * at(bodies));
  residual_.resize(cones.rows());
  correction_.resize(cones.rows());
  lu_.order(pattern_);
  all_.assign(2 * at(bodies), 1);
  lu_.analyze(pattern_, all_);
}

void BodySystem::start() {
  for (Block& block : blocks_) block.takes_part = false;
}

void BodySystem::set(int i, const double* L, const double* A) {
  const int dim = cones_->dim(i);
  Block& block = blocks_[at(i)];
  block.takes_part = true;
  block.unit = L == nullptr;
  if (L != nullptr) std::copy_n(L, dim * dim, block.L);
  std::copy_n(A, dim * dim, block.A);
}

bool BodySystem::factor() {
  std::fill(tiles_.begin(), tiles_.end(), Tile{});
  double D[kMaxBlockDim * kMaxBlockDim];
  for (int i = 0; i < cones_->count(); ++i) {
    Block& block = blocks_[at(i)];
    if (!block.takes_part) continue;
    // D = A + L C,   gain = D^-1 L
    const int dim = cones_->dim(i);
    std::copy_n(block.A, dim * dim, D);
    if (!factors_->compliance.empty()) {
      for (int k = 0; k < dim; ++k) {
        for (int l = 0; l < dim; ++l) {
          const double L = block.unit ? (k == l ? 1.0 : 0.0) : block.L[k * dim + l];
          D[k * dim + l] += L * factors_->compliance[at(cones_->offset(i) + l)];
        }
      }
    }
    if (!invert(dim, D, block.D_inverse)) return false;
    std::copy_n(block.D_inverse, dim * dim, block.gain);
    if (!block.unit) {
      for (int k = 0; k < dim; ++k) {
        for (int l = 0; l < dim; ++l) {
          block.gain[k * dim + l] = 0;
          for (int m = 0; m < dim; ++m) block.gain[k * dim + l] += block.D_inverse[k * dim + m] * block.L[m * dim + l];
        }
      }
    }
    for (int row = 0; row < 2; ++row) {
      for (int column = 0; column < 2; ++column) add_through(i, row, column);
    }
  }
  for (std::size_t body = 0; body < diagonal_.size(); ++body) {
    const int next_row = pattern_.first[2 * body + 1] - pattern_.first[2 * body];
    for (int k = 0; k < 3; ++k) {
      tiles_[at(diagonal_[body])].row[k][k] += 1;
      tiles_[at(diagonal_[body] + next_row + 1)].row[k][k] += 1;
    }
  }
  return lu_.factor(pattern_, tiles_);
}

// H_row^T gain H_column M_column^-1 of block i to the tiles of its two bodies.
void BodySystem::add_through(int i, int side_of_row, int side_of_column) {
  const int body = factors_->bodies[at(i)][at(side_of_row)], column = factors_->bodies[at(i)][at(side_of_column)];
  if (body < 0 || column < 0) return;
  const InverseMass& mass = factors_->inverse_mass[at(column)];
  const Block& block = blocks_[at(i)];
  const int dim = cones_->dim(i), offset = cones_->offset(i);
  double left[kMaxBlockDim][6], right[kMaxBlockDim][6];
  for (int k = 0; k < dim; ++k) {
    side_row(factors_->rows[at(offset + k)], side_of_row, left[k]);
    double six[6];
    side_row(factors_->rows[at(offset + k)], side_of_column, six);
    for (int c = 0; c < 3; ++c) {
      right[k][c] = mass.linear * six[c];
      right[k][3 + c] = six[3] * mass.angular(0, c) + six[4] * mass.angular(1, c) + six[5] * mass.angular(2, c);
    }
  }
  const int start = body == column ? diagonal_[at(body)] : places_[at(i)][at(side_of_row)];
  const int next_row = pattern_.first[at(2 * body + 1)] - pattern_.first[at(2 * body)];
  for (int k = 0; k < dim; ++k) {
    double through[6] = {};  // row k of gain H M^-1
    for (int l = 0; l < dim; ++l) {
      const double g = block.gain[k * dim + l];
      if (g == 0) continue;
      for (int c = 0; c < 6; ++c) through[c] += g * right[l][c];
    }
    for (int half = 0; half < 2; ++half) {
      Tile* tile = tiles_.data() + start + half * next_row;
      for (int c = 0; c < 3; ++c) {
        const double h = left[k][3 * half + c];
        for (int d = 0; d < 3; ++d) {
          tile[0].row[c][d] += h * through[d];
          tile[1].row[c][d] += h * through[3 + d];
        }
      }
    }
  }
}

// p = H^T x over the blocks that take part
void BodySystem::gather_momenta(VectorIn x, std::vector<double>& p) const {
  std::fill(p.begin(), p.end(), 0.0);
  for (int i = 0; i < cones_->count(); ++i) {
    if (!blocks_[at(i)].takes_part) continue;
    for (int side = 0; side < 2; ++side) {
      const int body = factors_->bodies[at(i)][at(side)];
      if (body < 0) continue;
      double* p_body = p.data() + 6 * body;
      for (int k = cones_->offset(i); k < cones_->offset(i) + cones_->dim(i); ++k) {
        double six[6];
        side_row(factors_->rows[at(k)], side, six);
        for (int c = 0; c < 6; ++c) p_body[c] += x[k] * six[c];
      }
    }
  }
}

// u = H_i M^-1 p; terms: what it is the sum of, without signs
void BodySystem::velocity(int i, const std::vector<double>& p, double* u, double* terms) const {
  const int dim = cones_->dim(i);
  std::fill(u, u + dim, 0.0);
  std::fill(terms, terms + dim, 0.0);
  for (int side = 0; side < 2; ++side) {
    const int body = factors_->bodies[at(i)][at(side)];
    if (body < 0) continue;
    const InverseMass& mass = factors_->inverse_mass[at(body)];
    const double* q = p.data() + 6 * body;
    double v[6];
    for (int c = 0; c < 3; ++c) {
      v[c] = mass.linear * q[c];
      v[3 + c] = mass.angular(c, 0) * q[3] + mass.angular(c, 1) * q[4] + mass.angular(c, 2) * q[5];
    }
    for (int k = 0; k < dim; ++k) {
      double six[6];
      side_row(factors_->rows[at(cones_->offset(i) + k)], side, six);
      for (int c = 0; c < 6; ++c) {
        u[k] += six[c] * v[c];
        terms[k] += std::abs(six[c] * v[c]);
      }
    }
  }
}

void BodySystem::apply_inverse(VectorIn b, VectorOut x) {
  // g = H^T D^-1 b
  for (int i = 0; i < cones_->count(); ++i) {
    const int offset = cones_->offset(i), dim = cones_->dim(i);
    if (blocks_[at(i)].takes_part)
      multiply(dim, blocks_[at(i)].D_inverse, b.data() + offset, x.data() + offset);
    else
      x.segment(offset, dim).setZero();
  }
  gather_momenta(x, p_);
  // p = (1 + H^T D^-1 L H M^-1)^-1 g
  lu_.solve(p_.data());
  // x = D^-1 b - gain H M^-1 p
  double u[kMaxBlockDim], terms[kMaxBlockDim], change[kMaxBlockDim];
  for (int i = 0; i < cones_->count(); ++i) {
    if (!blocks_[at(i)].takes_part) continue;
    const int offset = cones_->offset(i), dim = cones_->dim(i);
    velocity(i, p_, u, terms);
    multiply(dim, blocks_[at(i)].gain, u, change);
    for (int k = 0; k < dim; ++k) x[offset + k] -= change[k];
  }
}

// out = b - (D + L H M^-1 H^T) x; returns its largest entry relative to the terms it is made of.
double BodySystem::residual(VectorIn b, VectorIn x, VectorOut out) {
  double worst = 0, u[kMaxBlockDim], terms[kMaxBlockDim];
  gather_momenta(x, p_);
  for (int i = 0; i < cones_->count(); ++i) {
    const Block& block = blocks_[at(i)];
    const int offset = cones_->offset(i), dim = cones_->dim(i);
    if (!block.takes_part) {
      out.segment(offset, dim).setZero();
      continue;
    }
    velocity(i, p_, u, terms);
    if (!factors_->compliance.empty()) {
      for (int k = 0; k < dim; ++k) u[k] += factors_->compliance[at(offset + k)] * x[offset + k];
    }
    for (int k = 0; k < dim; ++k) {
      double sum = b[offset + k], size = std::abs(sum);
      for (int l = 0; l < dim; ++l) {
        const double own = block.A[k * dim + l] * x[offset + l];
        const double L = block.unit ? (k == l ? 1.0 : 0.0) : block.L[k * dim + l];
        sum -= own + L * u[l];
        size += std::abs(own) + std::abs(L) * terms[l];
      }
      out[offset + k] = sum;
      const double relative = size > 0 ? std::abs(sum) / size : 0.0;
      if (!(relative <= worst)) worst = relative;
    }
  }
  return worst;
}

bool BodySystem::solve(VectorIn b, VectorOut x) {
  apply_inverse(b, x);
  double error = residual(b, x, residual_);
  for (int pass = 0; pass < kRefinements && error > kAccurate; ++pass) {
    apply_inverse(residual_, correction_);
    x += correction_;
    const double next = residual(b, x, residual_);
    const bool enough = !(next < 0.5 * error);
    error = next;
    if (enough) break;
  }
  return error <= kAcceptable;
}

void BodySystem::solve_once(VectorOut x) {
  correction_ = x;
  apply_inverse(correction_, x);
}

}  // namespace carom
