// Options of solvers, laws and systems on the command line.
#pragma once

#include <string>
#include <vector>

#include "solvers/options.h"

namespace carom {

// name=value arguments. Throws InputError when one reads otherwise or is given twice.
OptionValues parse_options(const std::vector<std::string>& arguments);
void add_option_value(OptionValues& values, const std::string& name, const std::string& text);

// "name: summary", then each option with its help, type, default, range and unit.
std::string described(const std::string& name, const std::string& summary, const std::vector<OptionInfo>& options);

}  // namespace carom
