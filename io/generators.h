// Generators: where the bodies of a group go. Pure functions of their specification and a seed; every random number
// of body i comes from streams of its own, so that a body never depends on how many follow it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/types.h"

namespace carom {

// Names the random streams of one group: one per purpose and body.
struct GroupSeed {
  enum class Purpose : std::uint8_t { Size, Place, Turn };
  std::uint64_t seed = 0;
  std::uint32_t group = 0;  // number of the group in its scene

  RandomStream stream(Purpose purpose, std::size_t body) const {
    return {seed, static_cast<std::uint64_t>(purpose) << 56 | static_cast<std::uint64_t>(group & 0xFFFFFFu) << 32 |
                      static_cast<std::uint64_t>(body & 0xFFFFFFFFu)};
  }
};

enum class Packing : std::uint8_t {
  Cubic,      // counts: bodies along x, y, z; spacing per axis
  Hexagonal,  // hcp, layers ABAB: counts are bodies in a row, rows in a layer, layers
  Fcc,        // counts are cubic cells of 4 bodies
  Bcc,        // counts are cubic cells of 2 bodies
};

struct LatticeSpec {
  std::array<std::int64_t, 3> counts{1, 1, 1};
  Vec3 spacing = Vec3::Ones();  // m; all but Cubic use spacing.x(), the distance of nearest neighbours
  Vec3 origin = Vec3::Zero();   // of the first body
  Packing packing = Packing::Cubic;
  double jitter = 0;                // m: each coordinate moves by a uniform number in [-jitter, jitter)
  Vec3 jitter_axes = Vec3::Ones();  // 0: this coordinate stays
};
std::int64_t lattice_size(const LatticeSpec& spec);
std::vector<Vec3> lattice_positions(const LatticeSpec& spec, const GroupSeed& seed);

// Beads in a line: neighbours are radius + gap + radius apart.
std::vector<Vec3> chain_positions(const std::vector<double>& radii, const Vec3& start, const Vec3& unit_direction,
                                  double gap);

// One radius per body, uniform in [low, high).
std::vector<double> random_radii(std::size_t count, double low, double high, const GroupSeed& seed);

// Random sequential addition: spheres thrown one by one, large before small, into the box [low, high], each kept
// where it stays inside the box and at least `gap` away from all others. An axis with low = high is flat: all
// centres lie in that plane.
struct RandomSpec {
  std::vector<double> radii;  // m
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  double gap = 0;       // m, >= 0
  int attempts = 1000;  // throws per sphere
};
struct RandomPlaces {
  std::vector<Vec3> positions;  // one per radius, when all fit
  std::size_t placed = 0;       // how many fitted before one did not
  bool complete() const { return placed == positions.size(); }
};
RandomPlaces random_positions(const RandomSpec& spec, const GroupSeed& seed);

}  // namespace carom
