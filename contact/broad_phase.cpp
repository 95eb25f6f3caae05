#include "contact/broad_phase.h"

#include <cmath>
#include <limits>

#include "base/check.h"
#include "contact/height_field.h"

namespace carom {

namespace {

// Colliders, or pairs of the list, per unit of parallel work.
constexpr std::size_t kBlock = 4096;

constexpr double kSlack = 1.0 + 1e-12;  // relative, of the distance tests: as in contact/pair_search.cpp

// A collider may move as far as it would in this many calls, in units of its size at least kLeast and at most kMost.
// Where few are fast these may have kMostOfFew: many more pairs, but of few.
constexpr double kHorizon = 10;
constexpr double kLeast = 0.02, kMost = 0.25, kMostOfFew = 4;
constexpr double kFew = 0.01;
// A list that serves fewer calls than this costs more than it saves.
constexpr double kFewestCalls = 3;
// Of its allowance: the rest covers rounding.
constexpr double kUsable = 0.999;

std::size_t blocks_of(std::size_t count) { return (count + kBlock - 1) / kBlock; }

template <class Body>
void each_block(Threads threads, std::size_t count, Body&& body) {
  parallel_for(
      threads, static_cast<std::ptrdiff_t>(blocks_of(count)),
      [&](std::ptrdiff_t b) {
        const auto block = static_cast<std::size_t>(b);
        body(block, block * kBlock, std::min(count, (block + 1) * kBlock));
      },
      2);
}

// Of a sphere its radius, of other solids their thickness, but not below 1/20 of their length.
double size_of(const Shape& shape, double radius) { return std::max(0.05 * radius, shape.inner_radius()); }

bool same_shape(const Shape& p, const Shape& q) {
  return p.kind == q.kind && p.radius == q.radius && p.half_extents == q.half_extents && p.data == q.data;
}

WallPlace wall_at(const Colliders& colliders, const Pose& pose, std::size_t k) {
  const Shape& shape = colliders.shape[k];
  const Vec3 normal = pose.rotation * Vec3::UnitZ();
  // Terrain lies under the plane through its highest point.
  const double top = shape.kind == ShapeKind::HeightField ? shape.terrain().highest : 0.0;
  return {normal, pose.position + top * normal, static_cast<std::uint32_t>(k), shape.kind == ShapeKind::Plane,
          colliders.mobile[k] != 0};
}

}  // namespace

void BroadPhase::find_pairs(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads,
                            std::vector<ColliderPair>& pairs) {
  CAROM_CHECK(margin >= 0 && std::isfinite(margin), "the detection margin is a length");
  CAROM_CHECK(poses.size() == colliders.shape.size(), "one pose per collider");
  const bool known = recall(colliders, poses, margin, threads);
  searched_ = !known;
  work_ = 0;
  if (searched_) {
    gather_walls(colliders, poses);
    listed_ = choose_allowances(colliders, threads);
    std::vector<ColliderPair>& found = listed_ ? list_ : pairs;
    search_.find(colliders, poses, walls_, margin, listed_ ? std::span<const double>(allowance_) : std::span<double>(),
                 threads, found);
    work_ = search_.work();
    remember(colliders, poses, margin, threads);
  }
  if (listed_) filter(threads, pairs);
}

// Balls now, and whether the list still holds.
bool BroadPhase::recall(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads) {
  const std::size_t n = poses.size();
  balls_.resize(n);
  moved_.resize(n);
  checks_.assign(blocks_of(n), {});
  ++age_;
  each_block(threads, n, [&](std::size_t block, std::size_t begin, std::size_t end) {
    Check check;
    for (std::size_t k = begin; k < end; ++k) {
      const Shape& shape = colliders.shape[k];
      const bool same = k < anchors_.size() && unchanged(colliders, k);
      check.same = check.same && same;
      moved_[k] = 0;
      if (!shape.bounded()) continue;  // walls_within
      const Vec3 at = shape.data ? poses[k].to_world(shape.bounding_centre()) : poses[k].position;
      balls_[k] = {at.x(), at.y(), at.z(), shape.bounding_radius() + 0.5 * margin};
      if (!same) continue;
      moved_[k] = displacement(poses, k);
      // What is lost to non-finite numbers has no pairs, listed or not.
      check.within = check.within && (moved_[k] <= kUsable * allowance_[k] || colliders.alive[k] == 0 ||
                                      (std::isnan(moved_[k]) && !at.allFinite()));
    }
    checks_[block] = check;
  });
  bool same = n == anchors_.size() && margin == margin_, within = true;
  for (const Check& check : checks_) {
    same = same && check.same;
    within = within && check.within;
  }
  if (same) within = walls_within(colliders, poses) && within;
  return same && within && listed_;
}

bool BroadPhase::unchanged(const Colliders& colliders, std::size_t k) const {
  const Anchor& anchor = anchors_[k];
  const Shape& shape = colliders.shape[k];
  if (shape.kind != anchor.kind || shape.radius != anchor.radius || colliders.body[k] != anchor.body ||
      colliders.mobile[k] != anchor.mobile || colliders.alive[k] != anchor.alive)
    return false;
  return anchor.solid == kNone || same_shape(shape, solids_[anchor.solid].shape);
}

// No point of the collider has moved farther: what its centre moved, and the chord of its turn at the radius.
double BroadPhase::displacement(std::span<const Pose> poses, std::size_t k) const {
  const Anchor& anchor = anchors_[k];
  const Ball& ball = balls_[k];
  const double moved = (Vec3(ball.x, ball.y, ball.z) - anchor.centre).norm();
  if (anchor.solid == kNone) return moved;
  // chord = 2 r sin(angle/2) <= 2 r |q - q0|, with the sign of q that is nearer
  const auto& q = poses[k].rotation.coeffs();
  const auto& q0 = solids_[anchor.solid].rotation.coeffs();
  return moved + 2 * ball.radius * std::min((q - q0).norm(), (q + q0).norm());
}

// By how much a wall has moved where colliders are: |height now - height before| over the ball that holds them all.
double BroadPhase::wall_displacement(const WallPlace& before, const WallPlace& now) const {
  const Vec3 turn = now.normal - before.normal;
  const double at_centre = now.height_of(centre_) - before.height_of(centre_);
  return std::abs(at_centre) + turn.norm() * extent_;
}

bool BroadPhase::walls_within(const Colliders& colliders, std::span<const Pose> poses) {
  bool within = true;
  for (std::size_t w = 0; w < wall_anchors_.size(); ++w) {
    const std::size_t k = wall_anchors_[w].collider;
    walls_[w] = wall_at(colliders, poses[k], k);
    balls_[k].radius = -1.0 - static_cast<double>(w);
    moved_[k] = wall_displacement(wall_anchors_[w], walls_[w]);
    within = within && moved_[k] <= kUsable * allowance_[k];
  }
  return within;
}

void BroadPhase::gather_walls(const Colliders& colliders, std::span<const Pose> poses) {
  walls_.clear();
  for (std::size_t k = 0; k < poses.size(); ++k) {
    if (colliders.shape[k].bounded()) continue;
    balls_[k].radius = -1.0 - static_cast<double>(walls_.size());
    walls_.push_back(wall_at(colliders, poses[k], k));
    if (colliders.alive[k] == 0) walls_.back().normal.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

// From how far each moved per call since the last search, if there was one. False where a list would not last.
bool BroadPhase::choose_allowances(const Colliders& colliders, Threads threads) {
  const std::size_t n = balls_.size();
  allowance_.assign(n, 0.0);

  // Speeds per call, and how many are fast.
  std::size_t fast = 0, bounded = 0;
  double sizes = 0;
  for (std::size_t k = 0; k < n; ++k) {
    moved_[k] /= age_;
    if (!std::isfinite(moved_[k])) moved_[k] = 0;
    if (balls_[k].radius < 0 || !std::isfinite(balls_[k].radius)) continue;
    ++bounded;
    const double size = size_of(colliders.shape[k], balls_[k].radius);
    sizes += size;
    fast += kHorizon * moved_[k] > kMost * size ? 1 : 0;
  }
  const double most = static_cast<double>(fast) <= kFew * static_cast<double>(bounded) ? kMostOfFew : kMost;
  const double wall_size = bounded > 0 ? sizes / static_cast<double>(bounded) : 0;

  checks_.assign(blocks_of(n), {});
  each_block(threads, n, [&](std::size_t block, std::size_t begin, std::size_t end) {
    bool lasting = true;
    for (std::size_t k = begin; k < end; ++k) {
      const bool wall = balls_[k].radius < 0;
      const double size = wall ? wall_size : size_of(colliders.shape[k], balls_[k].radius);
      if (!std::isfinite(size) || (colliders.mobile[k] == 0 && moved_[k] == 0)) continue;
      allowance_[k] = std::clamp(kHorizon * moved_[k], wall ? 0.0 : kLeast * size, (wall ? kMost : most) * size);
      lasting = lasting && allowance_[k] >= kFewestCalls * moved_[k];
    }
    checks_[block].within = lasting;
  });
  for (const Check& check : checks_) {
    if (check.within) continue;
    std::fill(allowance_.begin(), allowance_.end(), 0.0);
    return false;
  }
  return true;
}

void BroadPhase::remember(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads) {
  const std::size_t n = poses.size();
  margin_ = margin;
  age_ = 0;
  wall_anchors_.assign(walls_.begin(), walls_.end());
  anchors_.resize(n);
  std::uint32_t solids = 0;
  double largest = 0;
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::max()), high = -low;
  for (std::size_t k = 0; k < n; ++k) {
    const Shape& shape = colliders.shape[k];
    anchors_[k].solid = shape.bounded() && shape.kind != ShapeKind::Sphere ? solids++ : kNone;
    const Vec3 at(balls_[k].x, balls_[k].y, balls_[k].z);
    if (!shape.bounded() || !at.allFinite() || !std::isfinite(balls_[k].radius)) continue;
    largest = std::max(largest, balls_[k].radius);
    low = low.cwiseMin(at);
    high = high.cwiseMax(at);
  }
  // They stay in this ball while the list holds: each moves by kMostOfFew radii at most.
  centre_ = low.x() <= high.x() ? Vec3(0.5 * (low + high)) : Vec3::Zero();
  extent_ = low.x() <= high.x() ? 0.5 * (high - low).norm() + (1 + kMostOfFew) * largest : 0;
  solids_.resize(solids);
  each_block(threads, n, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const Shape& shape = colliders.shape[k];
      anchors_[k] = {.centre = Vec3(balls_[k].x, balls_[k].y, balls_[k].z),
                     .radius = shape.radius,
                     .body = colliders.body[k],
                     .solid = anchors_[k].solid,
                     .kind = shape.kind,
                     .mobile = colliders.mobile[k],
                     .alive = colliders.alive[k]};
      if (anchors_[k].solid == kNone) continue;
      SolidAnchor& solid = solids_[anchors_[k].solid];
      if (!same_shape(solid.shape, shape)) solid.shape = shape;
      solid.rotation = poses[k].rotation;
    }
  });
}

