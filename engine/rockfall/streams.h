// Random numbers of a study: a stream of its own for each trajectory and purpose.
#pragma once

#include "base/random.h"

namespace carom::rockfall {

enum class Purpose : std::uint64_t { Release, Block, Roughness, Forest, Terrain };

inline RandomStream stream_of(std::uint64_t seed, Purpose purpose, std::uint64_t number) {
  return {seed, static_cast<std::uint64_t>(purpose) << 56 | number};
}

}  // namespace carom::rockfall
