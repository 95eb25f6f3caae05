// Pairs of colliders whose bounds overlap, found from nothing: build the grid, sweep its rows, sort.
#pragma once

#include <compare>

#include "contact/bounds_grid.h"

namespace carom {

struct ColliderPair {
  std::uint32_t a = 0;  // a < b
  std::uint32_t b = 0;
  auto operator<=>(const ColliderPair&) const = default;
};

// An unbounded shape in the world.
struct WallPlace {
  Vec3 normal = Vec3::UnitZ(), point = Vec3::Zero();
  std::uint32_t collider = 0;
  bool two_sided = false;
  bool mobile = false;

  double height_of(const Vec3& x) const { return normal.dot(x - point); }
};

class PairSearch {
 public:
  // Sorted, each once: every pair that may touch and whose bounds, each grown by margin/2 and its collider's allowance
  // (m; none: zero), overlap: balls where both are spheres, else balls, boxes along the axes and boxes along the
  // shapes' own axes. A wall meets what is so near to its surface; two walls are never a pair.
  void find(const Colliders& colliders, std::span<const Pose> poses, std::span<const WallPlace> walls, double margin,
            std::span<const double> allowance, Threads threads, std::vector<ColliderPair>& pairs);

  // Tests of pairs and lookups of rows in the last call.
  std::int64_t work() const { return work_; }

 private:
  struct Block {  // of kBlock bounds; written by one thread
    std::vector<ColliderPair> pairs;
    std::int64_t work = 0;
  };
  // Consecutive bounds of one row, in one block.
  struct Segment {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t row = 0, layer = 0;
  };
  struct Call {  // the arguments of find()
    const Colliders& colliders;
    std::span<const WallPlace> walls;
    double margin;
    std::span<const double> allowance;
  };

  void search_block(const Call& call, std::size_t index);
  std::uint32_t end_of_run(std::uint32_t first, std::uint32_t end, const BoundsGrid::Layer& layer) const;
  void meet_walls(const Call& call, const Segment& segment, Block& block) const;
  void meet_own_layer(const Call& call, const Segment& segment, Block& block) const;
  void meet_layer(const Call& call, const Segment& segment, std::uint32_t target, Block& block) const;
  void sweep(const Call& call, const Segment& segment, std::uint32_t row, double reach, Block& block) const;
  void test(const Call& call, const BoundsGrid::Bound& p, const BoundsGrid::Bound& q, Block& block) const;
  bool solids_apart(const BoundsGrid::Bound& p, const BoundsGrid::Bound& q) const;
  void sort_pairs(std::size_t collider_count, Threads threads, std::vector<ColliderPair>& pairs);

  BoundsGrid grid_;
  std::vector<Block> blocks_;  // search_block; keeps the capacity of its buffers
  std::size_t block_count_ = 0;
  BucketSort<ColliderPair> sorter_;
  std::vector<std::uint32_t> begin_;  // sort_pairs: first pair of each a
  std::int64_t work_ = 0;
};

}  // namespace carom
