// Counter-based random numbers (Philox4x32-10: Salmon, Moraes, Dror, Shaw 2011). The n-th number of a
// stream is a pure function of (seed, stream, n): the same on any thread count, in any order, after a
// restart. Give each body, grain or trajectory its own stream number.
#pragma once

#include <array>
#include <cstdint>

#include "base/types.h"

namespace carom {

// Four 32-bit words, a bijection of the counter for each key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  std::uint64_t bits();                      // 64 random bits
  double uniform();                          // in [0, 1), 53 bits
  double uniform(double low, double high);   // in [low, high)
  double normal();                           // mean 0, deviation 1 (Box-Muller, one number per call)
  std::uint64_t below(std::uint64_t bound);  // in [0, bound), without bias
  Vec3 direction();                          // uniform on the unit sphere
  Quat orientation();                        // uniform over rotations

  std::uint64_t position() const { return counter_; }
  void seek(std::uint64_t position) { counter_ = position; }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t counter_ = 0;  // one 128-bit Philox block per call of bits()
};

}  // namespace carom
