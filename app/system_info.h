#pragma once

#include <string>

namespace carom {

// carom info of a file with [system], and of a run of one.
int describe_system_scene(const std::string& file, bool as_json);
int describe_system_run(const std::string& file, bool as_json);

}  // namespace carom
