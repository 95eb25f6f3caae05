// A run as the 3D replay of a page takes it: shapes, poses of all moving bodies in 16 bits per coordinate, and the
// strongest contact forces, in frames evenly chosen so that the page stays small.
#pragma once

#include <optional>

#include "io/json.h"
#include "io/packed_bytes.h"
#include "io/run_reader.h"

namespace carom {

struct ReplayOptions {
  std::int64_t frames = 0;  // at most; 0: what fits
  double megabytes = 24;    // of frames before they are compressed to about half
};

// Named arrays, each deflated; `manifest` says what they hold and how to undo the packing.
struct Replay {
  struct Block {
    std::string name;
    Bytes bytes;
  };
  JsonObject manifest;
  std::vector<Block> blocks;
  std::int64_t frames = 0;  // kept
  std::int64_t most_contacts = 0, most_contacts_kept = 0;
};

// Where up is and whether motion stays in a plane come from the scene, where it is still understood.
struct ReplayWorld {
  Vec3 up = Vec3::UnitZ();
  std::optional<Vec3> planar;  // normal of the plane of motion
};

Replay make_replay(const RunReader& run, const ReplayWorld& world, const ReplayOptions& options);

}  // namespace carom
