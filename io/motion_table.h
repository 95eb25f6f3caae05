// Tables of motion: two columns, time (s) and acceleration (m/s^2), as a shaking table is driven by.
#pragma once

#include <string>
#include <vector>

namespace carom {

struct MotionTable {
  std::vector<double> time;          // s, >= 0, increasing
  std::vector<double> acceleration;  // m/s^2
};

// One row per line; columns separated by comma, semicolon, blanks or tabs; '#' starts a comment; one header line is
// allowed. Throws InputError with `file` and the line of the text.
MotionTable parse_motion_table(const std::string& text, const std::string& file);

}  // namespace carom
