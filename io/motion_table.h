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

// A record of the PEER ground motion database (.AT2): four header lines, the last with the number of points and their
// interval ("NPTS= 4000, DT= .0050 SEC", or the older "4000 0.0050 NPTS, DT"), then accelerations in units of g =
// 9.80665 m/s^2, any number per line. Throws InputError with `file` and the line of the text.
MotionTable parse_at2(const std::string& text, const std::string& file);

// By the file's name: .AT2 in any case, else a table of two columns.
MotionTable parse_motion_file(const std::string& text, const std::string& file);

}  // namespace carom
