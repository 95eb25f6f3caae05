#include "io/packing.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "contact/broad_phase.h"

using namespace carom;

namespace {

double sphere_volume(double r) { return 4.0 / 3.0 * M_PI * r * r * r; }

// The deepest overlap, every pair of near ones tried with a search of its own; positive is overlap.
double deepest_overlap(const PackedGrains& packed, double gap) {
  Colliders colliders;
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < packed.radii.size(); ++i) {
    colliders.add(Shape::sphere(packed.radii[i]), static_cast<int>(i), {}, true);
    poses.push_back({.position = packed.positions[i]});
  }
  BroadPhase search;
  std::vector<ColliderPair> pairs;
  const double largest = *std::max_element(packed.radii.begin(), packed.radii.end());
  search.find_pairs(colliders, poses, gap + 0.2 * largest, {}, pairs);
  double deepest = -INFINITY;
  for (const auto& [a, b] : pairs)
    deepest =
        std::max(deepest, packed.radii[a] + packed.radii[b] + gap - (packed.positions[a] - packed.positions[b]).norm());
  return deepest;
}

void check_packing(const PackingSpec& spec, const PackedGrains& packed) {
  REQUIRE(packed.positions.size() == packed.radii.size());
  CHECK(deepest_overlap(packed, spec.gap) <= 0);
  double volume = 0, outside = -INFINITY;
  for (std::size_t i = 0; i < packed.radii.size(); ++i) {
    volume += sphere_volume(packed.radii[i]);
    outside = std::max(outside, spec.container.depth_outside(packed.positions[i], packed.radii[i]));
  }
  CHECK(outside <= 0);
  CHECK(volume / spec.container.volume() == doctest::Approx(packed.fraction));
  CHECK(packed.fraction == doctest::Approx(spec.fraction).epsilon(0.01));
}

