// Broad phase: which pairs of colliders are near enough to be looked at.
//
// Pairs found once serve many steps (a Verlet list): they are searched with bounds grown by an allowance per collider,
// and hold until one has moved by more than its own. A collider's allowance follows its speed, so that one fast stone
// over a resting pile costs little. What comes out does not depend on when the list was made: spheres are tested anew
// at every call, and a pair more or less of other solids changes no contact.
#pragma once

#include "contact/pair_search.h"

namespace carom {

class BroadPhase {
 public:
  // Every pair that may touch and whose bounding balls, each grown by margin/2, overlap, sorted, each once; where a
  // solid other than a sphere takes part, pairs whose boxes are apart may be missing. An unbounded shape meets the
  // balls within `margin` of its surface; two unbounded shapes are never a pair. Colliders at non-finite positions are
  // left out.
  void find_pairs(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads,
                  std::vector<ColliderPair>& pairs);

  // Distance tests and row lookups of the last call: the measure of cost that does not depend on the machine.
  std::int64_t work() const { return work_; }
  // Whether the last call searched, or found its pairs in the list of an earlier one.
  bool searched() const { return searched_; }

 private:
  // Where a collider was when the list was made, and what it was.
  struct Anchor {
    Vec3 centre = Vec3::Zero();  // of its bounding ball; of a wall, see Wall
    double radius = 0;
    int body = -1;
    std::uint32_t solid = kNone;  // its place in solids_
    ShapeKind kind = ShapeKind::Sphere;
    std::uint8_t mobile = 0, alive = 0;
  };
  struct SolidAnchor {
    Shape shape;
    Quat rotation;
  };
  struct Ball {
    double x = 0, y = 0, z = 0;
    double radius = 0;  // with half of the margin; of a wall, minus one minus its place in walls_
  };
  // One block of colliders at a call.
  struct Check {
    bool same = true;    // the colliders are those of the list
    bool within = true;  // all have moved by less than they may
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  bool recall(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads);
  bool unchanged(const Colliders& colliders, std::size_t k) const;
  double displacement(std::span<const Pose> poses, std::size_t k) const;
  double wall_displacement(const WallPlace& before, const WallPlace& now) const;
  bool walls_within(const Colliders& colliders, std::span<const Pose> poses);
  bool choose_allowances(const Colliders& colliders, Threads threads);
  void remember(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads);
  void gather_walls(const Colliders& colliders, std::span<const Pose> poses);
  void filter(Threads threads, std::vector<ColliderPair>& pairs);
  bool near(const ColliderPair& pair) const;

  PairSearch search_;
  std::vector<Ball> balls_;              // recall: by collider, now
  std::vector<Check> checks_;            // recall: per block
  std::vector<double> moved_;            // recall: by collider, m since the list was made
  std::vector<WallPlace> walls_;         // now
  std::vector<ColliderPair> list_;       // pairs of the grown bounds, sorted
  bool listed_ = false;                  // list_ may serve again
  int age_ = 0;                          // calls since it was made
  double margin_ = -1;                   // that it was made with
  std::vector<double> allowance_;        // by collider, m
  std::vector<Anchor> anchors_;          // remember: by collider
  std::vector<SolidAnchor> solids_;      // remember
  std::vector<WallPlace> wall_anchors_;  // remember
  Vec3 centre_ = Vec3::Zero();           // remember: of all that is bounded
  double extent_ = 0;                    // remember: radius of a ball that holds them
  std::vector<ColliderPair> kept_;       // filter: by block of the list
  std::vector<std::size_t> kept_count_;  // filter: per block, then first places
  std::int64_t work_ = 0;
  bool searched_ = false;
};

}  // namespace carom
