#include "io/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>

#include "base/version.h"

namespace carom {

namespace {

// The first "model name : ..." of the processor list; other architectures name none.
std::string processor_name() {
  std::ifstream list("/proc/cpuinfo");
  for (std::string line; std::getline(list, line);) {
    const std::size_t colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos && colon + 2 < line.size())
      return line.substr(colon + 2);
  }
  return "unknown";
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

}  // namespace

Machine describe_machine() {
  Machine machine;
  machine.processor = processor_name();
  machine.cores = usable_cores();
  utsname names{};
  machine.system =
      uname(&names) == 0 ? fmt::format("{} {} {}", names.sysname, names.release, names.machine) : "unknown";
  machine.compiler = kCompiler;
  machine.compiler_flags = kCompilerFlags;
  machine.version = std::string("carom ") + kVersion;
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  machine.date = fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                             utc.tm_hour, utc.tm_min);
  return machine;
}

std::vector<std::string> machine_lines(const Machine& machine) {
  return {fmt::format("version: {}", machine.version), fmt::format("date: {} UTC", machine.date),
          fmt::format("processor: {}, {} cores", machine.processor, machine.cores),
          fmt::format("system: {}", machine.system),
          fmt::format("compiler: {} {}", machine.compiler, machine.compiler_flags)};
}

}  // namespace carom
