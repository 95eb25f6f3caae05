#include "contact/pair_search.h"

#include <cmath>

namespace carom {

namespace {

using Bound = BoundsGrid::Bound;

// Bounds per unit of parallel work.
constexpr std::uint32_t kBlock = 512;

// Relative slack of the distance tests: a pair that the narrow phase finds exactly at the margin is not
// lost to the rounding of squares here.
constexpr double kSlack = 1.0 + 1e-12;

void add_pair(std::uint32_t p, std::uint32_t q, std::vector<ColliderPair>& pairs) {
  pairs.push_back({std::min(p, q), std::max(p, q)});
}

}  // namespace

void PairSearch::find(const Colliders& colliders, std::span<const Pose> poses, std::span<const WallPlace> walls,
                      double margin, std::span<const double> allowance, Threads threads,
                      std::vector<ColliderPair>& pairs) {
  grid_.build(colliders, poses, margin, allowance, threads);
  block_count_ = (grid_.bounds().size() + kBlock - 1) / kBlock;
  if (blocks_.size() < block_count_) blocks_.resize(block_count_);
  const Call call{colliders, walls, margin, allowance};
  parallel_for(
      threads, static_cast<std::ptrdiff_t>(block_count_),
      [&](std::ptrdiff_t b) { search_block(call, static_cast<std::size_t>(b)); }, /*serial_below=*/2);

  work_ = 0;
  for (std::size_t b = 0; b < block_count_; ++b) work_ += blocks_[b].work;
  sort_pairs(poses.size(), threads, pairs);
}

void PairSearch::search_block(const Call& call, std::size_t index) {
  Block& block = blocks_[index];
  block.pairs.clear();
  block.work = 0;
  const auto layer_count = static_cast<std::uint32_t>(grid_.layers().size());
  const auto begin = static_cast<std::uint32_t>(index) * kBlock;
  const auto end = std::min(begin + kBlock, static_cast<std::uint32_t>(grid_.bounds().size()));
  std::uint32_t row = grid_.row_of(begin), own = grid_.layer_of(row);
  for (std::uint32_t first = begin; first < end;) {
    while (grid_.end_of(row) <= first) ++row;
    while (own + 1 < layer_count && grid_.layers()[own + 1].first_row <= row) ++own;
    const Segment segment{first, end_of_run(first, std::min(end, grid_.end_of(row)), grid_.layers()[own]), row, own};
    first = segment.end;
    const bool mobile = grid_.layers()[own].mobile;
    meet_walls(call, segment, block);
    if (mobile) meet_own_layer(call, segment, block);
    // Later layers are larger, slimmer, or the immobile half of this one.
    for (std::uint32_t target = own + 1; target < layer_count; ++target) {
      if (mobile || grid_.layers()[target].mobile) meet_layer(call, segment, target, block);
    }
  }
}

// Rows share memory on the torus: a segment ends where the next bound is of another row.
std::uint32_t PairSearch::end_of_run(std::uint32_t first, std::uint32_t end, const BoundsGrid::Layer& layer) const {
  const auto bounds = grid_.bounds();
  const auto row_y = [&](std::uint32_t i) { return BoundsGrid::cell(layer.inverse_cell_y, bounds[i].y); };
  const auto row_z = [&](std::uint32_t i) { return BoundsGrid::cell(layer.inverse_cell_z, bounds[i].z); };
  const std::int64_t y = row_y(first), z = row_z(first);
  std::uint32_t next = first + 1;
  while (next < end && row_y(next) == y && row_z(next) == z) ++next;
  return next;
}

void PairSearch::meet_walls(const Call& call, const Segment& segment, Block& block) const {
  const bool mobile = grid_.layers()[segment.layer].mobile;
  for (const WallPlace& wall : call.walls) {
    if (!mobile && !wall.mobile) continue;
    block.work += segment.end - segment.begin;
    // The bounds carry half of the margin already.
    const double growth = 0.5 * call.margin + (call.allowance.empty() ? 0.0 : call.allowance[wall.collider]);
    for (const Bound& bound : grid_.bounds().subspan(segment.begin, segment.end - segment.begin)) {
      const double height = wall.height_of(Vec3(bound.x, bound.y, bound.z));
      if (!((wall.two_sided ? std::abs(height) : height) <= (bound.radius + growth) * kSlack)) continue;
      if (bound.solid != BoundsGrid::kRound) {
        const SolidBounds& box = grid_.solids()[bound.solid];
        const bool clear = lowest_over(box, wall.normal, wall.point) > growth ||
                           (wall.two_sided && lowest_over(box, -wall.normal, wall.point) > growth);
        if (clear) continue;
      }
      if (call.colliders.body[bound.collider] == call.colliders.body[wall.collider]) continue;
      add_pair(bound.collider, wall.collider, block.pairs);
    }
  }
}

void PairSearch::meet_own_layer(const Call& call, const Segment& segment, Block& block) const {
  const BoundsGrid::Layer& layer = grid_.layers()[segment.layer];
  const auto bounds = grid_.bounds();

  // Within the row: each with those after it.
  const double reach = 2.0 * layer.extent.x() * kSlack;
  const std::uint32_t row_end = grid_.end_of(segment.row);
  for (std::uint32_t i = segment.begin; i < segment.end; ++i) {
    const double x_end =
        bounds[i].x + (bounds[i].solid == BoundsGrid::kRound ? (bounds[i].radius + layer.extent.x()) * kSlack : reach);
    std::uint32_t j = i + 1;
    for (; j < row_end && bounds[j].x <= x_end; ++j) test(call, bounds[i], bounds[j], block);
    block.work += j - i - 1;
  }

  // Half of the eight rows around it; the other half has this row in its own half. Where all share one row along an
  // axis there are none beside it.
  constexpr int kHalf[4][2] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}};
  const std::uint32_t at = segment.row - layer.first_row;
  const std::int64_t y = at % layer.ny, z = at / layer.ny;
  for (const auto& step : kHalf) {
    if ((layer.ny == 1 && step[0] != 0) || (layer.nz == 1 && step[1] != 0)) continue;
    const std::uint32_t other = BoundsGrid::row(layer, y + step[0], z + step[1]);
    ++block.work;
    if (grid_.begin_of(other) != grid_.end_of(other)) sweep(call, segment, other, reach, block);
  }
}

