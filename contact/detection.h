// Detection: poses in, sorted contact set out.
//
// Broad phase: a hierarchy of grids, one per factor 2 of size, so that cost is linear in the number of
// colliders whatever their mix of sizes; its pairs serve until something has moved far enough.
// Narrow phase: manifolds per pair of shapes. Both run in parallel and give the same contacts, in
// key order, for any thread count. Scratch is kept, so that the steady state allocates nothing.
#pragma once

#include <optional>

#include "base/parallel.h"
#include "contact/broad_phase.h"
#include "contact/colliders.h"
#include "contact/contact_set.h"

namespace carom {

class ContactDetector {
 public:
  // All contacts with gap <= margin (m, >= 0) between colliders that may touch. `poses` holds the
  // world pose of each collider. `planar`: unit normal of the plane of motion, in which all contacts then lie; see
  // contact/planar.h.
  void detect(const Colliders& colliders, std::span<const Pose> poses, double margin, Threads threads, ContactSet& out,
              const std::optional<Vec3>& planar = {});

  // Candidate pairs of the last call, for diagnostics.
  int candidate_count() const { return static_cast<int>(pairs_.size()); }

 private:
  BroadPhase broad_phase_;
  std::vector<ColliderPair> pairs_;         // detect: candidates, sorted
  std::vector<ContactSet> block_contacts_;  // detect: contacts of each block of pairs, joined in order
  std::vector<std::size_t> block_place_;    // detect: where each block goes in the result
};

}  // namespace carom
