#include "solvers/tile_lu.h"

#include <amd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// One padded row. g++ makes it two SSE registers, or one of AVX where a function is compiled for that.
typedef double Row __attribute__((vector_size(32), may_alias));

const Row& as_row(const double* x) { return *reinterpret_cast<const Row*>(x); }
Row& as_row(double* x) { return *reinterpret_cast<Row*>(x); }

// work[column[e]] -= L U[e] for a row of tiles U
__attribute__((target_clones("avx2", "default"))) void subtract_products(const Tile& L, const Tile* U,
                                                                         const int* column, int count, Tile* work) {
  for (int e = 0; e < count; ++e) {
    const Row u0 = as_row(U[e].row[0]), u1 = as_row(U[e].row[1]), u2 = as_row(U[e].row[2]);
    Tile& target = work[column[e]];
    for (int k = 0; k < 3; ++k) {
      const double* l = L.row[k];
      as_row(target.row[k]) -= l[0] * u0 + l[1] * u1 + l[2] * u2;
    }
  }
}

Tile product(const Tile& a, const Tile& b) {
  Tile c;
  for (int k = 0; k < 3; ++k)
    as_row(c.row[k]) = a.row[k][0] * as_row(b.row[0]) + a.row[k][1] * as_row(b.row[1]) + a.row[k][2] * as_row(b.row[2]);
  return c;
}

// Gauss-Jordan with full pivoting: tiles of interior-point matrices span many orders of magnitude.
bool invert(const Tile& tile, Tile& inverse) {
  double a[3][6];
  for (int k = 0; k < 3; ++k) {
    for (int l = 0; l < 3; ++l) {
      a[k][l] = tile.row[k][l];
      a[k][l + 3] = k == l ? 1.0 : 0.0;
    }
  }
  int pivot_column[3];
  for (int step = 0; step < 3; ++step) {
    int row = -1, column = -1;
    double largest = 0;
    for (int k = step; k < 3; ++k) {
      for (int l = 0; l < 3; ++l) {
        if (!(std::abs(a[k][l]) > largest)) continue;
        if (std::find(pivot_column, pivot_column + step, l) != pivot_column + step) continue;
        largest = std::abs(a[k][l]), row = k, column = l;
      }
    }
    if (row < 0 || !std::isfinite(largest)) return false;
    std::swap(a[step], a[row]);
    pivot_column[step] = column;
    const double reciprocal = 1 / a[step][column];
    for (double& x : a[step]) x *= reciprocal;
    for (int k = 0; k < 3; ++k) {
      if (k == step) continue;
      const double factor = a[k][column];
      for (int l = 0; l < 6; ++l) a[k][l] -= factor * a[step][l];
    }
  }
  for (int step = 0; step < 3; ++step) {
    for (int l = 0; l < 3; ++l) inverse.row[pivot_column[step]][l] = a[step][l + 3];
    inverse.row[step][3] = 0;
  }
  return true;
}

// x -= T y
void subtract(const Tile& T, const double* y, double* x) {
  for (int k = 0; k < 3; ++k) x[k] -= T.row[k][0] * y[0] + T.row[k][1] * y[1] + T.row[k][2] * y[2];
}

}  // namespace

void TileLu::order(const TilePattern& pattern) {
  const int n = static_cast<int>(pattern.first.size()) - 1;
  tile_at_.resize(at(n));
  rank_.resize(at(n));
  // amd_2 is amd_order without its checks and its memory: nine arrays of n and the graph, a fifth of it spare.
  const std::size_t entries = pattern.column.size(), room = entries + entries / 5 + at(n);
  amd_memory_.resize(9 * at(n) + room);
  int* array = amd_memory_.data();
  const auto next_array = [&] { return std::exchange(array, array + n); };
  int *start = next_array(), *length = next_array(), *nv = next_array(), *next = next_array(), *head = next_array(),
      *elements = next_array(), *degree = next_array(), *mark = next_array();
  int* graph = array;
  int used = 0;
  for (int i = 0; i < n; ++i) {
    start[i] = used;
    for (int e = pattern.first[at(i)]; e < pattern.first[at(i + 1)]; ++e) {
      if (pattern.column[at(e)] != i) graph[used++] = pattern.column[at(e)];
    }
    length[i] = used - start[i];
  }
  double control[AMD_CONTROL], info[AMD_INFO];
  amd_defaults(control);
  amd_2(n, start, graph, length, static_cast<int>(room), used, nv, next, tile_at_.data(), head, elements, degree, mark,
        control, info);
  expected_products_ = info[AMD_NMULTSUBS_LU] + info[AMD_NDIV];
  expected_tiles_ = 2 * info[AMD_LNZ] + n;
  for (int place = 0; place < n; ++place) rank_[at(tile_at_[at(place)])] = place;
}

