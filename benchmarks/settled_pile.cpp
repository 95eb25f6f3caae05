// Where the time of a step goes in a settled pile of spheres.
//
//     bench_settled_pile [spheres = 10000] [threads = 1] [settle steps = 400] [measured steps = 50] [solver = auto]
//
// Spheres of radius 0.045 to 0.05 m start packed to 0.58 in a pit (above 50,000, where falling from a loose lattice
// takes too long) or on a loose lattice, settle under gravity with h = 5 ms, and are then stepped with a tolerance of
// 1e-4 m/s at the worst contact, 0.2% of what gravity adds in a step, and a budget of 200 sweeps; steps that did not
// reach it are counted. Prints the share of each phase, and the cost of one contact update, measured in this run on
// this machine.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "benchmarks/sphere_pit.h"
#include "solvers/registry.h"

using namespace carom;

namespace {

constexpr double kStep = 5e-3;       // s
constexpr double kTolerance = 1e-4;  // m/s

double mean_speed(const World& world) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < world.body_count(); ++i) {
    if (world.properties().kind[static_cast<std::size_t>(i)] != BodyKind::Dynamic) continue;
    sum += world.state().velocity[static_cast<std::size_t>(i)].norm();
    ++count;
  }
  return sum / count;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int k, int otherwise) { return argc > k ? std::atoi(argv[k]) : otherwise; };
  const int spheres = argument(1, 10000), threads = argument(2, 1), settle = argument(3, 400),
            measured = argument(4, 50);
  const std::string solver = argc > 5 ? argv[5] : "auto";

  World world = spheres > 50000 ? make_packed_pit(spheres, threads) : make_pit(spheres, threads);
  // While grains fall, a budget of sweeps is enough: only the settled state is measured.
  world.set_solver(
      make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-3}, {"max_iterations", std::int64_t{50}}}));
  Stopwatch settling;
  for (int i = 0; i < settle; ++i) world.step(kStep);
  fmt::print("settled {} spheres in {} steps of {} s: {:.1f} s of wall time, mean speed {:.2e} m/s\n", spheres, settle,
             kStep, settling.seconds(), mean_speed(world));

  world.set_solver(
      make_solver(solver, {{"measure", "velocity"}, {"tolerance", kTolerance}, {"max_iterations", std::int64_t{200}}}));
  PhaseTimes<StepPhase> phases;
  double iterations = 0, updates = 0, worst_residual = 0, worst_penetration = 0;
  int unsolved = 0, contacts = 0;
  for (int i = 0; i < measured; ++i) {
    const StepReport& report = world.step(kStep);
    phases += report.phase_seconds;
    iterations += report.iterations;
    updates += static_cast<double>(report.iterations) * report.contacts;
    contacts = report.contacts;
    unsolved += report.status != SolveStatus::Solved;
    worst_residual = std::max(worst_residual, report.residuals.velocity_worst);
    worst_penetration = std::max(worst_penetration, report.worst_penetration);
  }
  const double total = phases.total();
  fmt::print("\n{} spheres, {} contacts, {} by {} thread(s), {} steps, tolerance {} m/s\n", spheres, contacts, solver,
             threads, measured, kTolerance);
  fmt::print("  {:<16}{:>12}{:>9}\n", "phase", "ms/step", "share");
  for (std::size_t p = 0; p < phases.seconds.size(); ++p)
    fmt::print("  {:<16}{:>12.3f}{:>8.1f}%\n", name_of(static_cast<StepPhase>(p)), 1e3 * phases.seconds[p] / measured,
               100 * phases.seconds[p] / total);
  const double overhead = phases[StepPhase::Detect] + phases[StepPhase::Match] + phases[StepPhase::Assemble];
  fmt::print("  {:<16}{:>12.3f}\n", "whole step", 1e3 * total / measured);
  fmt::print("detection + matching + assembly: {:.1f}% of the step\n", 100 * overhead / total);
  fmt::print("iterations per step {:.1f}, {:.1f} million contact updates/s, steps not solved {}\n",
             iterations / measured, 1e-6 * updates / phases[StepPhase::Solve], unsolved);
  fmt::print("worst residual {:.2e} m/s, worst overlap {:.2e} m, mean speed {:.2e} m/s\n", worst_residual,
             worst_penetration, mean_speed(world));
  return 0;
}
