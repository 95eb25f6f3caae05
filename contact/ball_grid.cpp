#include "contact/ball_grid.h"

#include <bit>
#include <cmath>

#include "base/check.h"

namespace carom {

namespace {

// Rows are this much wider than the largest diameter, against the rounding of cell coordinates.
constexpr double kCellSlack = 1.0 + 0x1p-10;
// Keeps 1/side finite for points without size.
constexpr double kSmallestCell = 1e-150;

std::size_t hash(std::uint32_t layer, std::int64_t y, std::int64_t z) {
  std::uint64_t h = static_cast<std::uint64_t>(y) * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(z);
  h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93ULL + layer;
  h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9ULL;
  return h ^ (h >> 32);
}

bool left_of(const BallGrid::Ball& p, const BallGrid::Ball& q) {
  return p.x != q.x ? p.x < q.x : p.collider < q.collider;
}

// Rows are short, and nearly sorted when colliders are numbered along them.
void sort_along_x(BallGrid::Ball* begin, BallGrid::Ball* end) {
  if (end - begin > 32) {
    if (!std::is_sorted(begin, end, left_of)) std::sort(begin, end, left_of);
    return;
  }
  for (BallGrid::Ball* next = begin + 1; next < end; ++next) {
    const BallGrid::Ball ball = *next;
    BallGrid::Ball* place = next;
    for (; place != begin && left_of(ball, place[-1]); --place) *place = place[-1];
    *place = ball;
  }
}

}  // namespace

void BallGrid::build(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads) {
  CAROM_CHECK(poses.size() == colliders.shape.size(), "one pose per collider");
  measure(colliders, poses, margin, threads);
  make_layers();
  make_rows();
  fill_rows(threads);
}

void BallGrid::measure(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads) {
  const std::size_t n = poses.size();
  measured_.resize(n);
  slot_.resize(n);
  parallel_for(threads, static_cast<std::ptrdiff_t>(n), [&](std::ptrdiff_t i) {
    const auto k = static_cast<std::size_t>(i);
    slot_[k] = kNoSlot;
    if (colliders.alive[k] == 0 || !colliders.shape[k].bounded()) return;
    const Shape& shape = colliders.shape[k];
    const Vec3 at = shape.data ? poses[k].to_world(shape.bounding_centre()) : poses[k].position;
    const double radius = shape.bounding_radius() + 0.5 * margin;
    if (!at.allFinite() || !std::isfinite(radius)) return;
    measured_[k] = {at.x(), at.y(), at.z(), radius, static_cast<std::uint32_t>(k)};
    const auto exponent = (std::bit_cast<std::uint64_t>(2.0 * radius) >> 52) & 0x7FF;
    slot_[k] = static_cast<std::uint16_t>(2 * exponent + (colliders.mobile[k] == 0 ? 1 : 0));
  });
}

void BallGrid::make_layers() {
  // Count the balls of each slot, turn occupied slots into layers and counts into first places.
  slot_begin_.fill(0);
  for (const std::uint16_t slot : slot_) {
    if (slot != kNoSlot) ++slot_begin_[slot];
  }
  layers_.clear();
  layer_end_.clear();
  std::uint32_t total = 0;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const std::uint32_t count = slot_begin_[slot];
    slot_begin_[slot] = total;
    if (count == 0) continue;
    total += count;
    layers_.push_back({.mobile = slot % 2 == 0});
    layer_end_.push_back(total);
  }

  order_.resize(total);
  for (std::size_t k = 0; k < slot_.size(); ++k) {
    if (slot_[k] != kNoSlot) order_[slot_begin_[slot_[k]]++] = static_cast<std::uint32_t>(k);
  }
}

void BallGrid::make_rows() {
  table_.assign(std::bit_ceil(2 * order_.size() + 1), kNoRow);
  rows_.clear();
  row_of_place_.resize(order_.size());
  std::uint32_t place = 0;
  for (std::uint32_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    const std::uint32_t end = layer_end_[l];
    for (std::uint32_t p = place; p < end; ++p) {
      layer.max_radius = std::max(layer.max_radius, measured_[order_[p]].radius);
    }
    layer.inverse_cell = 1.0 / std::max(kSmallestCell, 2.0 * layer.max_radius * kCellSlack);
    layer.row_begin = static_cast<std::uint32_t>(rows_.size());
    for (; place < end; ++place) {
      const Ball& ball = measured_[order_[place]];
      const std::uint32_t row = find_or_add_row(l, cell(layer, ball.y), cell(layer, ball.z));
      row_of_place_[place] = row;
      ++rows_[row].end;
    }
    layer.row_end = static_cast<std::uint32_t>(rows_.size());
  }
}

void BallGrid::fill_rows(Threads threads) {
  // Row counts become places: begin is final, end advances as the row fills.
  std::uint32_t total = 0;
  for (Row& row : rows_) {
    const std::uint32_t count = row.end;
    row.begin = row.end = total;
    total += count;
  }
  balls_.resize(total);
  for (std::uint32_t place = 0; place < total; ++place) {
    balls_[rows_[row_of_place_[place]].end++] = measured_[order_[place]];
  }
  parallel_for(threads, static_cast<std::ptrdiff_t>(rows_.size()), [&](std::ptrdiff_t r) {
    const Row& row = rows_[static_cast<std::size_t>(r)];
    sort_along_x(balls_.data() + row.begin, balls_.data() + row.end);
  });
}

std::uint32_t BallGrid::find_or_add_row(std::uint32_t layer, std::int64_t y, std::int64_t z) {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash(layer, y, z) & mask;
  for (; table_[slot] != kNoRow; slot = (slot + 1) & mask) {
    const Row& row = rows_[table_[slot]];
    if (row.y == y && row.z == z && row.layer == layer) return table_[slot];
  }
  table_[slot] = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back({y, z, layer, 0, 0});
  return table_[slot];
}

std::uint32_t BallGrid::find_row(std::uint32_t layer, std::int64_t y, std::int64_t z) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = hash(layer, y, z) & mask; table_[slot] != kNoRow; slot = (slot + 1) & mask) {
    const Row& row = rows_[table_[slot]];
    if (row.y == y && row.z == z && row.layer == layer) return table_[slot];
  }
  return kNoRow;
}

std::uint32_t BallGrid::row_of(std::uint32_t ball) const {
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), ball,
                                      [](std::uint32_t index, const Row& row) { return index < row.begin; });
  return static_cast<std::uint32_t>(after - rows_.begin()) - 1;
}

}  // namespace carom