void TileLu::analyze(const TilePattern& pattern, const std::vector<char>& active) {
  const int n = static_cast<int>(rank_.size());
  // active tiles in the order of elimination
  place_.assign(at(n), -1);
  tile_at_.resize(at(n));
  for (int tile = 0; tile < n; ++tile) tile_at_[at(rank_[at(tile)])] = tile;
  int m = 0;
  for (int k = 0; k < n; ++k) {
    const int tile = tile_at_[at(k)];
    if (!active[at(tile)]) continue;
    place_[at(tile)] = m;
    tile_at_[at(m++)] = tile;
  }
  tile_at_.resize(at(m));

  // Row i of U: row i of A and the rows of U whose first column is i, all beyond i. `next` chains rows by first column.
  upper_.first.assign(1, 0);
  upper_.column.clear();
  mark_.assign(at(m), -1);
  next_.assign(at(2 * m), -1);
  int* const head = next_.data() + m;  // first row with that first column
  products_ = 0;
  for (int i = 0; i < m; ++i) {
    mark_[at(i)] = i;
    const auto visit = [&](int j) {
      if (j <= i || mark_[at(j)] == i) return;
      mark_[at(j)] = i;
      upper_.column.push_back(j);
    };
    const int tile = tile_at_[at(i)];
    for (int e = pattern.first[at(tile)]; e < pattern.first[at(tile + 1)]; ++e)
      visit(place_[at(pattern.column[at(e)])]);
    for (int k = head[i]; k >= 0; k = next_[at(k)]) {
      for (int e = upper_.first[at(k)]; e < upper_.first[at(k + 1)]; ++e) visit(upper_.column[at(e)]);
    }
    const auto begin = upper_.column.begin() + upper_.first.back();
    std::sort(begin, upper_.column.end());
    if (begin != upper_.column.end()) {
      next_[at(i)] = head[*begin];
      head[*begin] = i;
    }
    const auto count = static_cast<std::ptrdiff_t>(upper_.column.size()) - upper_.first.back();
    products_ += count * count + count;
    upper_.first.push_back(static_cast<int>(upper_.column.size()));
  }

  // L has the transposed pattern.
  lower_.first.assign(at(m) + 1, 0);
  for (int j : upper_.column) ++lower_.first[at(j) + 1];
  for (int i = 0; i < m; ++i) lower_.first[at(i + 1)] += lower_.first[at(i)];
  lower_.column.resize(upper_.column.size());
  std::copy(lower_.first.begin(), lower_.first.end() - 1, next_.begin());
  for (int i = 0; i < m; ++i) {
    for (int e = upper_.first[at(i)]; e < upper_.first[at(i + 1)]; ++e)
      lower_.column[at(next_[at(upper_.column[at(e)])]++)] = i;
  }
  lower_tiles_.resize(lower_.column.size());
  upper_tiles_.resize(upper_.column.size());
  inverse_.resize(at(m));
  work_.assign(at(m), Tile{});
  y_.resize(at(3 * m));
}

bool TileLu::factor(const TilePattern& pattern, const std::vector<Tile>& values) {
  const int m = static_cast<int>(tile_at_.size());
  for (int i = 0; i < m; ++i) {
    // work = row i of A
    work_[at(i)] = Tile{};
    for (int e = lower_.first[at(i)]; e < lower_.first[at(i + 1)]; ++e) work_[at(lower_.column[at(e)])] = Tile{};
    for (int e = upper_.first[at(i)]; e < upper_.first[at(i + 1)]; ++e) work_[at(upper_.column[at(e)])] = Tile{};
    const int tile = tile_at_[at(i)];
    for (int e = pattern.first[at(tile)]; e < pattern.first[at(tile + 1)]; ++e) {
      const int j = place_[at(pattern.column[at(e)])];
      if (j >= 0) work_[at(j)] = values[at(e)];
    }
    // work -= L_ik U_k*, k increasing
    for (int e = lower_.first[at(i)]; e < lower_.first[at(i + 1)]; ++e) {
      const int k = lower_.column[at(e)];
      const Tile L = product(work_[at(k)], inverse_[at(k)]);
      lower_tiles_[at(e)] = L;
      const int begin = upper_.first[at(k)];
      subtract_products(L, upper_tiles_.data() + begin, upper_.column.data() + begin, upper_.first[at(k + 1)] - begin,
                        work_.data());
    }
    if (!invert(work_[at(i)], inverse_[at(i)])) return false;
    for (int e = upper_.first[at(i)]; e < upper_.first[at(i + 1)]; ++e)
      upper_tiles_[at(e)] = work_[at(upper_.column[at(e)])];
  }
  return true;
}

void TileLu::solve(double* x) {
  const int m = static_cast<int>(tile_at_.size());
  // L y = x
  for (int i = 0; i < m; ++i) {
    double* y = y_.data() + 3 * i;
    std::copy_n(x + 3 * tile_at_[at(i)], 3, y);
    for (int e = lower_.first[at(i)]; e < lower_.first[at(i + 1)]; ++e)
      subtract(lower_tiles_[at(e)], y_.data() + 3 * lower_.column[at(e)], y);
  }
  // U x = y
  for (int i = m - 1; i >= 0; --i) {
    double* y = y_.data() + 3 * i;
    for (int e = upper_.first[at(i)]; e < upper_.first[at(i + 1)]; ++e)
      subtract(upper_tiles_[at(e)], y_.data() + 3 * upper_.column[at(e)], y);
    double scaled[3] = {0, 0, 0};
    subtract(inverse_[at(i)], y, scaled);
    for (int k = 0; k < 3; ++k) x[3 * tile_at_[at(i)] + k] = y[k] = -scaled[k];
  }
}

}  // namespace carom
