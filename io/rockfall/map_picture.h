// A map of results over the shaded terrain, as SVG with an embedded PNG.
#pragma once

#include "io/rockfall/study_file.h"

namespace carom {

std::string map_picture(const StudyFile& study, const Raster& map, const std::string& unit);

// Text as XML takes it, line breaks kept.
std::string xml_escaped_lines(const std::string& text);

// A picture with 8-bit colours as a PNG file; rgb holds 3 width height bytes, top row first.
std::string png_image(std::uint32_t width, std::uint32_t height, const std::vector<std::uint8_t>& rgb);

}  // namespace carom
