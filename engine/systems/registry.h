// All systems of this folder by name.
#pragma once

#include <memory>

#include "engine/lagrangian.h"
#include "solvers/options.h"

namespace carom {

struct SystemInfo {
  std::string name;
  std::string summary;
  std::vector<OptionInfo> parameters;
};

// The table, in the order of the documentation.
const std::vector<SystemInfo>& system_table();

// Throws InputError listing the valid names when the name, a parameter, its type or its value is wrong.
std::unique_ptr<LagrangianSystem> make_system(const std::string& name, const OptionValues& parameters = {});

}  // namespace carom
