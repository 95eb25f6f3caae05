// All impact laws by name.
#pragma once

#include "engine/impact/impact_law.h"
#include "solvers/options.h"

namespace carom {

struct ImpactLawInfo {
  std::string name;
  std::string summary;
  std::string restitution;           // what e means to it
  double most_restitution = 1;       // e is in [0, this]
  bool friction = false;             // it takes Coulomb friction
  std::vector<std::string> presets;  // names of its own for certain options: "moreau"
  std::vector<OptionInfo> options;
};

// The table, in the order of the documentation.
const std::vector<ImpactLawInfo>& impact_law_table();

// By name or preset. Throws InputError listing the valid names when the name, an option, its type or its range is
// wrong.
std::unique_ptr<ImpactLaw> make_impact_law(const std::string& name, const OptionValues& options = {});

}  // namespace carom