void PairSearch::meet_layer(const Call& call, const Segment& segment, std::uint32_t target, Block& block) const {
  const auto bounds = grid_.bounds();
  const BoundsGrid::Layer& layer = grid_.layers()[target];
  const Vec3 reach = (grid_.layers()[segment.layer].extent + layer.extent) * kSlack;

  double y_min = bounds[segment.begin].y, y_max = y_min, z_min = bounds[segment.begin].z, z_max = z_min;
  for (const Bound& bound : bounds.subspan(segment.begin, segment.end - segment.begin)) {
    y_min = std::min(y_min, bound.y), y_max = std::max(y_max, bound.y);
    z_min = std::min(z_min, bound.z), z_max = std::max(z_max, bound.z);
  }
  const std::int64_t y_low = BoundsGrid::cell(layer.inverse_cell_y, y_min - reach.y());
  const std::int64_t z_low = BoundsGrid::cell(layer.inverse_cell_z, z_min - reach.z());
  const std::int64_t y_count =
      std::min<std::int64_t>(layer.ny, BoundsGrid::cell(layer.inverse_cell_y, y_max + reach.y()) - y_low + 1);
  const std::int64_t z_count =
      std::min<std::int64_t>(layer.nz, BoundsGrid::cell(layer.inverse_cell_z, z_max + reach.z()) - z_low + 1);
  block.work += y_count * z_count;
  for (std::int64_t z = z_low; z < z_low + z_count; ++z) {
    for (std::int64_t y = y_low; y < y_low + y_count; ++y) {
      const std::uint32_t row = BoundsGrid::row(layer, y, z);
      if (grid_.begin_of(row) != grid_.end_of(row)) sweep(call, segment, row, reach.x(), block);
    }
  }
}

// Both sequences are sorted by x: the window |x_i - x_j| <= reach moves forward with i.
void PairSearch::sweep(const Call& call, const Segment& segment, std::uint32_t row, double reach, Block& block) const {
  const auto bounds = grid_.bounds();
  const std::uint32_t row_begin = grid_.begin_of(row), row_end = grid_.end_of(row);
  const auto before = [](const Bound& bound, double x) { return bound.x < x; };
  const auto window =
      std::lower_bound(bounds.begin() + row_begin, bounds.begin() + row_end, bounds[segment.begin].x - reach, before);
  auto first = static_cast<std::uint32_t>(window - bounds.begin());
  for (std::uint32_t i = segment.begin; i < segment.end; ++i) {
    const double x_begin = bounds[i].x - reach, x_end = bounds[i].x + reach;
    while (first < row_end && bounds[first].x < x_begin) ++first;
    if (first == row_end) return;
    std::uint32_t j = first;
    for (; j < row_end && bounds[j].x <= x_end; ++j) test(call, bounds[i], bounds[j], block);
    block.work += j - first;
  }
}

inline void PairSearch::test(const Call& call, const Bound& p, const Bound& q, Block& block) const {
  const double dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
  const double reach = (p.radius + q.radius) * kSlack;
  if (!(dx * dx + dy * dy + dz * dz <= reach * reach)) return;
  if ((p.solid & q.solid) != BoundsGrid::kRound && solids_apart(p, q)) return;
  if (call.colliders.body[p.collider] == call.colliders.body[q.collider]) return;
  add_pair(p.collider, q.collider, block.pairs);
}

// At least one is not a sphere, and the balls overlap.
bool PairSearch::solids_apart(const Bound& p, const Bound& q) const {
  if (p.solid == BoundsGrid::kRound) return solids_apart(q, p);
  const bool round = q.solid == BoundsGrid::kRound;
  const SolidBounds& box = grid_.solids()[p.solid];
  const Vec3 other(q.x, q.y, q.z), extent = round ? Vec3::Constant(q.radius) : grid_.solids()[q.solid].extent;
  const Vec3 room = (other - box.centre).cwiseAbs() - (box.extent + extent) * kSlack;
  if ((room.array() > 0).any()) return true;
  return round ? apart(box, other, q.radius) : apart(box, grid_.solids()[q.solid], 0);
}

// By a in buckets, then the few pairs of each a by b.
void PairSearch::sort_pairs(std::size_t collider_count, Threads threads, std::vector<ColliderPair>& pairs) {
  const auto visit = [&](std::size_t block, auto&& f) {
    for (const ColliderPair& pair : blocks_[block].pairs) f(pair);
  };
  sorter_.sort(
      threads, block_count_, visit, collider_count, [](const ColliderPair& pair) { return pair.a; }, pairs, begin_);
  parallel_for(threads, static_cast<std::ptrdiff_t>(collider_count), [&](std::ptrdiff_t k) {
    ColliderPair* const begin = pairs.data() + begin_[static_cast<std::size_t>(k)];
    ColliderPair* const end = pairs.data() + begin_[static_cast<std::size_t>(k) + 1];
    if (end - begin > 1) std::sort(begin, end);
  });
}

}  // namespace carom
