#include "engine/islands.h"

#include <algorithm>
#include <numeric>

namespace carom {

int IslandFinder::root(int body) {
  // Path halving: every visited node skips to its grandparent.
  int b = body;
  while (parent_[static_cast<std::size_t>(b)] != b) {
    int& p = parent_[static_cast<std::size_t>(b)];
    p = parent_[static_cast<std::size_t>(p)];
    b = p;
  }
  return b;
}

void IslandFinder::join(int a, int b) {
  // The smaller root wins, so that the forest does not depend on the order of contacts.
  const int ra = root(a), rb = root(b);
  if (ra != rb) parent_[static_cast<std::size_t>(std::max(ra, rb))] = std::min(ra, rb);
}

void IslandFinder::number_islands(std::size_t contacts, auto&& body_of_contact) {
  number_.assign(parent_.size(), -1);
  of_contact_.resize(contacts);
  sizes_.clear();
  for (std::size_t c = 0; c < contacts; ++c) {
    int& number = number_[static_cast<std::size_t>(root(body_of_contact(c)))];
    if (number < 0) {
      number = static_cast<int>(sizes_.size());
      sizes_.push_back(0);
    }
    of_contact_[c] = number;
    ++sizes_[static_cast<std::size_t>(number)];
  }
  count_ = static_cast<int>(sizes_.size());
}

void IslandFinder::find(std::span<const std::array<int, 2>> pairs, int body_count) {
  parent_.resize(static_cast<std::size_t>(body_count));
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const auto& [a, b] : pairs)
    if (a >= 0 && b >= 0) join(a, b);
  number_islands(pairs.size(), [&](std::size_t c) { return pairs[c][0] >= 0 ? pairs[c][0] : pairs[c][1]; });
}

void IslandFinder::find(std::span<const int> first, std::span<const int> bodies, int body_count) {
  parent_.resize(static_cast<std::size_t>(body_count));
  std::iota(parent_.begin(), parent_.end(), 0);
  const auto start = [&](std::size_t c) { return static_cast<std::size_t>(first[c]); };
  for (std::size_t c = 0; c + 1 < first.size(); ++c)
    for (std::size_t k = start(c) + 1; k < start(c + 1); ++k) join(bodies[start(c)], bodies[k]);
  number_islands(first.size() - 1, [&](std::size_t c) { return bodies[start(c)]; });
}

int IslandFinder::largest() const { return sizes_.empty() ? 0 : *std::max_element(sizes_.begin(), sizes_.end()); }

}  // namespace carom
