#include "solvers/block_system.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

int tiles_in(int dim) { return (dim + 2) / 3; }

constexpr double kAccurate = 1e-12;   // relative residual that needs no more refinement
constexpr double kAcceptable = 1e-6;  // beyond this, pivots over the whole matrix are needed
constexpr int kRefinements = 3;
constexpr int kDenseRows = 400;  // pivoted systems up to this size are dense

}  // namespace

void BlockSystem::prepare(const BlockSparse& W, const Cones& cones) {
  W_ = &W;
  cones_ = &cones;
  pivoted_ = 0;
  const int n = cones.count();
  tile_of_.resize(at(n) + 1);
  tile_of_[0] = 0;
  for (int i = 0; i < n; ++i) tile_of_[at(i + 1)] = tile_of_[at(i)] + tiles_in(cones.dim(i));
  const int tiles = tile_of_[at(n)];
  block_of_.resize(at(tiles));
  for (int i = 0; i < n; ++i)
    std::fill(block_of_.begin() + tile_of_[at(i)], block_of_.begin() + tile_of_[at(i + 1)], i);

  find_pattern(W, cones);
  tiles_.resize(pattern_.column.size());
  active_.assign(at(tiles), 0);
  active_blocks_.clear();
  for (auto* v : {&right_, &x_, &residual_}) v->assign(at(3 * tiles), 0.0);
  row_of_.resize(at(tiles));
  lu_.order(pattern_);
}

// Block columns of each row, W's and those of its transpose: files store unsymmetric patterns too.
void BlockSystem::find_pattern(const BlockSparse& W, const Cones& cones) {
  const int n = cones.count();
  missing_.clear();
  for (int i = 0; i < n; ++i) {
    for (int e = W.first[at(i)]; e < W.first[at(i + 1)]; ++e) {
      const int j = W.column[at(e)];
      const auto begin = W.column.begin() + W.first[at(j)], end = W.column.begin() + W.first[at(j + 1)];
      if (!std::binary_search(begin, end, i)) missing_.emplace_back(j, i);
    }
  }
  std::sort(missing_.begin(), missing_.end());
  auto missing = missing_.begin();
  pattern_.first.assign(1, 0);
  pattern_.column.clear();
  entry_tiles_.resize(2 * W.column.size());
  for (int i = 0; i < n; ++i) {
    columns_.assign(W.column.begin() + W.first[at(i)], W.column.begin() + W.first[at(i + 1)]);
    const bool more = missing != missing_.end() && missing->first == i;
    for (; missing != missing_.end() && missing->first == i; ++missing) columns_.push_back(missing->second);
    if (more) std::sort(columns_.begin(), columns_.end());
    for (int half = 0; half < tiles_in(cones.dim(i)); ++half) {
      int e = W.first[at(i)];
      for (int j : columns_) {
        if (e < W.first[at(i + 1)] && W.column[at(e)] == j)
          entry_tiles_[at(2 * e++ + half)] = static_cast<int>(pattern_.column.size());
        for (int tile = tile_of_[at(j)]; tile < tile_of_[at(j + 1)]; ++tile) pattern_.column.push_back(tile);
      }
      pattern_.first.push_back(static_cast<int>(pattern_.column.size()));
    }
  }
}

void BlockSystem::start(const std::vector<char>& active) {
  if (active != active_blocks_) {
    active_blocks_ = active;
    for (std::size_t tile = 0; tile < block_of_.size(); ++tile) active_[tile] = active[at(block_of_[tile])];
    lu_.analyze(pattern_, active_);
  }
  std::fill(tiles_.begin(), tiles_.end(), Tile{});
  // rows that a tile has and its block has not: x = 0
  for (int i = 0; i < cones_->count(); ++i) {
    const int used = (cones_->dim(i) - 1) % 3 + 1, last = tile_of_[at(i + 1)] - 1;
    if (used == 3) continue;
    const auto row = pattern_.column.begin() + pattern_.first[at(last)];
    const auto place = std::lower_bound(row, pattern_.column.begin() + pattern_.first[at(last + 1)], last);
    Tile& diagonal = tiles_[static_cast<std::size_t>(place - pattern_.column.begin())];
    for (int k = used; k < 3; ++k) diagonal.row[k][k] = 1;
  }
}

void BlockSystem::add(int, int e, int rows, int columns, const double* block) {
  for (int k = 0; k < rows; ++k) {
    Tile* tile = tiles_.data() + entry_tiles_[at(2 * e + k / 3)];
    for (int l = 0; l < columns; ++l) tile[l / 3].row[k % 3][l % 3] += block[k * columns + l];
  }
}

bool BlockSystem::factor() {
  use_pivots_ = !lu_.factor(pattern_, tiles_);
  return !use_pivots_ || factor_pivoted();
}

