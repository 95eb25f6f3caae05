// What carom and its MPI module say to each other. Both are built together, by one compiler.
#pragma once

#include <memory>

#include "io/rockfall/study_run.h"

namespace carom {

struct TeamPlugin {
  std::unique_ptr<Team> (*join)();  // MPI lives as long as the team
};
inline constexpr const char* kTeamPlugin = "carom_team_plugin";

}  // namespace carom
