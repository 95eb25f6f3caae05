// Our solvers and Siconos' side by side:  bench_peers FILES... [flags of carom compare] [--peers-csv recorded.csv]
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "app/comparison_run.h"
#include "app/stop_signal.h"
#include "app/terminal.h"
#include "benchmarks/peers/siconos_solver.h"
#include "benchmarks/peers/targets.h"
#include "io/machine.h"

namespace carom::peers {

namespace {

struct PeerArguments {
  CompareArguments compare;
  std::string recorded;  // CSV
  int facets = 0;
  bool sweeps = true;
};

// Solvers [first, last) of the table.
std::vector<int> positions(const Comparison& comparison, const std::vector<Contender>& contenders, bool peers) {
  std::vector<int> list;
  for (std::size_t s = 0; s < comparison.solvers.size(); ++s)
    if (contenders[s].own_clock == peers) list.push_back(static_cast<int>(s));
  return list;
}

int run(const PeerArguments& arguments) {
  std::vector<Contender> all = registry_contenders(arguments.compare);
  for (const SiconosPeer& peer : siconos_peers()) all.push_back(siconos_contender(peer));
  const std::vector<Contender> contenders = chosen_contenders(arguments.compare, std::move(all));
  const std::vector<LoadedProblem> problems = load_problems(arguments.compare.files);
  for (const std::string& line : machine_lines(describe_machine())) fmt::print("{}\n", line);
  fmt::print("\n");

  const Comparison comparison = run_comparison(arguments.compare, problems, contenders);
  const std::vector<int> ours = positions(comparison, contenders, false);
  const std::vector<int> peers = positions(comparison, contenders, true);
  if (!ours.empty() && !peers.empty()) {
    fmt::print("\nOurs against the peers in this table (ratio below 1: ours is faster)\n");
    fmt::print("{}", target_lines(comparison, ours, peers, kSiconosDefault));
  }
  if (!ours.empty() && !arguments.recorded.empty()) {
    fmt::print("\nAgainst times recorded on another machine, for orientation only ({})\n", arguments.recorded);
    fmt::print("{}", recorded_lines(comparison, ours, arguments.recorded));
  }
  std::vector<NamedProblem> named;
  for (const LoadedProblem& loaded : problems) named.push_back({loaded.name, &loaded.problem});
  if (stop_signal() == 0 && arguments.sweeps) fmt::print("\n{}", sweep_table(named));
  if (stop_signal() == 0 && arguments.facets > 0)
    fmt::print("\n{}", lcp_table(named, arguments.facets, arguments.compare.max_seconds));
  return stop_signal() != 0 ? 128 + stop_signal() : 0;
}

// One thread each, theirs and ours, unless the user says otherwise. Libraries read this when they are loaded.
void use_one_thread(char** argv) {
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr && std::getenv("OMP_NUM_THREADS") != nullptr) return;
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
  ::setenv("OMP_NUM_THREADS", "1", 0);
  ::execv("/proc/self/exe", argv);
}

}  // namespace

}  // namespace carom::peers

int main(int argc, char** argv) {
  using namespace carom::peers;
  use_one_thread(argv);
  PeerArguments arguments;
  arguments.compare.csv = "peers.csv";
  arguments.compare.svg = "peers.svg";
  CLI::App program("Our solvers and those of Siconos side by side");
  add_compare_options(program, arguments.compare);
  program.add_option("--peers-csv", arguments.recorded, "Recorded times of peers: problem, tolerance, best_peer_ms");
  program.add_option("--facets", arguments.facets, "Also Lemke's method on problems with so many facets (default: no)");
  program.add_flag("!--no-sweeps", arguments.sweeps, "Do not measure single sweeps of Gauss-Seidel");
  CLI11_PARSE(program, argc, argv);
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    carom::print_error(error.what());
    return 2;
  }
}
