// How many sweeps, and how much time, solvers take on the contact problem of a settled pile, as it grows.
//
//     bench_pile_convergence [largest = 10000] [most iterations = 2000] [settle steps = 250]
//
// Piles of 1,000, 3,000, 10,000 and 30,000 spheres settle in a pit with h = 5 ms. The problem of the next step is then
// solved to 1e-4, 1e-6 and 1e-8 m/s at the worst contact: warm, from the impulses of the last step, and cold, from
// zero. One thread; times are the core's own. "-" : not within the iterations.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "benchmarks/sphere_pit.h"
#include "solvers/registry.h"

using namespace carom;

namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Way {
  const char* name;
  const char* solver;
  OptionValues options;
  int largest;  // spheres
};

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int k, int otherwise) { return argc > k ? std::atoi(argv[k]) : otherwise; };
  const int largest = argument(1, 10000), most = argument(2, 2000), settle = argument(3, 250);
  const std::vector<Way> ways = {
      {"nsgs, plain", "nsgs", {{"momentum", "off"}}, 100000},
      {"nsgs, relaxed by 1.2", "nsgs", {{"momentum", "off"}, {"relaxation", 1.2}}, 100000},
      {"nsgs with momentum", "nsgs", {{"momentum", "on"}}, 100000},
      {"auto", "auto", {}, 100000},
      {"apgd", "apgd", {}, 3000},
      {"admm", "admm", {}, 1000},
      {"newton", "newton", {}, 1000},
      {"ipm", "ipm", {}, 1000},
  };
  for (const int spheres : {1000, 3000, 10000, 30000}) {
    if (spheres > largest) break;
    World world = make_packed_pit(spheres, 1);
    world.options().projection_slop = 2e-5;
    world.set_solver(
        make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-4}, {"max_iterations", std::int64_t{100}}}));
    for (int i = 0; i < settle; ++i) world.step(5e-3);
    // the problem that these impulses begin: of a step with one sweep
    world.set_solver(
        make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-4}, {"max_iterations", std::int64_t{1}}}));
    world.step(5e-3);
    const ConeProblem& problem = world.last_problem();
    const VectorXd start = world.last_impulses();
    fmt::print("\n{} spheres, {} contacts\n{:<22} {:>6} {:>16} {:>16} {:>16}\n", world.body_count() - 5,
               problem.cones.count(), "iterations, ms", "from", "1e-4 m/s", "1e-6 m/s", "1e-8 m/s");
    for (const Way& way : ways) {
      if (spheres > way.largest) continue;
      for (const bool cold : {false, true}) {
        fmt::print("{:<22} {:>6}", way.name, cold ? "zero" : "last");
        bool reached = true;
        for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
          if (!reached) {
            fmt::print(" {:>16}", "-");
            continue;
          }
          OptionValues options = way.options;
          options.insert_or_assign("measure", std::string("velocity"));
          options.insert_or_assign("tolerance", tolerance);
          options.insert_or_assign("max_iterations", std::int64_t{most});
          options["max_seconds"] = 60.0;
          const auto solver = make_solver(way.solver, options);
          VectorXd r = cold ? VectorXd::Zero(start.size()).eval() : start;
          const double begin = cpu_seconds();
          const SolveReport report = solver->solve(problem, r);
          const double ms = 1e3 * (cpu_seconds() - begin);
          reached = report.solved();
          fmt::print(" {:>16}", reached ? fmt::format("{}, {:.4g}", report.iterations, ms) : "-");
          std::fflush(stdout);
        }
        fmt::print("\n");
      }
    }
  }
  return 0;
}
