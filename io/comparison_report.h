// A comparison of solvers as files: every row as CSV, performance profiles as SVG, convergence as CSV.
#pragma once

#include "io/machine.h"
#include "io/plot/plot.h"
#include "solvers/comparison.h"

namespace carom {

// One line per row, after comment lines ("# ") with the machine and the protocol.
std::string comparison_csv(const Comparison& comparison, const Machine& machine);

// One line per entry of a history.
std::string history_csv(const Comparison& comparison, const Machine& machine);

// Dolan-More profiles, one panel per tolerance (io/profile_picture.cpp).
Figure profile_figure(const Comparison& comparison, const Machine& machine);
std::string profile_svg(const Comparison& comparison, const Machine& machine);

// A field as CSV takes it: quoted where it holds commas, quotes or line ends.
std::string csv_field(const std::string& text);

}  // namespace carom
