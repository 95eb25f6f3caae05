// The feature number in a contact's key: which corners or edges of the two shapes meet. It stays the same as long as
// they do. Two bits tell the kind, 31 each the features of a and of b: a terrain has millions.
#pragma once

#include <cstdint>

namespace carom {

inline constexpr std::uint32_t kFeatureLimit = 1u << 31;

constexpr std::uint64_t feature_key(std::uint32_t kind, std::uint32_t of_a, std::uint32_t of_b) {
  return std::uint64_t{kind} << 62 | std::uint64_t{of_a} << 31 | of_b;
}
// Kind 0 is left to pairs with one contact, or with a numbering of their own (corners on a wall).
constexpr std::uint64_t corner_of_a(std::uint32_t vertex, std::uint32_t slot = 0) {
  return feature_key(1, vertex, slot);
}
constexpr std::uint64_t corner_of_b(std::uint32_t vertex, std::uint32_t slot = 0) {
  return feature_key(2, slot, vertex);
}
constexpr std::uint64_t edge_crossing(std::uint32_t edge_a, std::uint32_t edge_b) {
  return feature_key(3, edge_a, edge_b);
}

// The key of the same contact when a and b change places.
template <class Feature>
constexpr Feature mirrored_feature(Feature feature) {
  const auto of_b = static_cast<std::uint32_t>(feature % kFeatureLimit);
  const auto of_a = static_cast<std::uint32_t>(feature / kFeatureLimit % kFeatureLimit);
  const auto kind = static_cast<std::uint32_t>(feature / kFeatureLimit / kFeatureLimit);
  return feature_key(kind == 1 ? 2 : kind == 2 ? 1 : kind, of_b, of_a);
}

}  // namespace carom
