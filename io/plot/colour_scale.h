// Colours for numbers and for names.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace carom {

using Rgb = std::array<double, 3>;  // 0..255

enum class ColourScale : std::uint8_t {
  Sequential,  // from little, dark blue, to much, yellow: grows brighter evenly
  Speed,       // blue over sand to red
  Heat,        // pale to dark red, for how often something was reached
  Diverging,   // blue, white, red: about zero
};

Rgb scale_colour(ColourScale scale, double fraction);  // 0..1, clamped
Rgb mixed(const Rgb& a, const Rgb& b, double t);
std::string hex_colour(const Rgb& colour);  // "#1f6fb2"

// Colours of curves, told apart by most eyes; the same order for light and for dark ground.
inline constexpr int kCurveColours = 10;
const char* curve_colour(int number, bool dark);

}  // namespace carom
