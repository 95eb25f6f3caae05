// Bounding balls in a hierarchy of grids.
//
// Level: balls whose diameters share a binary exponent, so that sizes within a level differ by less than
// a factor 2. The mobile and the immobile balls of a level are two layers: pairs of immobile ones are never
// met. A layer is cut into square columns along x, its rows, whose side is at least the layer's largest
// diameter; within a row balls are sorted by x. Neighbours along x are then neighbours in memory, and one
// lookup of a row serves all the balls of the row beside it.
#pragma once

#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "contact/colliders.h"

namespace carom {

class BallGrid {
 public:
  struct Ball {
    double x = 0, y = 0, z = 0;
    double radius = 0;  // bounding radius + margin/2
    std::uint32_t collider = 0;
  };
  struct Layer {
    double max_radius = 0;
    double inverse_cell = 0;  // 1 / side of a row
    bool mobile = false;
    std::uint32_t row_begin = 0, row_end = 0;
  };
  struct Row {
    std::int64_t y = 0, z = 0;  // floor(coordinate / side)
    std::uint32_t layer = 0;
    std::uint32_t begin = 0, end = 0;  // its balls
  };
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

  // All bounded, living colliders at finite positions. Layers come finest first, mobile before immobile;
  // rows in the order of layers, balls in the order of rows.
  void build(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads);

  std::span<const Ball> balls() const { return balls_; }
  std::span<const Layer> layers() const { return layers_; }
  std::span<const Row> rows() const { return rows_; }

  std::uint32_t find_row(std::uint32_t layer, std::int64_t y, std::int64_t z) const;  // or kNoRow
  std::uint32_t row_of(std::uint32_t ball) const;

  // Cell coordinates end at +-2^40: beyond, balls share the last row (still found, by x alone). Below, the
  // rounding of the product stays under 2^-12 of a cell, which the cells' slack of 2^-10 covers.
  static std::int64_t cell(const Layer& layer, double coordinate) {
    const double scaled = std::clamp(coordinate * layer.inverse_cell, -0x1p40, 0x1p40);
    const auto truncated = static_cast<std::int64_t>(scaled);
    return truncated - (scaled < static_cast<double>(truncated) ? 1 : 0);
  }

 private:
  // Binary exponent of a diameter (0..2047), times 2, plus 1 when immobile.
  static constexpr std::size_t kSlots = 4096;
  static constexpr std::uint16_t kNoSlot = 0xFFFF;

  void measure(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads);
  void make_layers();
  void make_rows();
  void fill_rows(Threads threads);
  std::uint32_t find_or_add_row(std::uint32_t layer, std::int64_t y, std::int64_t z);

  std::vector<Ball> measured_;                      // measure: by collider
  std::vector<std::uint16_t> slot_;                 // measure: by collider
  std::array<std::uint32_t, kSlots> slot_begin_{};  // make_layers: first place in order_
  std::vector<std::uint32_t> order_;                // make_layers: colliders by layer
  std::vector<std::uint32_t> layer_end_;            // make_layers: end of each layer in order_
  std::vector<std::uint32_t> row_of_place_;         // make_rows: row of each place in order_
  std::vector<std::uint32_t> table_;                // make_rows: open addressing, row or kNoRow
  std::vector<Layer> layers_;
  std::vector<Row> rows_;
  std::vector<Ball> balls_;
};

}  // namespace carom
