// Time per sweep of Gauss-Seidel, ours and Siconos': a fixed number of sweeps from r = 0 towards a tolerance that is
// never met, with as few error evaluations as each can be told and every contact visited in every sweep. What is done
// once is removed by taking the difference between many sweeps and few. All take turns, round by round, and the fastest
// run of each counts: other programs on the machine only ever slow one down.
#include <Friction_cst.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/timer.h"
#include "benchmarks/peers/isolated.h"
#include "benchmarks/peers/siconos_solver.h"
#include "benchmarks/peers/targets.h"
#include "solvers/nsgs.h"

namespace carom::peers {

namespace {

constexpr const char* kOurs = "nsgs";
constexpr int kFewSweeps = 20, kManySweeps = 220;
constexpr int kRounds = 12;
constexpr int kLeastContacts = 100;  // below this, what is done once is most of the time
constexpr int kNever = 1000000000;
constexpr double kMaxSeconds = 20;

struct Run {
  double seconds = std::numeric_limits<double>::infinity();
  int sweeps = 0;
};

// The fastest run with few sweeps and with many.
struct Fastest {
  Run few, many;

  void add(const Run& with_few, const Run& with_many) {
    if (with_few.seconds < few.seconds) few = with_few;
    if (with_many.seconds < many.seconds) many = with_many;
  }
  // NaN when the method stops too early.
  double seconds_per_sweep() const {
    if (many.sweeps <= few.sweeps) return std::numeric_limits<double>::quiet_NaN();
    return (many.seconds - few.seconds) / (many.sweeps - few.sweeps);
  }
};

Run run_ours(const ConeProblem& problem, int sweeps) {
  NsgsOptions options;
  options.stop.tolerance = 0;
  options.stop.max_iterations = sweeps;
  options.check.check_every = kNever;
  options.check.stall_checks = 0;
  options.skip_settled = false;
  Nsgs solver(options);
  VectorXd r = VectorXd::Zero(problem.cones.rows());
  const double start = seconds_now();
  const SolveReport report = solver.solve(problem, r);
  return {seconds_now() - start, report.iterations};
}

struct Peer {
  int local_solver = 0;  // 0: as it comes
  int evaluation = 0;
  Fastest fastest;
  bool fails = false;
};

Run run_peer(const ConeProblem& problem, const Peer& peer, int sweeps, VectorOut r) {
  const SiconosVariant variant = {.solver = SICONOS_FRICTION_3D_NSGS,
                                  .storage = MatrixStorage::Blocks,
                                  .max_iterations = sweeps,
                                  .adjust = [&](SolverOptions& options) {
                                    if (peer.local_solver != 0)
                                      solver_options_update_internal(&options, 0, peer.local_solver);
                                    options.iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = peer.evaluation;
                                    options.iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] = kNever;
                                  }};
  const NativeRun native = run_native(problem, variant, 1e-300, r);
  return {native.seconds, native.iterations};
}

// One round, in a process of its own.
void add_round(const ConeProblem& problem, Peer& peer) {
  struct Told {
    Run few, many;
    bool finite = false;
  };
  SharedMemory memory(sizeof(Told));
  Told& told = *new (memory.data()) Told;
  run_isolated([&] {
    limit_child(kMaxSeconds);
    VectorXd r(problem.cones.rows());
    run_peer(problem, peer, kFewSweeps, r);
    told.few = run_peer(problem, peer, kFewSweeps, r);
    told.many = run_peer(problem, peer, kManySweeps, r);
    told.finite = r.allFinite();
  });
  peer.fails |= !told.finite;
  peer.fastest.add(told.few, told.many);
}

std::string microseconds(double seconds) { return std::isnan(seconds) ? "-" : fmt::format("{:.1f}", 1e6 * seconds); }

}  // namespace

std::string sweep_table(const std::vector<NamedProblem>& problems) {
  constexpr int kFull = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
  constexpr int kLight = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT;
  std::string text;
  for (const auto& [name, problem] : problems) {
    const bool theirs = std::ranges::all_of(std::views::iota(0, problem->cones.count()), [&](int i) {
      return problem->cones[i].kind == ConeKind::Coulomb && problem->cones.dim(i) == 3;
    });
    if (problem->cones.count() < kLeastContacts || !theirs) continue;
    Fastest mine;
    // The cheaper of two ways to look at the error hardly ever.
    std::vector<Peer> peers;
    for (const int local : {0, int{SICONOS_FRICTION_3D_ONECONTACT_QUARTIC}})
      for (const int evaluation : {kLight, kFull}) peers.push_back({local, evaluation, {}, false});
    for (int round = 0; round < kRounds; ++round) {
      mine.add(run_ours(*problem, kFewSweeps), run_ours(*problem, kManySweeps));
      for (Peer& peer : peers)
        if (!peer.fails) add_round(*problem, peer);
    }
    const auto fastest = [&](const Peer& a, const Peer& b) {
      const auto seconds = [](const Peer& peer) {
        return peer.fails ? std::numeric_limits<double>::quiet_NaN() : peer.fastest.seconds_per_sweep();
      };
      return std::fmin(seconds(a), seconds(b));
    };
    const double ours = mine.seconds_per_sweep();
    const double siconos = fastest(peers[0], peers[1]), quartic = fastest(peers[2], peers[3]);
    text +=
        fmt::format("{:<40} {:>8} {:>12} {:>14} {:>16} {:>8.2f}\n", name, problem->cones.count(), microseconds(ours),
                    microseconds(siconos), microseconds(quartic), std::fmin(siconos, quartic) / ours);
  }
  if (text.empty()) return {};
  return fmt::format("{:<40} {:>8} {:>12} {:>14} {:>16} {:>8}\n", "microseconds per sweep", "contacts", kOurs,
                     "siconos_nsgs", "siconos_quartic", "ratio") +
         text;
}

}  // namespace carom::peers
