// What a measurement was made on and with.
#pragma once

#include <string>
#include <vector>

namespace carom {

struct Machine {
  std::string processor;  // as the system names it
  int cores = 0;          // that this process may use
  std::string system;     // kernel and release
  std::string compiler;
  std::string compiler_flags;
  std::string version;  // of carom
  std::string date;     // UTC, "2026-01-31 12:00"
};
Machine describe_machine();

// "processor: ...", one line each.
std::vector<std::string> machine_lines(const Machine& machine);

}  // namespace carom
