// Records of trajectories as bytes: for the journal of an unfinished study and for messages between machines.
#pragma once

#include <string>

#include "engine/rockfall/record.h"

namespace carom {

void append_record(const rockfall::TrajectoryRecord& record, std::string& bytes);

// Reads one record at `at` and moves it on; false when the bytes do not hold a whole one.
bool take_record(std::string_view bytes, std::size_t& at, rockfall::TrajectoryRecord& record);

}  // namespace carom
