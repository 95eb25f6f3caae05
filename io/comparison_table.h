// A comparison of solvers as tables for people.
#pragma once

#include "solvers/comparison.h"

namespace carom {

// A block per tolerance: problems down, solvers across, times in ms with the fastest marked, or a word for why there
// is none; then how often each solver got there and how it stands to the fastest. Blocks wider than `width` columns
// are broken into several.
std::string comparison_table(const Comparison& comparison, int width);

// One line per solve: outcome, status, iterations, times, residuals, message.
std::string comparison_details(const Comparison& comparison);

std::string milliseconds_text(double seconds);  // "0.0123", "4.56", "789", "12345"

}  // namespace carom
