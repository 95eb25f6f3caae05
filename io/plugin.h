// Parts of carom with large libraries of their own (GDAL, MPI), built as modules where these are found and loaded when
// they are wanted.
#pragma once

#include <string>

namespace carom {

// The symbol of a module lib<name>.so: beside the program, one folder above it, or in ../lib/carom from it; nullptr
// when there is none. It stays loaded.
const void* load_plugin(const std::string& name, const std::string& symbol);

}  // namespace carom
