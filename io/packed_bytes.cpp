#include "io/packed_bytes.h"

#include <zlib.h>

#include "base/check.h"

namespace carom {

Bytes deflated(std::span<const std::uint8_t> bytes, int level) {
  uLongf size = compressBound(bytes.size());
  Bytes out(size);
  const int status = compress2(out.data(), &size, bytes.data(), bytes.size(), level);
  CAROM_CHECK(status == Z_OK, "the buffer of compressBound holds every stream");
  out.resize(size);
  return out;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const std::uint32_t word = static_cast<std::uint32_t>(bytes[i]) << 16 |
                               static_cast<std::uint32_t>(left > 1 ? bytes[i + 1] : 0) << 8 |
                               static_cast<std::uint32_t>(left > 2 ? bytes[i + 2] : 0);
    text += kDigits[word >> 18];
    text += kDigits[word >> 12 & 63];
    text += left > 1 ? kDigits[word >> 6 & 63] : '=';
    text += left > 2 ? kDigits[word & 63] : '=';
  }
  return text;
}

}  // namespace carom
