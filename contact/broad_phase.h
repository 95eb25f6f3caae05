// Broad phase: which pairs of colliders are near enough to be looked at.
#pragma once

#include "base/parallel.h"
#include "contact/ball_grid.h"

namespace carom {

struct ColliderPair {
  std::uint32_t a = 0;  // a < b
  std::uint32_t b = 0;
  auto operator<=>(const ColliderPair&) const = default;
};

class BroadPhase {
 public:
  // Every pair that may touch and whose bounding balls, each grown by margin/2, overlap (and possibly
  // a few more), sorted, each once. An unbounded shape meets the balls within `margin` of its surface;
  // two unbounded shapes are never a pair. Colliders at non-finite positions are left out.
  void find_pairs(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads,
                  std::vector<ColliderPair>& pairs);

  // Distance tests and row lookups of the last call: the measure of cost that does not depend on the machine.
  std::int64_t work() const { return work_; }

 private:
  struct Wall {  // an unbounded shape in the world
    Vec3 normal, point;
    std::uint32_t collider = 0;
    bool two_sided = false;
    bool mobile = false;
  };
  struct Block {  // of kBlock balls; written by one thread
    std::vector<ColliderPair> pairs;
    std::int64_t work = 0;
  };
  // Consecutive balls of one row that lie in one block.
  struct Segment {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t row = 0;
  };

  void gather_walls(const Colliders& colliders, std::span<const Pose> poses);
  void search_block(const Colliders& colliders, double margin, std::size_t index);
  void meet_walls(const Colliders& colliders, double margin, const Segment& segment, Block& block) const;
  void meet_own_layer(const Colliders& colliders, const Segment& segment, Block& block) const;
  void meet_layer(const Colliders& colliders, const Segment& segment, std::uint32_t target, Block& block) const;
  void sweep(const Colliders& colliders, const Segment& segment, const BallGrid::Row& row, double reach,
             Block& block) const;
  void sort_pairs(std::size_t collider_count, std::vector<ColliderPair>& pairs);

  BallGrid grid_;
  std::vector<Wall> walls_;             // gather_walls
  std::vector<Block> blocks_;           // search_block; keeps the capacity of its buffers
  std::vector<std::uint32_t> count_a_;  // sort_pairs: first place of each a, then of each b
  std::vector<std::uint32_t> count_b_;
  std::vector<ColliderPair> by_b_;  // sort_pairs: pairs in the order of b
  std::int64_t work_ = 0;
};

}  // namespace carom
