// Bounds of colliders in a hierarchy of grids.
//
// A layer holds bounds of like size and like form: their largest extents share a binary exponent, and along each axis
// their extents are smaller than that by like powers of 4; a ball is as wide as it is long. So planks lie in layers of
// their own, with cells as slim as they are. The mobile and the immobile bounds of one size and form are two layers:
// pairs of immobile ones are never met. A layer is cut into columns along x, its rows, at least as wide in y and in z
// as the largest extents of the layer; within a row bounds are sorted by x. Neighbours along x are then neighbours in
// memory, and one lookup of a row serves all that lies in the row beside it.
//
// The rows of a layer are numbered on a torus, ny by nz, both powers of 2: rows whose numbers agree modulo ny and nz
// share their memory. What lies in them is told apart when it is met, so that a body that flies away and sparse layers
// cost little, and no table is needed.
#pragma once

#include "contact/bounds.h"
#include "contact/bucket_sort.h"
#include "contact/colliders.h"

namespace carom {

class BoundsGrid {
 public:
  static constexpr std::uint32_t kRound = ~std::uint32_t{0};

  struct Bound {
    double x = 0, y = 0, z = 0;
    double radius = 0;  // of the ball, with half of the margin and the collider's allowance
    std::uint32_t collider = 0;
    std::uint32_t solid = kRound;  // its place in solids(), or kRound: a sphere
  };
  struct Layer {
    Vec3 extent = Vec3::Zero();                     // largest half extents
    double inverse_cell_y = 0, inverse_cell_z = 0;  // 1 / width of a row
    bool mobile = false;
    std::uint32_t count = 0;
    std::uint32_t first_row = 0, ny = 1, nz = 1;
  };

  // All bounded, living colliders at finite positions, each grown by margin/2 and by its allowance (m; none: zero).
  // Layers come smallest first, mobile before immobile; rows in the order of layers, bounds in the order of rows.
  void build(const Colliders& colliders, std::span<const Pose> poses, double margin, std::span<const double> allowance,
             Threads threads);

  std::span<const Bound> bounds() const { return bounds_; }
  std::span<const SolidBounds> solids() const { return solids_; }  // grown as `bounds` are
  std::span<const Layer> layers() const { return layers_; }
  std::size_t row_count() const { return row_begin_.empty() ? 0 : row_begin_.size() - 1; }
  std::uint32_t begin_of(std::size_t row) const { return row_begin_[row]; }
  std::uint32_t end_of(std::size_t row) const { return row_begin_[row + 1]; }
  std::uint32_t row_of(std::uint32_t bound) const;
  std::uint32_t layer_of(std::uint32_t row) const;

  // Cell coordinates end at +-2^40; below, the rounding of the product stays under 2^-12 of a cell, which the cells'
  // slack of 2^-10 covers.
  static std::int64_t cell(double inverse_width, double coordinate) {
    const double scaled = std::clamp(coordinate * inverse_width, -0x1p40, 0x1p40);
    const auto truncated = static_cast<std::int64_t>(scaled);
    return truncated - (scaled < static_cast<double>(truncated) ? 1 : 0);
  }
  static std::uint32_t row(const Layer& layer, std::int64_t y, std::int64_t z) {
    const auto on_y = static_cast<std::uint32_t>(y) & (layer.ny - 1);
    const auto on_z = static_cast<std::uint32_t>(z) & (layer.nz - 1);
    return layer.first_row + on_z * layer.ny + on_y;
  }

 private:
  // Smallest and largest values in one layer, of one chunk of colliders or of all.
  struct Spread {
    Vec3 extent = Vec3::Zero();
    double y_min = 0, y_max = 0, z_min = 0, z_max = 0;
    std::uint32_t count = 0;
    void include(const Spread& other);
  };

  void measure(const Colliders& colliders, std::span<const Pose> poses, double margin,
               std::span<const double> allowance, Threads threads);
  void number_solids(const Colliders& colliders, Threads threads);
  void make_layers(Threads threads);
  void size_layer(const Spread& spread, Layer& layer);
  void fill_rows(Threads threads);

  Vec3 extent_of(const Bound& bound) const {
    return bound.solid == kRound ? Vec3::Constant(bound.radius) : solids_[bound.solid].extent;
  }

  std::vector<Bound> measured_;             // measure: by collider
  std::vector<std::uint32_t> form_;         // measure: by collider, size and form; or kNoForm
  std::vector<std::uint32_t> chunk_solid_;  // number_solids: first place of each chunk in solids_
  std::vector<SolidBounds> solids_;         // measure
  std::vector<std::uint32_t> forms_;        // make_layers: of each layer, increasing
  std::vector<std::uint16_t> layer_;        // make_layers: by collider
  std::vector<Spread> spread_;              // make_layers: per chunk and layer
  std::vector<Layer> layers_;               // make_layers
  std::vector<std::uint32_t> row_;          // fill_rows: by collider, or kNoRow
  BucketSort<std::uint32_t> sorter_;
  std::vector<std::uint32_t> order_;      // fill_rows: colliders in the order of rows
  std::vector<std::uint32_t> row_begin_;  // fill_rows: first place of each row, and the end
  std::vector<Bound> bounds_;             // fill_rows
};

}  // namespace carom
