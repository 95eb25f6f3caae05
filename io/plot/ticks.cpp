#include "io/plot/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {

namespace {

std::string with_minus(std::string text) {
  if (text.starts_with("-")) text.replace(0, 1, "−");
  return text;
}

// Numbers k * step as people write them: as many decimals as the step needs.
std::string label_of(double value, double step) {
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  if (std::abs(value) < 1e-9 * step) value = 0;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  return with_minus(text);
}

}  // namespace

double TickScale::place(double value) const {
  if (logarithmic) {
    if (!(value > 0)) return std::numeric_limits<double>::quiet_NaN();
    return std::log(value / low) / std::log(high / low);
  }
  return (value - low) / (high - low);
}

double round_step(double raw) {
  if (!(raw > 0) || !std::isfinite(raw)) return 1;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= raw * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

std::string power_of_ten(int exponent) {
  constexpr const char* kRaised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  if (exponent < 0) text += "⁻";
  for (const char c : std::to_string(std::abs(exponent))) text += kRaised[c - '0'];
  return text;
}

TickScale linear_scale(double low, double high, bool widen_low, bool widen_high, int wanted) {
  TickScale scale;
  if (!(high > low)) {
    const double room = low == 0 ? 1 : 0.5 * std::abs(low);
    if (widen_low) low -= room;
    high += room;
  }
  const double step = round_step((high - low) / std::max(1, wanted));
  scale.low = widen_low ? step * std::floor(low / step + 1e-9) : low;
  scale.high = widen_high ? step * std::ceil(high / step - 1e-9) : high;
  const double size = std::max(std::abs(scale.low), std::abs(scale.high));
  // Very large and very small numbers are told in thousands, millionths, ...
  int power = 0;
  if (size >= 1e5 || size < 1e-2) power = static_cast<int>(3 * std::floor(std::log10(size) / 3));
  if (power != 0) scale.factor = "×" + power_of_ten(power);
  const double unit = std::pow(10, power);
  const auto first = static_cast<std::int64_t>(std::ceil(scale.low / step - 1e-9));
  for (std::int64_t k = first; static_cast<double>(k) * step <= scale.high + 1e-9 * step; ++k) {
    scale.major.push_back(static_cast<double>(k) * step);
    scale.labels.push_back(label_of(static_cast<double>(k) * step / unit, step / unit));
  }
  return scale;
}

TickScale logarithmic_scale(double low, double high, bool widen_low, bool widen_high) {
  TickScale scale;
  scale.logarithmic = true;
  if (!(low > 0)) low = high > 0 ? high / 10 : 0.1;
  if (!(high > low)) high = 10 * low;
  const double bottom = std::log10(low), top = std::log10(high);
  const bool fine = top - bottom < 2.2;  // then 2 and 5 have labels, too, and ends may lie on them
  const auto rounded = [&](double x, bool up) {
    const double power = std::pow(10, std::floor(std::log10(x) + 1e-9));
    if (!fine) return up && x > power * (1 + 1e-9) ? 10 * power : power;
    double best = up ? 10 * power : power;
    for (const double digit : {1.0, 2.0, 5.0})
      if (up ? digit * power >= x * (1 - 1e-9) && digit * power < best : digit * power <= x * (1 + 1e-9))
        best = digit * power;
    return best;
  };
  scale.low = widen_low ? rounded(low, false) : low;
  scale.high = widen_high ? rounded(high, true) : high;
  const int first = static_cast<int>(std::floor(std::log10(scale.low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(scale.high) - 1e-9));
  const int every = std::max(1, (last - first + 5) / 6);
  const auto inside = [&](double x) { return x >= scale.low * (1 - 1e-9) && x <= scale.high * (1 + 1e-9); };
  for (int k = first; k <= last; ++k) {
    const double power = std::pow(10, k);
    for (int digit = 1; digit < 10; ++digit) {
      const double x = digit * power;
      if (!inside(x)) continue;
      if (fine ? digit == 1 || digit == 2 || digit == 5 : digit == 1 && (k - first) % every == 0) {
        scale.major.push_back(x);
        scale.labels.push_back(fine && x >= 0.01 && x < 1e5 ? fmt::format("{:g}", x)
                               : digit == 1                 ? power_of_ten(k)
                                                            : fmt::format("{}·{}", digit, power_of_ten(k)));
      } else if (digit == 1 || every == 1) {
        scale.minor.push_back(x);
      }
    }
  }
  return scale;
}

void show_percent(TickScale& scale) {
  scale.factor.clear();
  for (std::size_t i = 0; i < scale.major.size(); ++i)
    scale.labels[i] = fmt::format("{:.6g}%", std::round(1e6 * scale.major[i]) / 1e4);
}

}  // namespace carom
