#include "io/png_image.h"

#include <zlib.h>

#include <cstring>

#include "base/check.h"

namespace carom {

namespace {

void put_word(Bytes& out, std::uint32_t word) {
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<std::uint8_t>(word >> shift));
}

// Length, name, data, and the checksum of name and data.
void put_chunk(Bytes& out, const char* name, const Bytes& data) {
  put_word(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = out.size();
  out.insert(out.end(), name, name + 4);
  out.insert(out.end(), data.begin(), data.end());
  put_word(out, static_cast<std::uint32_t>(crc32(0, out.data() + start, static_cast<uInt>(out.size() - start))));
}

}  // namespace

Bytes png_rgba(std::uint32_t width, std::uint32_t height, const Bytes& pixels) {
  CAROM_CHECK(pixels.size() == std::size_t{4} * width * height, "four channels per pixel");
  Bytes out = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  Bytes header;
  put_word(header, width);
  put_word(header, height);
  header.insert(header.end(), {8, 6, 0, 0, 0});  // bits, RGBA, deflate, filters, not interlaced
  put_chunk(out, "IHDR", header);
  Bytes rows;
  rows.reserve(pixels.size() + height);
  for (std::uint32_t j = 0; j < height; ++j) {
    rows.push_back(0);  // no filter
    const auto row = pixels.begin() + std::ptrdiff_t{4} * width * j;
    rows.insert(rows.end(), row, row + std::ptrdiff_t{4} * width);
  }
  put_chunk(out, "IDAT", deflated(rows, 6));
  put_chunk(out, "IEND", {});
  return out;
}

}  // namespace carom
