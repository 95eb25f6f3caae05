// Time per sweep of Gauss-Seidel, ours and Siconos': a fixed number of sweeps from r = 0 towards a tolerance that is
// never met, with as few error evaluations as each can be told. What is done once is removed by taking the difference
// between many sweeps and few.
#include <Friction_cst.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/timer.h"
#include "benchmarks/peers/isolated.h"
#include "benchmarks/peers/siconos_solver.h"
#include "benchmarks/peers/targets.h"

namespace carom::peers {

namespace {

constexpr const char* kOurs = "nsgs";
constexpr int kFewSweeps = 20, kManySweeps = 220;
constexpr int kTrials = 5;           // of which the fastest counts
constexpr int kLeastContacts = 100;  // below this, what is done once is most of the time
constexpr int kNever = 1000000000;
constexpr double kMaxSeconds = 20;

struct Run {
  double seconds = 0;
  int sweeps = 0;
};

// The fastest of several differences; NaN when the method stops too early.
template <class Measure>
double seconds_per_sweep(const Measure& run) {
  double best = std::numeric_limits<double>::quiet_NaN();
  run(kFewSweeps);
  for (int trial = 0; trial < kTrials; ++trial) {
    const Run few = run(kFewSweeps), many = run(kManySweeps);
    if (many.sweeps <= few.sweeps) return best;
    best = std::fmin(best, (many.seconds - few.seconds) / (many.sweeps - few.sweeps));
  }
  return best;
}

double our_sweep(const ConeProblem& problem) {
  const auto run = [&](int sweeps) {
    OptionValues values;
    for (const SolverInfo& info : solver_table())
      for (const OptionInfo& option : info.options) {
        if (info.name != kOurs) continue;
        if (option.name == "tolerance") values[option.name] = 0.0;
        if (option.name == "max_iterations") values[option.name] = std::int64_t{sweeps};
        if (option.name == "check_every") values[option.name] = std::int64_t{kNever};
        if (option.name == "stall_checks") values[option.name] = std::int64_t{0};
      }
    const auto solver = make_solver(kOurs, values);
    VectorXd r = VectorXd::Zero(problem.cones.rows());
    const double start = seconds_now();
    const SolveReport report = solver->solve(problem, r);
    return Run{seconds_now() - start, report.iterations};
  };
  return seconds_per_sweep(run);
}

double siconos_sweep(const ConeProblem& problem, int local_solver, int evaluation) {
  SharedMemory memory(sizeof(double));
  double& told = *static_cast<double*>(memory.data());
  told = std::numeric_limits<double>::quiet_NaN();
  run_isolated([&] {
    limit_child(kMaxSeconds);
    VectorXd r(problem.cones.rows());
    const auto run = [&](int sweeps) {
      const SiconosVariant variant = {.solver = SICONOS_FRICTION_3D_NSGS,
                                      .storage = MatrixStorage::Blocks,
                                      .max_iterations = sweeps,
                                      .adjust = [&](SolverOptions& options) {
                                        if (local_solver != 0)
                                          solver_options_update_internal(&options, 0, local_solver);
                                        options.iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = evaluation;
                                        options.iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] = kNever;
                                      }};
      const NativeRun native = run_native(problem, variant, 1e-300, r);
      return Run{native.seconds, native.iterations};
    };
    const double seconds = seconds_per_sweep(run);
    if (r.allFinite()) told = seconds;
  });
  return told;
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
    const double ours = our_sweep(*problem);
    // The cheaper of two ways to look at the error hardly ever.
    const auto fastest = [&](int local) {
      return std::fmin(siconos_sweep(*problem, local, kLight), siconos_sweep(*problem, local, kFull));
    };
    const double siconos = fastest(0), quartic = fastest(SICONOS_FRICTION_3D_ONECONTACT_QUARTIC);
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
