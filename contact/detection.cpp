#include "contact/detection.h"

#include "base/check.h"
#include "contact/narrow_phase.h"
#include "contact/planar.h"

namespace carom {

namespace {

// Pairs per unit of parallel work.
constexpr std::size_t kBlock = 1024;

void collide_pairs(const Colliders& colliders, std::span<const Pose> poses, double margin,
                   std::span<const ColliderPair> pairs, const std::optional<Vec3>& planar, ContactSet& out) {
  if (planar) {
    const PlaneFrame plane(*planar);
    for (const auto& [a, b] : pairs)
      collide_planar(a, colliders.shape[a], poses[a], b, colliders.shape[b], poses[b], plane, margin, out);
    return;
  }
  for (const auto& [a, b] : pairs) {
    collide(a, colliders.shape[a], poses[a], b, colliders.shape[b], poses[b], margin, out);
  }
}

void copy_to(const ContactSet& block, std::size_t place, ContactSet& out) {
  const auto at = static_cast<std::ptrdiff_t>(place);
  std::copy(block.key.begin(), block.key.end(), out.key.begin() + at);
  std::copy(block.point.begin(), block.point.end(), out.point.begin() + at);
  std::copy(block.normal.begin(), block.normal.end(), out.normal.begin() + at);
  std::copy(block.gap.begin(), block.gap.end(), out.gap.begin() + at);
}

}  // namespace

void ContactDetector::detect(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads,
                             ContactSet& out, const std::optional<Vec3>& planar) {
  CAROM_CHECK(poses.size() == colliders.shape.size(), "one pose per collider");
  broad_phase_.find_pairs(colliders, poses, margin, threads, pairs_);

  // Pairs are sorted and each gives its contacts in feature order, so that contacts come in key order.
  out.clear();
  const std::size_t block_count = (pairs_.size() + kBlock - 1) / kBlock;
  if (threads.count <= 1 || block_count <= 1) {
    collide_pairs(colliders, poses, margin, pairs_, planar, out);
    return;
  }

  if (block_contacts_.size() < block_count) block_contacts_.resize(block_count);
  block_place_.resize(block_count);
  const auto blocks = static_cast<std::ptrdiff_t>(block_count);
  const auto collide_block = [&](std::ptrdiff_t b) {
    const std::size_t k = static_cast<std::size_t>(b), begin = k * kBlock;
    block_contacts_[k].clear();
    const auto block_pairs = std::span(pairs_).subspan(begin, std::min(kBlock, pairs_.size() - begin));
    collide_pairs(colliders, poses, margin, block_pairs, planar, block_contacts_[k]);
  };
  parallel_for(threads, blocks, collide_block, /*serial_below=*/2);

  std::size_t total = 0;
  for (std::size_t k = 0; k < block_count; ++k) {
    block_place_[k] = total;
    total += block_contacts_[k].key.size();
  }
  out.resize(total);
  const auto copy_block = [&](std::ptrdiff_t b) {
    const auto k = static_cast<std::size_t>(b);
    copy_to(block_contacts_[k], block_place_[k], out);
  };
  parallel_for(threads, blocks, copy_block, /*serial_below=*/2);
}

}  // namespace carom
