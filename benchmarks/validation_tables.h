// How the tables of docs/validation.md are printed.
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "block_cases.h"

namespace carom::validation {

void print_blocks();  // benchmarks/validation_blocks.cpp

inline std::string number(double value) {
  if (value == 0) return "0";
  return std::abs(value) < 1e-4 || std::abs(value) >= 1e6 ? fmt::format("{:.1e}", value) : fmt::format("{:.6g}", value);
}

// Which values a law ran with, for laws that run more than once.
inline void print_rows(const std::vector<Measurement>& rows, const std::string& with = {}) {
  for (const Measurement& row : rows)
    fmt::print("| {}{} | {} | {} | {:.1e} | {:.3g} |\n", row.law, with.empty() ? "" : " (" + with + ")",
               number(row.exact), number(row.ours), row.error(), row.h);
}

inline void print_row(const Measurement& row, const std::string& with = {}) { print_rows({row}, with); }

inline void head(const char* title) {
  fmt::print("\n## {}\n\n| law | exact | ours | error | step, s |\n| --- | ---: | ---: | ---: | ---: |\n", title);
}

inline void print_order(const Convergence& c, const char* expected, const std::string& with = {}) {
  fmt::print("| {}{} | {:.2g} | {:.2g} | {:.1e} | {:.1e} | {:.2f} | {} |\n", c.law,
             with.empty() ? "" : " (" + with + ")", c.h.front(), c.h.back(), c.error.front(), c.error.back(), c.order(),
             expected);
}

}  // namespace carom::validation
