// Contact set: what detection found, sorted by persistent keys.
#pragma once

#include <compare>

#include "base/types.h"

namespace carom {

// Names a contact from step to step. a < b always; feature tells apart several contacts of one pair
// (a box's corner). Keys order the contacts, so that results depend neither on threads nor on memory.
struct ContactKey {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint64_t feature = 0;
  auto operator<=>(const ContactKey&) const = default;
};

struct ContactSet {
  std::vector<ContactKey> key;  // strictly increasing
  std::vector<Vec3> point;      // world, midway between the two surfaces, m
  std::vector<Vec3> normal;     // unit, from b to a
  std::vector<double> gap;      // signed distance, m; negative when overlapping

  int size() const { return static_cast<int>(key.size()); }
  void clear() {
    key.clear();
    point.clear();
    normal.clear();
    gap.clear();
  }
  void resize(std::size_t count) {
    key.resize(count);
    point.resize(count);
    normal.resize(count);
    gap.resize(count);
  }
  void push(const ContactKey& k, const Vec3& p, const Vec3& n, double g) {
    key.push_back(k);
    point.push_back(p);
    normal.push_back(n);
    gap.push_back(g);
  }
};

}  // namespace carom
