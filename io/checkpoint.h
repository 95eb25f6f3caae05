// Checkpoints: all a run needs to go on bit for bit, as one row of 64-bit words that knows its own length,
// place in the sequence and checksum. A run file keeps two and overwrites the older, so that a write cut
// short leaves the other.
#pragma once

#include <optional>

#include "engine/lagrangian_world.h"
#include "engine/world.h"

namespace carom {

// Rows of a run file that are complete.
struct RowCounts {
  std::int64_t frames = 0;
  std::int64_t contacts = 0;
  std::int64_t steps = 0;
  bool operator==(const RowCounts&) const = default;
};

struct Checkpoint {
  std::uint64_t sequence = 0;  // the larger of two is the newer
  RowCounts rows;              // of the file when the checkpoint was made; all beyond is dropped on resuming
  WorldSnapshot snapshot;
  // Contacts of the last step when that step has no frame in the file: finishing a run adds its last state as
  // a frame, and a world just restored no longer knows them.
  std::vector<ContactRecord> contacts;
};

// The same of a system in generalized coordinates.
struct SystemCheckpoint {
  std::uint64_t sequence = 0;
  RowCounts rows;
  LagrangianSnapshot snapshot;
  std::vector<LagrangianContactRecord> contacts;
};

std::vector<std::uint64_t> encode_checkpoint(const Checkpoint& checkpoint);
std::vector<std::uint64_t> encode_checkpoint(const SystemCheckpoint& checkpoint);

// Empty when the words are not one whole checkpoint with the right checksum.
std::optional<Checkpoint> decode_checkpoint(std::span<const std::uint64_t> words);
std::optional<SystemCheckpoint> decode_system_checkpoint(std::span<const std::uint64_t> words);

}  // namespace carom
