#include "engine/islands.h"

#include <doctest/doctest.h>

#include <set>

#include "base/random.h"

using namespace carom;

TEST_CASE("the ground joins nothing: two balls on it are two islands") {
  IslandFinder islands;
  const std::array<int, 2> pairs[] = {{0, -1}, {1, -1}, {-1, 1}};
  islands.find(pairs, 2);
  CHECK(islands.count() == 2);
  CHECK(islands.largest() == 2);
  CHECK(islands.island_of_contact()[1] == islands.island_of_contact()[2]);
}

TEST_CASE("islands are the connected components, whatever the order of contacts") {
  RandomStream random(3, 0);
  IslandFinder islands;
  for (int trial = 0; trial < 200; ++trial) {
    const int bodies = 1 + static_cast<int>(random.below(40));
    std::vector<std::array<int, 2>> pairs(random.below(60));
    for (auto& pair : pairs) {
      pair[0] = static_cast<int>(random.below(static_cast<std::uint64_t>(bodies)));
      pair[1] = static_cast<int>(random.below(static_cast<std::uint64_t>(bodies) + 1)) - 1;
    }
    islands.find(pairs, bodies);
    // oracle: spread labels until nothing changes
    std::vector<int> label(static_cast<std::size_t>(bodies));
    for (int i = 0; i < bodies; ++i) label[static_cast<std::size_t>(i)] = i;
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [a, b] : pairs) {
        if (b < 0) continue;
        int &x = label[static_cast<std::size_t>(a)], &y = label[static_cast<std::size_t>(b)];
        changed = changed || x != y;
        x = y = std::min(x, y);
      }
    }
    std::set<int> touched;
    for (const auto& pair : pairs) touched.insert(label[static_cast<std::size_t>(pair[0])]);
    CHECK(islands.count() == static_cast<int>(touched.size()));
    for (std::size_t i = 0; i < pairs.size(); ++i)
      for (std::size_t j = 0; j < pairs.size(); ++j)
        CHECK((islands.island_of_contact()[i] == islands.island_of_contact()[j]) ==
              (label[static_cast<std::size_t>(pairs[i][0])] == label[static_cast<std::size_t>(pairs[j][0])]));
  }
}

TEST_CASE("contacts of any number of bodies make the same islands as pairs that join the same") {
  RandomStream random(4, 0);
  IslandFinder by_lists, by_pairs;
  for (int trial = 0; trial < 100; ++trial) {
    const int bodies = 1 + static_cast<int>(random.below(40));
    std::vector<int> first = {0}, joined;
    std::vector<std::array<int, 2>> pairs;
    std::vector<std::size_t> pair_of_contact;
    for (std::uint64_t c = 0, count = random.below(20); c < count; ++c) {
      pair_of_contact.push_back(pairs.size());
      for (std::uint64_t k = 0, size = 1 + random.below(4); k < size; ++k) {
        joined.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(bodies))));
        pairs.push_back({joined[static_cast<std::size_t>(first.back())], joined.back()});
      }
      first.push_back(static_cast<int>(joined.size()));
    }
    by_lists.find(first, joined, bodies);
    by_pairs.find(pairs, bodies);
    CHECK(by_lists.count() == by_pairs.count());
    for (std::size_t c = 0; c < pair_of_contact.size(); ++c)
      CHECK(by_lists.island_of_contact()[c] == by_pairs.island_of_contact()[pair_of_contact[c]]);
  }
}
