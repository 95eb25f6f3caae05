// A pile of many spheres: the same bits for any number of threads, memory per sphere, the books of energy and momentum,
// and where the time of a step goes.
//
//     bench_pile_scale [spheres = 20000] [steps = 500] [threads = 1,2,3,4,5,6,7]
//
// Spheres packed to 0.58 in a pit settle with h = 5 ms; each number of threads begins anew and must end with the same
// state hash (exit code 1 otherwise). Memory is the resident set of the first run less what the process had before the
// spheres were made.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <string>

#include "benchmarks/sphere_pit.h"
#include "solvers/registry.h"

using namespace carom;

namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double resident_bytes() {
  long pages = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

int main(int argc, char** argv) {
  const int spheres = argc > 1 ? std::atoi(argv[1]) : 20000, steps = argc > 2 ? std::atoi(argv[2]) : 500;
  std::istringstream list(argc > 3 ? argv[3] : "1,2,3,4,5,6,7");
  std::uint64_t expected = 0;
  bool first = true, same = true;
  for (std::string item; std::getline(list, item, ',');) {
    const int threads = std::atoi(item.c_str());
    const double before = resident_bytes();
    World world = make_packed_pit(spheres, threads);
    world.options().projection_slop = 2e-5;
    world.set_solver(
        make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-4}, {"max_iterations", std::int64_t{100}}}));
    PhaseTimes<StepPhase> phases;
    double worst_energy = 0, worst_momentum = 0, scale = 0, iterations = 0;
    const double begin = cpu_seconds();
    const Stopwatch watch;
    std::vector<ContactRecord> records;
    for (int i = 0; i < steps; ++i) {
      const bool books = first && i % std::max(1, steps / 20) == 0;
      const Vec3 p_before = books ? world.linear_momentum() : Vec3::Zero();
      const StepReport& report = world.step(5e-3);
      phases += report.phase_seconds;
      iterations += report.iterations;
      if (!books) continue;
      // Momentum changes by gravity and by what fixed bodies transmit, kinetic energy by the work of both.
      world.contact_records(records);
      double mass = 0;
      for (double m : world.properties().mass) mass += std::isfinite(m) ? m : 0.0;
      Vec3 given = 5e-3 * mass * Vec3(0, 0, -9.81);
      for (const ContactRecord& c : records) {
        const auto fixed = [&](int body) {
          return world.properties().kind[static_cast<std::size_t>(body)] != BodyKind::Dynamic;
        };
        if (fixed(c.body_b)) given += c.impulse_world;
        if (fixed(c.body_a)) given -= c.impulse_world;
      }
      scale = 5e-3 * mass * 9.81;
      worst_momentum = std::max(worst_momentum, (world.linear_momentum() - p_before - given).norm());
      const EnergyReport& e = report.energy;
      worst_energy =
          std::max(worst_energy, std::abs(e.balance_error) / (e.kinetic + std::abs(e.contact_work) + 1e-300));
    }
    const StepReport& report = world.last_report();
    const std::uint64_t hash = world.state_hash();
    if (first) expected = hash;
    same = same && hash == expected;
    fmt::print("{} thread(s): state hash {:016x}, {:.1f} s of wall time, {:.1f} s on cores, {:.1f} sweeps a step\n",
               threads, hash, watch.seconds(), cpu_seconds() - begin, iterations / steps);
    if (first) {
      const double bodies = world.body_count() - 5;
      fmt::print("  {} spheres, {} contacts ({:.2f} each); {:.0f} bytes a sphere\n", bodies, report.contacts,
                 report.contacts / bodies, (resident_bytes() - before) / bodies);
      fmt::print("  worst overlap {:.2e} m, residual {:.2e} m/s\n", report.worst_penetration,
                 report.residuals.velocity_worst);
      fmt::print("  books: momentum to {:.1e} of gravity's impulse, energy to {:.1e} of what is moved\n",
                 worst_momentum / scale, worst_energy);
      for (std::size_t p = 0; p < phases.seconds.size(); ++p)
        fmt::print("  {:<16}{:>10.3f} ms a step{:>8.1f}%\n", name_of(static_cast<StepPhase>(p)),
                   1e3 * phases.seconds[p] / steps, 100 * phases.seconds[p] / phases.total());
    }
    std::fflush(stdout);
    first = false;
  }
  fmt::print("{}\n", same ? "the same bits" : "DIFFERENT BITS");
  return same ? 0 : 1;
}
