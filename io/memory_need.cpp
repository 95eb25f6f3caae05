#include "io/memory_need.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>

namespace carom {

// /proc/meminfo: "MemAvailable:   17416456 kB"
double available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  double kilobytes = 0;
  while (file >> name >> kilobytes) {
    std::getline(file, unit);
    if (name == "MemAvailable:") return 1024 * kilobytes;
  }
  return std::numeric_limits<double>::infinity();
}

std::string memory_short_of(double bodies, double available) {
  const double needed = kBytesPerBody * bodies;
  if (needed <= available) return {};
  return fmt::format("{:.3g} bodies need about {:.2g} GB of memory and {:.2g} GB are available", bodies, 1e-9 * needed,
                     1e-9 * available);
}

}  // namespace carom
