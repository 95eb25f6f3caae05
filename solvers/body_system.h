// The linear systems of newton, ipm and admm where W = H M^-1 H^T + C comes as factors, solved among the bodies: six
// unknowns a body instead of three a contact. Masonry has four contacts and more a joint, and a system of its bodies
// then costs a hundredth of one of its contacts. On the blocks that take part, with D and L block-diagonal,
//
//     (D + L H M^-1 H^T) x = b
//     p = H^T x          (1 + H^T D^-1 L H M^-1) p = H^T D^-1 b          momenta, by TileLu
//     x = D^-1 (b - L H M^-1 p)
//
// D must be regular; where it is small (contacts that stick) digits are lost, which refinement brings back. M^-1 may be
// singular: planar bodies, bodies held fast.
#pragma once

#include "solvers/delassus.h"
#include "solvers/tile_lu.h"

namespace carom {

class BodySystem {
 public:
  // The graph of bodies, and the order of elimination. The factors must stay.
  void prepare(const DelassusFactors& factors, const Cones& cones);
  double expected_products() const { return lu_.expected_products(); }  // of 3x3 tiles
  double expected_tiles() const { return lu_.expected_tiles(); }

  // No block takes part until it is set.
  void start();
  // Block i: L and A, row-major; L = nullptr is the unit. D = A + L C.
  void set(int i, const double* L, const double* A);
  bool factor();

  // x on the blocks that take part, zero on others. False when refinement left more than a small residual.
  bool solve(VectorIn b, VectorOut x);
  void solve_once(VectorOut x);  // x <- x without refinement

 private:
  struct Block {
    bool takes_part = false, unit = true;  // L = 1
    double L[kMaxBlockDim * kMaxBlockDim];
    double A[kMaxBlockDim * kMaxBlockDim];
    double D_inverse[kMaxBlockDim * kMaxBlockDim];
    double gain[kMaxBlockDim * kMaxBlockDim];  // D^-1 L
  };

  void add_through(int i, int side_row, int side_column);
  void gather_momenta(VectorIn x, std::vector<double>& p) const;
  void velocity(int i, const std::vector<double>& p, double* u, double* terms) const;
  double residual(VectorIn b, VectorIn x, VectorOut out);
  void apply_inverse(VectorIn b, VectorOut x);

  const DelassusFactors* factors_ = nullptr;
  const Cones* cones_ = nullptr;
  BodyActions actions_;
  std::vector<Block> blocks_;
  TilePattern pattern_;  // two tiles a body: linear, angular
  std::vector<std::array<int, 2>>
      places_;                 // per block: where in the pattern the other body begins, in the rows of a and of b
  std::vector<int> diagonal_;  // per body: where in the pattern it begins, in its own first row
  std::vector<Tile> tiles_;
  std::vector<char> all_;
  TileLu lu_;
  std::vector<double> p_;  // six numbers a body
  Vector residual_, correction_;
};

}  // namespace carom
