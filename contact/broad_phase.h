#pragma once

#include "base/parallel.h"
#include "contact/colliders.h"

namespace carom {

struct ColliderPair {
  std::uint32_t a = 0;  // a < b
  std::uint32_t b = 0;
  auto operator<=>(const ColliderPair&) const = default;
};

class BroadPhase {
 public:
  // Every pair that may touch and whose bounding balls, each grown by margin/2, overlap (and possibly
  // a few more), sorted, each once.
  void find_pairs(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads,
                  std::vector<ColliderPair>& pairs);
};

}  // namespace carom
