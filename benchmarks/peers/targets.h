// What the benchmarks print beneath the table of peers.
#pragma once

#include "solvers/comparison.h"

namespace carom::peers {

// For each tolerance: how many problems `ours` solved, on how many it was faster than the fastest peer, and the
// geometric mean of its time over that of the fastest peer; the same against one named peer.
std::string target_lines(const Comparison& comparison, const std::vector<int>& ours, const std::vector<int>& peers,
                         const std::string& named_peer);

// The same against times of peers measured on another machine: problem, tolerance, best_peer_ms.
std::string recorded_lines(const Comparison& comparison, const std::vector<int>& ours, const std::string& csv_file);

// Seconds per sweep of our Gauss-Seidel and of Siconos' (sweep_table.cpp).
std::string sweep_table(const std::vector<NamedProblem>& problems);

// Lemke's method on facetized problems, ours and Siconos' (lcp_table.cpp).
std::string lcp_table(const std::vector<NamedProblem>& problems, int facets, double max_seconds);

}  // namespace carom::peers
