// Where an axis has its ticks and what stands beside them.
#pragma once

#include <string>
#include <vector>

namespace carom {

// A scale from values to 0..1 with round ticks.
struct TickScale {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<double> major, minor;
  std::vector<std::string> labels;  // of the major ticks
  std::string factor;               // "×10⁻³" where labels are in thousandths, else ""

  double place(double value) const;  // 0 at low, 1 at high; NaN where there is no place
};

// At least [low, high]: widened to ticks where `widen_low`, `widen_high`. About `wanted` major ticks.
TickScale linear_scale(double low, double high, bool widen_low, bool widen_high, int wanted);
TickScale logarithmic_scale(double low, double high, bool widen_low, bool widen_high);
// Labels become per cent.
void show_percent(TickScale& scale);

// The round number (1, 2 or 5 times a power of ten) nearest above.
double round_step(double raw);

// "10⁻³"
std::string power_of_ten(int exponent);

}  // namespace carom
