#include "benchmarks/peers/targets.h"

namespace carom::peers {
std::string lcp_table(const std::vector<NamedProblem>&, int, double) { return {}; }
}  // namespace carom::peers
