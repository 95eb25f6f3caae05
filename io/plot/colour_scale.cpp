#include "io/plot/colour_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace carom {

namespace {

constexpr std::array<Rgb, 6> kSequential = {
    {{38, 24, 74}, {54, 67, 134}, {40, 118, 142}, {48, 165, 126}, {140, 205, 88}, {246, 228, 70}}};
constexpr std::array<Rgb, 5> kSpeed = {
    {{58, 94, 150}, {94, 153, 180}, {221, 213, 182}, {226, 155, 92}, {188, 66, 58}}};
constexpr std::array<Rgb, 5> kHeat = {{{255, 243, 205}, {252, 200, 116}, {240, 134, 68}, {200, 58, 50}, {104, 12, 48}}};
constexpr std::array<Rgb, 5> kDiverging = {
    {{33, 82, 156}, {136, 180, 214}, {244, 243, 238}, {230, 152, 122}, {166, 34, 44}}};

constexpr std::array<const char*, kCurveColours> kLight = {"#1f6fb2", "#cf4f3f", "#1b8a5a", "#c98a00", "#7b4fb5",
                                                           "#0093a5", "#8a5a2b", "#c2379a", "#5a6672", "#7f8a00"};
constexpr std::array<const char*, kCurveColours> kDark = {"#6cb2ee", "#f0907a", "#5fc89a", "#e9b44c", "#b79aef",
                                                          "#4fc9d8", "#d9a06a", "#e58fcb", "#a9b4c0", "#bcc84a"};

std::span<const Rgb> anchors(ColourScale scale) {
  switch (scale) {
    case ColourScale::Speed:
      return kSpeed;
    case ColourScale::Heat:
      return kHeat;
    case ColourScale::Diverging:
      return kDiverging;
    case ColourScale::Sequential:
      break;
  }
  return kSequential;
}

}  // namespace

Rgb mixed(const Rgb& a, const Rgb& b, double t) {
  return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
}

Rgb scale_colour(ColourScale scale, double fraction) {
  const std::span<const Rgb> list = anchors(scale);
  const double at = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(list.size() - 1);
  const auto k = std::min(static_cast<std::size_t>(at), list.size() - 2);
  return mixed(list[k], list[k + 1], at - static_cast<double>(k));
}

std::string hex_colour(const Rgb& c) {
  const auto part = [](double x) { return static_cast<int>(std::clamp(std::lround(x), 0L, 255L)); };
  return fmt::format("#{:02x}{:02x}{:02x}", part(c[0]), part(c[1]), part(c[2]));
}

const char* curve_colour(int number, bool dark) {
  const auto k = static_cast<std::size_t>(number % kCurveColours);
  return dark ? kDark[k] : kLight[k];
}

}  // namespace carom