bool BlockSystem::factor_pivoted() {
  use_pivots_ = true;
  ++pivoted_;
  int rows = 0;
  for (std::size_t tile = 0; tile < active_.size(); ++tile) {
    row_of_[tile] = active_[tile] ? rows : -1;
    rows += active_[tile] ? 3 : 0;
  }
  dense_or_sparse_.start(rows, rows <= kDenseRows);
  for (std::size_t tile = 0; tile < active_.size(); ++tile) {
    if (!active_[tile]) continue;
    for (int e = pattern_.first[tile]; e < pattern_.first[tile + 1]; ++e) {
      const int column = row_of_[at(pattern_.column[at(e)])];
      if (column < 0) continue;
      double block[9];
      for (int k = 0; k < 9; ++k) block[k] = tiles_[at(e)].row[k / 3][k % 3];
      dense_or_sparse_.add(row_of_[tile], column, 3, 3, block);
    }
  }
  pivot_right_.resize(rows);
  pivot_x_.resize(rows);
  return dense_or_sparse_.factor();
}

// x <- A^-1 x
void BlockSystem::apply_inverse(std::vector<double>& x) {
  if (!use_pivots_) return lu_.solve(x.data());
  for (std::size_t tile = 0; tile < active_.size(); ++tile) {
    for (int k = 0; active_[tile] && k < 3; ++k) pivot_right_[row_of_[tile] + k] = x[3 * tile + at(k)];
  }
  dense_or_sparse_.solve(pivot_right_, pivot_x_);
  for (std::size_t tile = 0; tile < active_.size(); ++tile) {
    for (int k = 0; active_[tile] && k < 3; ++k) x[3 * tile + at(k)] = pivot_x_[row_of_[tile] + k];
  }
}

// out = right - A x; returns its largest entry relative to the terms it is made of.
double BlockSystem::residual_of(const std::vector<double>& x, std::vector<double>& out) const {
  double worst = 0;
  for (std::size_t tile = 0; tile < active_.size(); ++tile) {
    if (!active_[tile]) continue;
    double sum[3], terms[3];
    for (int k = 0; k < 3; ++k) {
      sum[k] = right_[3 * tile + at(k)];
      terms[k] = std::abs(sum[k]);
    }
    for (int e = pattern_.first[tile]; e < pattern_.first[tile + 1]; ++e) {
      const int column = pattern_.column[at(e)];
      if (!active_[at(column)]) continue;
      const double* x_j = x.data() + 3 * column;
      for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
          const double term = tiles_[at(e)].row[k][l] * x_j[l];
          sum[k] -= term;
          terms[k] += std::abs(term);
        }
      }
    }
    for (int k = 0; k < 3; ++k) {
      out[3 * tile + at(k)] = sum[k];
      const double relative = terms[k] > 0 ? std::abs(sum[k]) / terms[k] : 0.0;
      if (!(relative <= worst)) worst = relative;
    }
  }
  return worst;
}

// Stacked blocks to three numbers a tile, and back; blocks that do not take part are passed over, and zero.
void BlockSystem::scatter(VectorIn b, std::vector<double>& tiles) const {
  for (int i = 0; i < cones_->count(); ++i) {
    const std::size_t base = 3 * at(tile_of_[at(i)]);
    for (int k = 0; active_blocks_[at(i)] && k < cones_->dim(i); ++k) tiles[base + at(k)] = b[cones_->offset(i) + k];
    for (int k = cones_->dim(i); k < 3 * tiles_in(cones_->dim(i)); ++k) tiles[base + at(k)] = 0;
  }
}

void BlockSystem::gather(const std::vector<double>& tiles, VectorOut x) const {
  x.setZero();
  for (int i = 0; i < cones_->count(); ++i) {
    const std::size_t base = 3 * at(tile_of_[at(i)]);
    for (int k = 0; active_blocks_[at(i)] && k < cones_->dim(i); ++k) x[cones_->offset(i) + k] = tiles[base + at(k)];
  }
}

void BlockSystem::solve_once(VectorOut x) {
  scatter(x, x_);
  apply_inverse(x_);
  gather(x_, x);
}

bool BlockSystem::solve(VectorIn b, VectorOut x) {
  scatter(b, right_);
  double error = std::numeric_limits<double>::infinity();
  for (const bool pivots : {use_pivots_, true}) {
    if (pivots && !use_pivots_ && !factor_pivoted()) break;
    x_ = right_;
    apply_inverse(x_);
    error = residual_of(x_, residual_);
    for (int pass = 0; pass < kRefinements && error > kAccurate; ++pass) {
      apply_inverse(residual_);
      for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += residual_[k];
      const double next = residual_of(x_, residual_);
      const bool enough = !(next < 0.5 * error);
      error = next;
      if (enough) break;
    }
    if (error <= kAcceptable || use_pivots_) break;
  }
  gather(x_, x);
  return error <= kAcceptable;
}

}  // namespace carom
