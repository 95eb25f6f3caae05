// All solvers by name.
#pragma once

#include <memory>

#include "solvers/options.h"

namespace carom {

struct SolverInfo {
  std::string name;
  std::string summary;
  ConeKinds takes;
  int most_blocks = 0;  // 0: any number
  std::vector<OptionInfo> options;
};

// The table, in the order of the documentation.
const std::vector<SolverInfo>& solver_table();

// The solver takes problems with these cones.
bool takes(const SolverInfo& solver, const Cones& cones);

// Throws InputError listing the valid names when the name, an option, its type or its range is wrong.
std::unique_ptr<Solver> make_solver(const std::string& name, const OptionValues& options = {});

}  // namespace carom
