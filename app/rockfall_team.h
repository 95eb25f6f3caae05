// The processes that mpirun started on one study.
#pragma once

#include <memory>

#include "io/rockfall/study_run.h"

namespace carom {

// nullptr where this process is alone. Throws InputError when mpirun started several and the module for it was not
// built: each would compute the whole study and write the same files.
std::unique_ptr<Team> join_team();

}  // namespace carom
