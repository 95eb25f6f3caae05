// Options that a registry describes (solvers, impact laws, systems), read from TOML: types, ranges and choices are
// checked where they stand in the file.
#pragma once

#include "io/toml_reader.h"
#include "solvers/options.h"

namespace carom {

// A matrix is a list of rows, [[0, 0.5], [0.5, 0]], or the text of solvers/options.h, "0 0.5; 0.5 0".
OptionValue read_option(const TomlValue& value, const OptionInfo& info);

// Every option of the list that the table has; the others become valid keys of it.
OptionValues read_options(TomlTable& table, const std::vector<OptionInfo>& list);

}  // namespace carom
