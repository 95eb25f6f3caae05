// PNG images, for rasters inside plots and pages.
#pragma once

#include "io/packed_bytes.h"

namespace carom {

// 8 bits per channel, red green blue alpha; rows from the top. pixels.size() is 4 width height.
Bytes png_rgba(std::uint32_t width, std::uint32_t height, const Bytes& pixels);

}  // namespace carom
