// Changing numbers of a parsed TOML tree, for scans over parameters.
#pragma once

#include <string>

#include "base/error.h"
#include "io/toml_document.h"

namespace carom {

// The value at a path such as "system.mass.2" (list elements counted from 1); nullptr when there is none.
const TomlNode* find_node(const TomlNode& root, const std::string& path);

// Writes a number there: an integer when it is whole. A missing last key and missing tables on the way are added, so
// that the reader of the tree judges them like any other key. Throws InputError at `place` when the path leads through
// a value that has no parts, beyond a list's end, or to something that is not a number.
void set_number(TomlNode& root, const std::string& path, double value, const Place& place);

// The same for a list, whatever was there.
void set_numbers(TomlNode& root, const std::string& path, const std::vector<double>& values, const Place& place);

}  // namespace carom
