#include "contact/broad_phase.h"

#include <cmath>

#include "base/check.h"
#include "contact/height_field.h"

namespace carom {

namespace {

// Balls per unit of parallel work.
constexpr std::uint32_t kBlock = 512;

// Relative slack of the distance tests: a pair that the narrow phase finds exactly at the margin is not
// lost to the rounding of squares here.
constexpr double kSlack = 1.0 + 1e-12;

inline void test_pair(const Colliders& colliders, const BallGrid::Ball& p, const BallGrid::Ball& q,
                      std::vector<ColliderPair>& pairs) {
  const double dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
  const double reach = (p.radius + q.radius) * kSlack;
  if (!(dx * dx + dy * dy + dz * dz <= reach * reach)) return;
  if (colliders.body[p.collider] == colliders.body[q.collider]) return;
  pairs.push_back({std::min(p.collider, q.collider), std::max(p.collider, q.collider)});
}

}  // namespace

void BroadPhase::find_pairs(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads,
                            std::vector<ColliderPair>& pairs) {
  CAROM_CHECK(margin >= 0 && std::isfinite(margin), "the detection margin is a length");
  grid_.build(colliders, poses, margin, threads);
  gather_walls(colliders, poses);

  const std::size_t block_count = (grid_.balls().size() + kBlock - 1) / kBlock;
  // Never shrunk, so that buffers keep their capacity; the blocks past block_count stay empty.
  if (blocks_.size() < block_count) blocks_.resize(block_count);
  for (Block& block : blocks_) {
    block.pairs.clear();
    block.work = 0;
  }
  parallel_for(
      threads, static_cast<std::ptrdiff_t>(block_count),
      [&](std::ptrdiff_t b) { search_block(colliders, margin, static_cast<std::size_t>(b)); }, /*serial_below=*/2);

  work_ = 0;
  for (const Block& block : blocks_) work_ += block.work;
  sort_pairs(poses.size(), pairs);
}

void BroadPhase::gather_walls(const Colliders& colliders, std::span<const Pose> poses) {
  walls_.clear();
  for (std::size_t k = 0; k < poses.size(); ++k) {
    if (colliders.shape[k].bounded() || colliders.alive[k] == 0) continue;
    const Vec3 normal = poses[k].rotation * Vec3::UnitZ();
    if (!normal.allFinite() || !poses[k].position.allFinite()) continue;
    // Terrain lies under the plane through its highest point.
    const Shape& shape = colliders.shape[k];
    const double top = shape.kind == ShapeKind::HeightField ? shape.terrain().highest : 0.0;
    walls_.push_back({normal, poses[k].position + top * normal, static_cast<std::uint32_t>(k),
                      shape.kind == ShapeKind::Plane, colliders.mobile[k] != 0});
  }
}

void BroadPhase::search_block(const Colliders& colliders, double margin, std::size_t index) {
  Block& block = blocks_[index];
  const auto layer_count = static_cast<std::uint32_t>(grid_.layers().size());
  const auto begin = static_cast<std::uint32_t>(index) * kBlock;
  const auto end = std::min(begin + kBlock, static_cast<std::uint32_t>(grid_.balls().size()));
  std::uint32_t row = grid_.row_of(begin);
  for (std::uint32_t first = begin; first < end; ++row) {
    const Segment segment{first, std::min(end, grid_.rows()[row].end), row};
    const std::uint32_t own = grid_.rows()[row].layer;
    const bool mobile = grid_.layers()[own].mobile;
    meet_walls(colliders, margin, segment, block);
    if (mobile) meet_own_layer(colliders, segment, block);
    // Later layers are coarser, or the immobile half of this level.
    for (std::uint32_t target = own + 1; target < layer_count; ++target) {
      if (mobile || grid_.layers()[target].mobile) meet_layer(colliders, segment, target, block);
    }
    first = segment.end;
  }
}

void BroadPhase::meet_walls(const Colliders& colliders, double margin, const Segment& segment, Block& block) const {
  const bool mobile = grid_.layers()[grid_.rows()[segment.row].layer].mobile;
  for (const Wall& wall : walls_) {
    if (!mobile && !wall.mobile) continue;
    block.work += segment.end - segment.begin;
    for (const BallGrid::Ball& ball : grid_.balls().subspan(segment.begin, segment.end - segment.begin)) {
      const double height = wall.normal.dot(Vec3(ball.x, ball.y, ball.z) - wall.point);
      // The ball carries half of the margin already.
      const double reach = (ball.radius + 0.5 * margin) * kSlack;
      if (!((wall.two_sided ? std::abs(height) : height) <= reach)) continue;
      if (colliders.body[ball.collider] == colliders.body[wall.collider]) continue;
      block.pairs.push_back({std::min(ball.collider, wall.collider), std::max(ball.collider, wall.collider)});
    }
  }
}

void BroadPhase::meet_own_layer(const Colliders& colliders, const Segment& segment, Block& block) const {
  const BallGrid::Row& row = grid_.rows()[segment.row];
  const double max_radius = grid_.layers()[row.layer].max_radius;
  const auto balls = grid_.balls();

  // Within the row: each ball with those after it.
  for (std::uint32_t i = segment.begin; i < segment.end; ++i) {
    const double x_end = balls[i].x + (balls[i].radius + max_radius) * kSlack;
    for (std::uint32_t j = i + 1; j < row.end && balls[j].x <= x_end; ++j) {
      test_pair(colliders, balls[i], balls[j], block.pairs);
      ++block.work;
    }
  }

  // Half of the eight rows around it; the other half has this row in its own half.
  constexpr int kHalf[4][2] = {{0, 1}, {1, -1}, {1, 0}, {1, 1}};
  for (const auto& step : kHalf) {
    const std::uint32_t other = grid_.find_row(row.layer, row.y + step[0], row.z + step[1]);
    ++block.work;
    if (other != BallGrid::kNoRow) sweep(colliders, segment, grid_.rows()[other], 2.0 * max_radius * kSlack, block);
  }
}

void BroadPhase::meet_layer(const Colliders& colliders, const Segment& segment, std::uint32_t target,
                            Block& block) const {
  const auto balls = grid_.balls();
  const BallGrid::Layer& layer = grid_.layers()[target];
  const double own_radius = grid_.layers()[grid_.rows()[segment.row].layer].max_radius;
  const double reach = (own_radius + layer.max_radius) * kSlack;

  double y_min = balls[segment.begin].y, y_max = y_min, z_min = balls[segment.begin].z, z_max = z_min;
  for (const BallGrid::Ball& ball : balls.subspan(segment.begin, segment.end - segment.begin)) {
    y_min = std::min(y_min, ball.y), y_max = std::max(y_max, ball.y);
    z_min = std::min(z_min, ball.z), z_max = std::max(z_max, ball.z);
  }
  const std::int64_t y_low = BallGrid::cell(layer, y_min - reach), y_high = BallGrid::cell(layer, y_max + reach);
  const std::int64_t z_low = BallGrid::cell(layer, z_min - reach), z_high = BallGrid::cell(layer, z_max + reach);

  // Look up the rows of the window, or filter all rows of the layer when those are fewer.
  const std::int64_t row_count = layer.row_end - layer.row_begin;
  const std::int64_t height = y_high - y_low + 1, width = z_high - z_low + 1;
  if (height >= row_count || width >= row_count || height * width >= row_count) {
    block.work += row_count;
    for (const BallGrid::Row& row : grid_.rows().subspan(layer.row_begin, layer.row_end - layer.row_begin)) {
      const bool near = row.y >= y_low && row.y <= y_high && row.z >= z_low && row.z <= z_high;
      if (near) sweep(colliders, segment, row, reach, block);
    }
    return;
  }
  block.work += height * width;
  for (std::int64_t y = y_low; y <= y_high; ++y) {
    for (std::int64_t z = z_low; z <= z_high; ++z) {
      const std::uint32_t row = grid_.find_row(target, y, z);
      if (row != BallGrid::kNoRow) sweep(colliders, segment, grid_.rows()[row], reach, block);
    }
  }
}

// Both sequences are sorted by x: the window |x_i - x_j| <= reach moves forward with i.
void BroadPhase::sweep(const Colliders& colliders, const Segment& segment, const BallGrid::Row& row, double reach,
                       Block& block) const {
  const auto balls = grid_.balls();
  const auto before = [](const BallGrid::Ball& ball, double x) { return ball.x < x; };
  const auto window =
      std::lower_bound(balls.begin() + row.begin, balls.begin() + row.end, balls[segment.begin].x - reach, before);
  auto first = static_cast<std::uint32_t>(window - balls.begin());
  for (std::uint32_t i = segment.begin; i < segment.end; ++i) {
    const double x_begin = balls[i].x - reach, x_end = balls[i].x + reach;
    while (first < row.end && balls[first].x < x_begin) ++first;
    if (first == row.end) return;
    std::uint32_t j = first;
    for (; j < row.end && balls[j].x <= x_end; ++j) test_pair(colliders, balls[i], balls[j], block.pairs);
    block.work += j - first;
  }
}

// Two stable counting passes, by b and then by a: linear in pairs and colliders.
void BroadPhase::sort_pairs(std::size_t collider_count, std::vector<ColliderPair>& pairs) {
  count_a_.assign(collider_count + 1, 0);
  count_b_.assign(collider_count + 1, 0);
  std::size_t total = 0;
  for (const Block& block : blocks_) {
    total += block.pairs.size();
    for (const ColliderPair& pair : block.pairs) {
      ++count_a_[pair.a + 1];
      ++count_b_[pair.b + 1];
    }
  }
  for (std::size_t k = 0; k < collider_count; ++k) {
    count_a_[k + 1] += count_a_[k];
    count_b_[k + 1] += count_b_[k];
  }
  by_b_.resize(total);
  for (const Block& block : blocks_) {
    for (const ColliderPair& pair : block.pairs) by_b_[count_b_[pair.b]++] = pair;
  }
  pairs.resize(total);
  for (const ColliderPair& pair : by_b_) pairs[count_a_[pair.a]++] = pair;
}

}  // namespace carom