std::string message_of(const PackingSpec& spec) {
  try {
    pack_grains(spec, {1, 0});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a box is filled to the fraction asked for, without overlaps") {
  for (const double fraction : {0.1, 0.5, 0.58}) {
    const PackingSpec spec{.container = Container::box(Vec3(-1, 2, 0), Vec3(0, 3.2, 0.9)),
                           .sizes = SizeDistribution::uniform(0.025, 0.035),
                           .fraction = fraction,
                           .gap = 1e-5};
    check_packing(spec, pack_grains(spec, {7, 0}));
  }
}

TEST_CASE("cylinders and hoppers are filled") {
  PackingSpec spec{.container = Container::cylinder(Vec3(1, 1, 0), 0.5, 1.5),
                   .sizes = SizeDistribution::uniform(0.03, 0.04),
                   .fraction = 0.55};
  check_packing(spec, pack_grains(spec, {3, 0}));
  spec.container = Container::hopper(Vec3(0, 0, -1), 0.15, 0.5, 0.6, 1.2);
  CHECK(spec.container.volume() == doctest::Approx(M_PI * 0.6 / 3 * (0.0225 + 0.075 + 0.25) + M_PI * 0.25 * 0.6));
  check_packing(spec, pack_grains(spec, {3, 0}));
}

TEST_CASE("mixed sizes pack to 0.6 and more") {
  const PackingSpec spec{.container = Container::box(Vec3::Zero(), Vec3::Ones()),
                         .sizes = SizeDistribution::log_normal(0.02, 0.4, 0.008, 0.06),
                         .fraction = 0.61};
  check_packing(spec, pack_grains(spec, {5, 0}));
}

TEST_CASE("a packing depends on its seed alone") {
  const PackingSpec spec{.container = Container::box(Vec3::Zero(), Vec3::Ones()),
                         .sizes = SizeDistribution::uniform(0.02, 0.03),
                         .fraction = 0.55};
  const PackedGrains one = pack_grains(spec, {5, 0}, {1}), two = pack_grains(spec, {5, 0}, {3});
  CHECK(one.radii.size() > 5000);
  CHECK(one.positions == two.positions);
  CHECK(one.radii == two.radii);
  CHECK(pack_grains(spec, {6, 0}).positions != one.positions);
}

TEST_CASE("a fraction beyond what spheres allow is refused with what was reached") {
  PackingSpec spec{.container = Container::box(Vec3::Zero(), Vec3::Ones()),
                   .sizes = SizeDistribution::uniform(0.06, 0.06),
                   .fraction = 0.69};
  CHECK(message_of(spec).find("was reached") != std::string::npos);
  CHECK(message_of(spec).find("0.69") != std::string::npos);
  spec.fraction = 0.75;
  CHECK(message_of(spec).find("0.7405") != std::string::npos);
  spec.fraction = 0.5;
  spec.sizes = SizeDistribution::uniform(0.1, 0.6);
  CHECK(message_of(spec).find("does not fit") != std::string::npos);
  spec.sizes = SizeDistribution::uniform(1e-5, 1e-5);
  CHECK(message_of(spec).find("at most") != std::string::npos);
  spec.fraction = 0;
  CHECK(message_of(spec).find("fraction") != std::string::npos);
  CHECK_THROWS_AS(SizeDistribution::uniform(0, 1), InputError);
  CHECK_THROWS_AS(SizeDistribution::log_normal(0.01, 0.3, 0.02, 0.03), InputError);
  CHECK_THROWS_AS(SizeDistribution::sieve({0.01, 0.02}, {0.1, 1}), InputError);
  CHECK_THROWS_AS(SizeDistribution::sieve({0.02, 0.01}, {0, 1}), InputError);
  CHECK_THROWS_AS(Container::hopper(Vec3::Zero(), 0.5, 0.4, 0.1, 1), InputError);
  CHECK_THROWS_AS(Container::box(Vec3::Zero(), Vec3(1, 0, 1)), InputError);
}

TEST_CASE("uniform radii have their mean and spread; log-normal ones their median and moments") {
  const std::vector<double> radii = radii_filling(SizeDistribution::uniform(0.01, 0.03), 0.5, 1000000);
  double mean = 0, volume = 0;
  for (const double r : radii) mean += r / static_cast<double>(radii.size()), volume += sphere_volume(r);
  CHECK(mean == doctest::Approx(0.02).epsilon(1e-6));
  CHECK(volume == doctest::Approx(0.5).epsilon(1e-3));
  // number = volume / E[v],  E[r^3] = (b^4 - a^4) / (4 (b - a))
  const double cube_mean = (std::pow(0.03, 4) - std::pow(0.01, 4)) / (4 * 0.02);
  CHECK(static_cast<double>(radii.size()) == doctest::Approx(0.5 / (4.0 / 3.0 * M_PI * cube_mean)).epsilon(1e-3));

  // Cut so far out that the cuts do not matter: E[r^k] = median^k exp(k^2 sigma^2 / 2)
  const SizeDistribution law = SizeDistribution::log_normal(0.01, 0.3, 0.001, 0.1);
  const int n = 20000;
  double first = 0, second = 0;
  for (int i = 0; i < n; ++i) {
    const double r = law.quantile((i + 0.5) / n);
    first += r / n;
    second += r * r / n;
  }
  CHECK(law.quantile(0.5) == doctest::Approx(0.01).epsilon(1e-9));
  CHECK(first == doctest::Approx(0.01 * std::exp(0.045)).epsilon(1e-4));
  CHECK(second == doctest::Approx(1e-4 * std::exp(0.18)).epsilon(1e-3));
}

TEST_CASE("a sieve curve comes back when the grains are sieved") {
  const std::vector<double> openings = {0.01, 0.02, 0.04, 0.08}, passing = {0, 0.3, 0.7, 1};
  const std::vector<double> radii = radii_filling(SizeDistribution::sieve(openings, passing), 3, 5000000);
  double total = 0;
  for (const double r : radii) total += sphere_volume(r);
  CHECK(total == doctest::Approx(3).epsilon(1e-3));
  for (const double opening : {0.01, 0.02, 0.028284271, 0.04, 0.08}) {
    double through = 0;
    for (const double r : radii) through += 2 * r <= opening ? sphere_volume(r) : 0;
    // Between openings mass is even in ln d: sqrt(0.02 0.04) passes half of that interval.
    const double expected = opening == 0.01   ? 0
                            : opening == 0.02 ? 0.3
                            : opening == 0.04 ? 0.7
                            : opening == 0.08 ? 1
                                              : 0.5;
    CHECK(through / total == doctest::Approx(expected).epsilon(0.01));
  }
}
