#include "base/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace carom;

namespace {

using Words = std::array<std::uint32_t, 4>;

// sum of (observed - expected)^2 / expected over equally likely bins
double chi_squared(const std::vector<int>& counts, double draws) {
  const double expected = draws / static_cast<double>(counts.size());
  double sum = 0;
  for (int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

// Five deviations above the mean of chi-squared: a fair generator fails once in a million seeds.
double chi_squared_limit(std::size_t bins) {
  const auto degrees = static_cast<double>(bins - 1);
  return degrees + 5.0 * std::sqrt(2.0 * degrees);
}

}  // namespace

TEST_CASE("philox gives the published known answers of Random123") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint32_t ones = 0xffffffff;
  CHECK(philox({ones, ones, ones, ones}, {ones, ones}) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  // digits of pi
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a stream is a function of seed, stream number and position") {
  RandomStream forward(42, 7);
  std::vector<std::uint64_t> numbers(100);
  for (auto& number : numbers) number = forward.bits();
  CHECK(forward.position() == 100);

  SUBCASE("read backwards by seeking") {
    RandomStream other(42, 7);
    for (std::size_t k = 100; k-- > 0;) {
      other.seek(k);
      CHECK(other.bits() == numbers[k]);
    }
  }
  SUBCASE("positions beyond 32 bits are distinct from those below") {
    RandomStream other(42, 7);
    other.seek(std::uint64_t{1} << 32);
    CHECK(other.bits() != numbers[0]);
  }
  SUBCASE("all 64 bits of seed and stream count") {
    for (int bit = 0; bit < 64; ++bit) {
      CHECK(RandomStream(42 ^ (std::uint64_t{1} << bit), 7).bits() != numbers[0]);
      CHECK(RandomStream(42, 7 ^ (std::uint64_t{1} << bit)).bits() != numbers[0]);
    }
  }
}

TEST_CASE("uniform numbers fill [0, 1) evenly, within a stream and across streams") {
  const int draws = 200000;
  const std::size_t bins = 100;
  std::vector<int> along(bins), across(bins);
  RandomStream stream(1, 0);
  double sum = 0;
  bool inside = true;
  for (int k = 0; k < draws; ++k) {
    const double x = stream.uniform();
    const double y = RandomStream(1, static_cast<std::uint64_t>(k)).uniform();
    inside = inside && x >= 0 && x < 1 && y >= 0 && y < 1;
    sum += x;
    ++along[static_cast<std::size_t>(x * static_cast<double>(bins))];
    ++across[static_cast<std::size_t>(y * static_cast<double>(bins))];
  }
  CHECK(inside);
  CHECK(std::abs(sum / draws - 0.5) < 5.0 / std::sqrt(12.0 * draws));
  CHECK(chi_squared(along, draws) < chi_squared_limit(bins));
  CHECK(chi_squared(across, draws) < chi_squared_limit(bins));
}

TEST_CASE("neighbouring streams, seeds and positions are uncorrelated") {
  const int draws = 100000;
  const auto correlation = [&](auto&& first, auto&& second) {
    double sum = 0;
    for (int k = 0; k < draws; ++k) sum += (first(k) - 0.5) * (second(k) - 0.5);
    return 12.0 * sum / draws;
  };
  const auto number = [](std::uint64_t seed, std::uint64_t stream, int position) {
    RandomStream random(seed, stream);
    random.seek(static_cast<std::uint64_t>(position));
    return random.uniform();
  };
  const double limit = 5.0 / std::sqrt(draws);
  const auto base = [&](int k) { return number(3, 5, k); };
  CHECK(std::abs(correlation(base, [&](int k) { return number(3, 6, k); })) < limit);
  CHECK(std::abs(correlation(base, [&](int k) { return number(4, 5, k); })) < limit);
  CHECK(std::abs(correlation(base, [&](int k) { return number(3, 5, k + 1); })) < limit);
}

TEST_CASE("below is without bias") {
  RandomStream random(9, 1);
  SUBCASE("small bounds: all values equally often") {
    for (const std::uint64_t bound : {2u, 3u, 7u, 100u}) {
      const int draws = 100000;
      std::vector<int> counts(bound);
      for (int k = 0; k < draws; ++k) ++counts.at(random.below(bound));
      CHECK(chi_squared(counts, draws) < chi_squared_limit(bound));
    }
  }
  SUBCASE("a bound of 3/4 of the range, where a remainder would favour the first third") {
    const std::uint64_t third = std::uint64_t{1} << 62;
    const int draws = 100000;
    std::vector<int> counts(3);
    for (int k = 0; k < draws; ++k) ++counts.at(random.below(3 * third) / third);
    CHECK(chi_squared(counts, draws) < chi_squared_limit(3));
  }
  SUBCASE("bounds 0 and 1 leave only 0") {
    CHECK(random.below(0) == 0);
    CHECK(random.below(1) == 0);
  }
}

TEST_CASE("normal numbers have the moments 0, 1, 0, 3") {
  RandomStream random(11, 0);
  const int draws = 200000;
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
  for (int k = 0; k < draws; ++k) {
    const double x = random.normal();
    m1 += x, m2 += x * x, m3 += x * x * x, m4 += x * x * x * x;
  }
  // Deviations of the sample moments: sqrt of 1, 2, 15 and 96 over the number of draws.
  CHECK(std::abs(m1 / draws) < 5 * std::sqrt(1.0 / draws));
  CHECK(std::abs(m2 / draws - 1) < 5 * std::sqrt(2.0 / draws));
  CHECK(std::abs(m3 / draws) < 5 * std::sqrt(15.0 / draws));
  CHECK(std::abs(m4 / draws - 3) < 5 * std::sqrt(96.0 / draws));
}

TEST_CASE("directions and orientations are unit and isotropic") {
  RandomStream random(12, 0);
  const int draws = 50000;
  Vec3 mean = Vec3::Zero(), rotated_mean = Vec3::Zero();
  Mat3 second = Mat3::Zero(), rotated_second = Mat3::Zero();
  double worst = 0;
  for (int k = 0; k < draws; ++k) {
    const Vec3 d = random.direction();
    const Quat q = random.orientation();
    const Vec3 e = q * Vec3(0.6, 0, 0.8);
    worst = std::max({worst, std::abs(d.norm() - 1), std::abs(q.norm() - 1)});
    mean += d / draws, rotated_mean += e / draws;
    second += d * d.transpose() / draws, rotated_second += e * e.transpose() / draws;
  }
  CHECK(worst < 1e-14);
  // E d = 0 with deviation 1/sqrt(3 n); E d d^T = 1/3
  CHECK(mean.cwiseAbs().maxCoeff() < 5 / std::sqrt(3.0 * draws));
  CHECK(rotated_mean.cwiseAbs().maxCoeff() < 5 / std::sqrt(3.0 * draws));
  CHECK((second - Mat3::Identity() / 3).cwiseAbs().maxCoeff() < 5 * 0.3 / std::sqrt(draws));
  CHECK((rotated_second - Mat3::Identity() / 3).cwiseAbs().maxCoeff() < 5 * 0.3 / std::sqrt(draws));
}