bool BroadPhase::near(const ColliderPair& pair) const {
  const Ball &p = balls_[pair.a], &q = balls_[pair.b];
  if (p.radius >= 0 && q.radius >= 0) {
    const double dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    const double reach = (p.radius + q.radius) * kSlack;
    return dx * dx + dy * dy + dz * dz <= reach * reach;
  }
  const Ball& ball = p.radius < 0 ? q : p;
  const WallPlace& wall = walls_[static_cast<std::size_t>(-1.0 - (p.radius < 0 ? p : q).radius)];
  const double height = wall.height_of(Vec3(ball.x, ball.y, ball.z));
  return (wall.two_sided ? std::abs(height) : height) <= (ball.radius + 0.5 * margin_) * kSlack;
}

void BroadPhase::filter(Threads threads, std::vector<ColliderPair>& pairs) {
  const std::size_t count = list_.size();
  work_ += static_cast<std::int64_t>(count);
  kept_count_.resize(blocks_of(count));
  kept_.resize(count);
  // Without a branch on the outcome: half of the list is near, in no order that could be guessed.
  each_block(threads, count, [&](std::size_t block, std::size_t begin, std::size_t end) {
    std::size_t place = begin;
    for (std::size_t i = begin; i < end; ++i) {
      kept_[place] = list_[i];
      place += near(list_[i]) ? 1 : 0;
    }
    kept_count_[block] = place - begin;
  });
  std::size_t total = 0;
  for (std::size_t& place : kept_count_) total += std::exchange(place, total);
  pairs.resize(total);
  each_block(threads, count, [&](std::size_t block, std::size_t begin, std::size_t) {
    const std::size_t end = block + 1 < kept_count_.size() ? kept_count_[block + 1] : total;
    std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(begin), end - kept_count_[block],
                pairs.begin() + static_cast<std::ptrdiff_t>(kept_count_[block]));
  });
}

}  // namespace carom
