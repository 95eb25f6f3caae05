// A 64-bit hash of bits, to compare states exactly: two runs agree iff their hashes do.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace carom {

class StateHash {
 public:
  // FNV-1a over 64-bit words, with a final avalanche so that single-bit changes spread.
  void add(std::uint64_t word) { state_ = (state_ ^ word) * 0x100000001B3ULL ^ (state_ >> 29); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::span<const double> values) {
    for (double value : values) add(value);
  }
  std::uint64_t value() const {
    std::uint64_t x = state_;
    x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCDULL;
    x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53ULL;
    return x ^ (x >> 33);
  }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

}  // namespace carom
