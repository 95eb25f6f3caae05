#include "base/random.h"

#include <cmath>
#include <numbers>

namespace carom {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = kMultiplier0 * c[0];
    const std::uint64_t p1 = kMultiplier1 * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return c;
}

std::uint64_t RandomStream::bits() {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto words = philox({low(counter_), high(counter_), low(stream_), high(stream_)}, {low(seed_), high(seed_)});
  ++counter_;
  return (static_cast<std::uint64_t>(words[1]) << 32) | words[0];
}

double RandomStream::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double RandomStream::uniform(double low, double high) { return low + (high - low) * uniform(); }

double RandomStream::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  if (bound <= 1) return 0;
  // Reject the incomplete last interval, so that every value is equally likely.
  const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % bound + 1) % bound;
  std::uint64_t x = bits();
  while (x > limit) x = bits();
  return x % bound;
}

Vec3 RandomStream::direction() {
  const double z = uniform(-1.0, 1.0);
  const double angle = uniform(0.0, 2.0 * std::numbers::pi);
  const double radius = std::sqrt(1.0 - z * z);
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

Quat RandomStream::orientation() {
  // Shoemake: three uniform numbers make a uniform unit quaternion.
  const double u = uniform();
  const double a = uniform(0.0, 2.0 * std::numbers::pi), b = uniform(0.0, 2.0 * std::numbers::pi);
  const double p = std::sqrt(1.0 - u), q = std::sqrt(u);
  return Quat(q * std::cos(b), p * std::sin(a), p * std::cos(a), q * std::sin(b));
}

}  // namespace carom
