#include "app/rockfall_team.h"

#include <cstdlib>

#include "base/error.h"
#include "io/plugin.h"
#include "io/rockfall/team_plugin.h"

namespace carom {

namespace {

// Of Open MPI, and of others with PMI.
int started_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return 1;
}

}  // namespace

std::unique_ptr<Team> join_team() {
  if (started_processes() <= 1) return nullptr;
  const auto* plugin = static_cast<const TeamPlugin*>(load_plugin("carom_mpi", kTeamPlugin));
  if (plugin == nullptr)
    throw InputError(
        "mpirun started several processes, but this carom was built without MPI: install "
        "libopenmpi-dev and build again, or run without mpirun");
  return plugin->join();
}

}  // namespace carom
