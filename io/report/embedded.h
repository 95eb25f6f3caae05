// Texts that the build puts into the program (cmake/CaromReports.cmake): those of io/report/web by their file names, and
// the libraries three.js, orbit.js and chart.js with their licences.
#pragma once

#include <string_view>

namespace carom {

std::string_view embedded_text(std::string_view name);  // "" when there was none at build time

}  // namespace carom
