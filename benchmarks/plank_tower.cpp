// Where the time of a step goes in a tower of planks.
//
//     bench_plank_tower [courses = 63] [planks per course = 32] [solver = auto] [tolerance = 1e-8] [steps = 50]
//                       [first steps = 10] [threads = 1]
//
// Wooden planks of 120 x 24 x 8 mm lie flat in a ring, with gaps of a quarter of their length, each course turned by
// half a plank: every plank rests on the ends of two. The step is 1 ms. The first steps build the forces up from
// nothing and are told apart; the others are the tower standing. Prints the share of each phase of one run on this
// machine, and whether each solve reached its tolerance (m/s at the worst contact).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <numbers>

#include "engine/world.h"
#include "solvers/registry.h"

using namespace carom;

namespace {

constexpr double kStep = 1e-3;  // s
const Vec3 kPlank(0.12, 0.024, 0.008);

World make_tower(int courses, int per_course, int threads) {
  StepOptions options;
  options.threads = {threads};
  World world(options);
  const MaterialId wood = world.add_material({.name = "wood", .friction = 0.5});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), wood);
  const double pitch = 2 * std::numbers::pi / per_course, radius = 1.25 * kPlank.x() / pitch;
  for (int k = 0; k < courses; ++k)
    for (int i = 0; i < per_course; ++i) {
      const double angle = pitch * (i + 0.5 * (k % 2));
      world.add_box(kPlank, wood,
                    {.position = Vec3(radius * std::sin(angle), -radius * std::cos(angle), (k + 0.5) * kPlank.z()),
                     .rotation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ())),
                     .density = 700});
    }
  return world;
}

double worst_speed(const World& world) {
  double worst = 0;
  for (const Vec3& v : world.state().velocity) worst = std::max(worst, v.norm());
  return worst;
}

struct Tally {
  PhaseTimes<StepPhase> phases;
  double iterations = 0, worst_residual = 0, processor_seconds = 0;
  int steps = 0, unsolved = 0;

  void step(World& world) {
    const std::clock_t began = std::clock();
    const StepReport& report = world.step(kStep);
    processor_seconds += static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    phases += report.phase_seconds;
    iterations += report.iterations;
    worst_residual = std::max(worst_residual, report.residuals.velocity_worst);
    unsolved += report.status != SolveStatus::Solved;
    ++steps;
  }
  void print(const char* title) const {
    const double total = phases.total();
    fmt::print("\n{}: {} steps, {:.1f} ms/step of wall time, {:.1f} of processor time\n", title, steps,
               1e3 * total / steps, 1e3 * processor_seconds / steps);
    for (std::size_t p = 0; p < phases.seconds.size(); ++p)
      fmt::print("  {:<16}{:>12.3f} ms{:>8.1f}%\n", name_of(static_cast<StepPhase>(p)), 1e3 * phases.seconds[p] / steps,
                 100 * phases.seconds[p] / total);
    fmt::print("  iterations per step {:.1f}, steps not solved {}, worst residual {:.1e} m/s\n", iterations / steps,
               unsolved, worst_residual);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int k, int otherwise) { return argc > k ? std::atoi(argv[k]) : otherwise; };
  const int courses = argument(1, 63), per_course = argument(2, 32);
  const std::string solver = argc > 3 ? argv[3] : "auto";
  const double tolerance = argc > 4 ? std::atof(argv[4]) : 1e-8;
  const int steps = argument(5, 50), first = argument(6, 10), threads = argument(7, 1);

  World world = make_tower(courses, per_course, threads);
  world.set_solver(make_solver(solver, {{"measure", "velocity"}, {"tolerance", tolerance}}));
  Tally building, standing;
  for (int i = 0; i < first; ++i) {
    building.step(world);
    if (i == 0)
      fmt::print(
          "{} planks in {} courses, {} contacts, {} at {} m/s; first step: {} iterations, {:.2f} s, residual "
          "{:.1e} m/s\n",
          courses * per_course, courses, world.last_report().contacts, solver, tolerance,
          world.last_report().iterations, building.phases.total(), building.worst_residual);
    std::fflush(stdout);
  }
  building.print("first steps");
  for (int i = 0; i < steps; ++i) standing.step(world);
  standing.print("standing");
  fmt::print("  detection {:.1f}% of the step; fastest plank {:.1e} m/s\n",
             100 * standing.phases[StepPhase::Detect] / standing.phases.total(), worst_speed(world));
}
