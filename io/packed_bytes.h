// Bytes made small and fit for text files: zlib streams and base64.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace carom {

using Bytes = std::vector<std::uint8_t>;

// A zlib stream (RFC 1950). level: 1 fast to 9 small.
Bytes deflated(std::span<const std::uint8_t> bytes, int level);

std::string base64(std::span<const std::uint8_t> bytes);

template <class T>
std::span<const std::uint8_t> bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)};
}

// All first bytes, then all second ones, ...: numbers near each other then compress well.
template <class T>
Bytes byte_planes(const std::vector<T>& values) {
  const std::span<const std::uint8_t> bytes = bytes_of(values);
  Bytes planes(bytes.size());
  for (std::size_t k = 0; k < sizeof(T); ++k)
    for (std::size_t i = 0; i < values.size(); ++i) planes[k * values.size() + i] = bytes[i * sizeof(T) + k];
  return planes;
}

}  // namespace carom
