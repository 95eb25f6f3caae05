// Sparse LU of a matrix of 3x3 tiles with a symmetric pattern, pivoting inside tiles only.
//
// The matrices of contact problems, W plus something positive on the diagonal, need no other pivots, so that the order
// of elimination can be chosen once for little fill (AMD on the graph of contacts) and the numbers flow through fixed
// lists. Rows of a tile are padded to four numbers, one vector register (or two): tile products are most of the work.
//
//     row i of A - sum over k < i of L_ik U_k*   =   row i of U,       L_ik = (that)_ik U_kk^-1
//
//   cost   54 operations per tile product;  KaplasTower (570 contacts): 32 million in all, 40 times fewer than dense
#pragma once

#include "base/types.h"

namespace carom {

// Three rows of four numbers; the fourth is zero.
struct alignas(32) Tile {
  double row[3][4] = {};
};

// Lists of tiles by rows: row i owns column[first[i]] .. column[first[i+1]-1], increasing.
struct TilePattern {
  std::vector<int> first = {0};
  std::vector<int> column;
};

class TileLu {
 public:
  // The order of elimination for a symmetric pattern (diagonal included or not), and with it what elimination costs.
  void order(const TilePattern& pattern);
  double expected_products() const { return expected_products_; }  // of a factorization of the whole, at most
  double expected_tiles() const { return expected_tiles_; }        // of L and U, at most

  // Fill of the part of the pattern whose tiles are active, in that order.
  void analyze(const TilePattern& pattern, const std::vector<char>& active);

  // A given on the pattern of `order`: tile e of `values` stands at column[e]; rows and columns that are not active are
  // passed over. False when a diagonal tile turns out singular or not finite.
  bool factor(const TilePattern& pattern, const std::vector<Tile>& values);

  // x <- A^-1 x on active tiles, three numbers a tile.
  void solve(double* x);

  std::ptrdiff_t tile_products() const { return products_; }  // of one factorization

 private:
  double expected_products_ = 0, expected_tiles_ = 0;  // order
  std::vector<int> amd_memory_;                        // order: the graph, and room for what happens to it
  std::vector<int> rank_;                              // order: place of a tile in the elimination
  std::vector<int> tile_at_;                           // analyze: active tiles in that order
  std::vector<int> place_;                             // analyze: of a tile among those, or -1
  TilePattern lower_, upper_;                          // analyze: strict parts of L and U
  std::ptrdiff_t products_ = 0;
  std::vector<Tile> lower_tiles_, upper_tiles_, inverse_;  // factor: L_ik, U_ij, U_ii^-1
  std::vector<Tile> work_;                                 // factor: one row
  std::vector<double> y_;                                  // solve
  std::vector<int> parent_, mark_, next_;                  // analyze
};

}  // namespace carom
