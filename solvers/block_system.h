// A linear system with the block pattern of a Delassus operator, A = (something) W + (something on the diagonal), on
// the blocks that take part. Solved by TileLu with iterative refinement, which is enough for all but ill-posed systems;
// where refinement does not converge, by LU with pivoting over the whole matrix.
//
// Blocks of up to three rows are one tile each, larger ones two; unused rows of tiles carry a unit diagonal.
#pragma once

#include "solvers/delassus.h"
#include "solvers/pivoted_system.h"
#include "solvers/tile_lu.h"

namespace carom {

class BlockSystem {
 public:
  // The pattern, and the order of elimination. Once per problem.
  void prepare(const BlockSparse& W, const Cones& cones);
  // What factoring all blocks then costs and takes, at most.
  double expected_products() const { return lu_.expected_products(); }  // of 3x3 tiles
  double expected_tiles() const { return lu_.expected_tiles(); }

  // Which blocks take part; the fill is computed anew only when they changed. Entries become zero.
  void start(const std::vector<char>& active);

  // Entry e of W's pattern, block (i, column[e]), receives += the block, row-major with `columns` columns.
  void add(int i, int e, int rows, int columns, const double* block);

  bool factor();

  // x = A^-1 b on active blocks, both stacked as the problem's r; x of other blocks is zero. False when no
  // factorization gave a small residual; x is then the best there is.
  bool solve(VectorIn b, VectorOut x);

  // x <- A^-1 x without refinement.
  void solve_once(VectorOut x);

  int pivoted() const { return pivoted_; }  // systems that needed pivoting over the whole matrix, since prepare

 private:
  void scatter(VectorIn b, std::vector<double>& tiles) const;
  void gather(const std::vector<double>& tiles, VectorOut x) const;
  double residual_of(const std::vector<double>& x, std::vector<double>& out) const;
  bool factor_pivoted();
  void apply_inverse(std::vector<double>& x);

  void find_pattern(const BlockSparse& W, const Cones& cones);

  const BlockSparse* W_ = nullptr;
  const Cones* cones_ = nullptr;
  std::vector<std::pair<int, int>> missing_;  // find_pattern: blocks (i, j) that only W's transpose has
  std::vector<int> columns_;                  // find_pattern: of one row
  std::vector<int> tile_of_;                  // per block: its first tile
  std::vector<int> block_of_;                 // per tile
  TilePattern pattern_;                       // of tiles
  std::vector<int> entry_tiles_;              // per entry of W: where its tile rows start in the pattern, two numbers
  std::vector<Tile> tiles_;                   // A
  std::vector<char> active_, active_blocks_;
  TileLu lu_;
  PivotedSystem dense_or_sparse_;
  bool use_pivots_ = false;
  int pivoted_ = 0;
  std::vector<int> row_of_;                   // per tile: its first row in the pivoted system, or -1
  std::vector<double> right_, x_, residual_;  // three numbers a tile
  Vector pivot_right_, pivot_x_;
};

}  // namespace carom
