#pragma once

#include "app/info_parts.h"

namespace carom {

// carom info of a file with [system], and of a run of one.
int describe_system_scene(const std::string& file, bool as_json);
RunDescription describe_system_run(const std::string& file);

}  // namespace carom
