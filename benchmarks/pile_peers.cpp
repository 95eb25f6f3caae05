// The full step of a settled pile of spheres, beside Bullet and ODE, and the speed of our sweeps beside the memory's.
//
//     bench_pile_peers [spheres = 10000] [settle steps = 300] [measured steps = 20] [largest contacts = 1000000] [file]
//
// Spheres of radius 0.045 to 0.05 m, packed without overlaps in a pit, settle with h = 5 ms and friction 0.4 in each
// engine by itself, with 50 sweeps; then each number of sweeps is given the same time to settle further, and measured.
// An exact solve leaves a settled pile at rest: mean speed and overlap, taken from positions by one function for all,
// are the residual that engines of different make have in common. One thread; times are the core's own. Peers that were
// absent when this was built are named. Where a file is named, our settled pile is written into it, for Siconos:
// benchmarks/pile_siconos.py.
#include "benchmarks/pile_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>

#include "contact/broad_phase.h"
#include "engine/world.h"
#include "io/packing.h"
#include "solvers/registry.h"
#include "solvers/sphere_sweep.h"

using namespace carom;

namespace {

// Time that this program had on its core, s: other work on the machine does not count.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

PeerPile make_pile(int spheres) {
  PeerPile pile;
  // A cube of that many at 0.56
  const double volume = spheres * 4.0 / 3.0 * M_PI * (std::pow(0.05, 4) - std::pow(0.045, 4)) / (4 * 0.005);
  pile.half = 0.5 * std::cbrt(volume / 0.56);
  const PackingSpec spec{
      .container = Container::box(Vec3(-pile.half, -pile.half, 0), Vec3(pile.half, pile.half, 2 * pile.half)),
      .sizes = SizeDistribution::uniform(0.045, 0.05),
      .fraction = 0.56,
      .gap = 1e-5};
  PackedGrains packed = pack_grains(spec, {1, 0});
  pile.radii = std::move(packed.radii);
  pile.positions = std::move(packed.positions);
  return pile;
}

// Sweeps are set; a tolerance (m/s) may end a solve earlier.
class OurPile : public PileEngine {
 public:
  explicit OurPile(const PeerPile& pile) : h_(pile.h) {
    StepOptions options;
    options.projection = true;
    options.projection_slop = 2e-5;  // 1/2500 of a radius: contacts at rest stay contacts (docs/scene.md)
    world_ = World(options);
    const MaterialId grain = world_.add_material({.name = "grain", .friction = pile.friction});
    world_.add_half_space(Vec3::UnitZ(), Vec3::Zero(), grain);
    for (const Vec3& outward : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
      world_.add_half_space(-outward, pile.half * outward, grain);
    for (std::size_t i = 0; i < pile.radii.size(); ++i)
      world_.add_sphere(pile.radii[i], grain, {.position = pile.positions[i], .density = pile.density});
    set_sweeps(50);
  }

  void step() override { world_.step(h_); }
  void set_sweeps(int sweeps) override {
    world_.set_solver(make_solver(
        "nsgs", {{"measure", "velocity"}, {"tolerance", tolerance}, {"max_iterations", std::int64_t{sweeps}}}));
  }
  double sweeps() const override { return world_.last_report().iterations; }
  double contacts() const override { return world_.last_report().contacts; }
  void read(std::vector<Vec3>& positions, std::vector<Vec3>& velocities) const override {
    positions.assign(world_.state().position.begin() + 5, world_.state().position.end());
    velocities.assign(world_.state().velocity.begin() + 5, world_.state().velocity.end());
  }
  std::string residual() const override { return fmt::format("{:.1e}", world_.last_report().residuals.velocity_worst); }
  double tolerance = 1e-4;

 private:
  double h_;
  World world_;
};

double worst_overlap(const PeerPile& pile, const std::vector<Vec3>& positions) {
  Colliders colliders;
  std::vector<Pose> poses;
  double worst = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    colliders.add(Shape::sphere(pile.radii[i]), static_cast<int>(i), {}, true);
    poses.push_back({.position = positions[i]});
    const double out =
        std::max({-positions[i].z(), std::abs(positions[i].x()) - pile.half, std::abs(positions[i].y()) - pile.half});
    worst = std::max(worst, out + pile.radii[i]);
  }
  BroadPhase search;
  std::vector<ColliderPair> pairs;
  search.find_pairs(colliders, poses, 0, {}, pairs);
  for (const auto& [a, b] : pairs)
    worst = std::max(worst, pile.radii[a] + pile.radii[b] - (positions[a] - positions[b]).norm());
  return worst;
}

void measure(const PeerPile& pile, const std::string& name, PileEngine& engine, int sweeps, int settle, int steps) {
  engine.set_sweeps(sweeps);
  for (int i = 0; i < settle; ++i) engine.step();
  double seconds = 0, updates = 0, done = 0;
  for (int i = 0; i < steps; ++i) {
    const double start = cpu_seconds();
    engine.step();
    seconds += cpu_seconds() - start;
    updates += engine.contacts() * engine.sweeps();
    done += engine.sweeps();
  }
  std::vector<Vec3> positions, velocities;
  engine.read(positions, velocities);
  double speed = 0;
  for (const Vec3& v : velocities) speed += v.norm() / static_cast<double>(velocities.size());
  fmt::print("{:<10} {:>7} {:>8.1f} {:>10.0f} {:>10.1f} {:>12.2f} {:>12.3f} {:>12.2e} {:>10}\n", name, sweeps,
             done / steps, engine.contacts(), 1e3 * seconds / steps, 1e-6 * updates / seconds,
             1e3 * worst_overlap(pile, positions), speed, engine.residual());
  std::fflush(stdout);
}

// a = b + s c, best of several; bytes moved as STREAM counts them.
double triad_bandwidth() {
  const std::size_t n = 8000000;
  std::vector<double> a(n, 0.0), b(n, 1.0), c(n, 2.0);
  double best = INFINITY;
  for (int k = 0; k < 7; ++k) {
    const double start = cpu_seconds(), s = 3.0 + k;
    for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
    best = std::min(best, cpu_seconds() - start);
    if (a[static_cast<std::size_t>(k)] < 0) return 0;  // keeps the loop
  }
  return 3.0 * sizeof(double) * static_cast<double>(n) / best;
}

// What a sweep has to move at the least: a contact, its impulse in and out; bodies in and out, once each.
double bytes_per_update(double contacts, double bodies) {
  return sizeof(SphereSweep::Contact) + 2 * sizeof(SphereSweep::Four) +
         2 * sizeof(SphereSweep::Body) * bodies / contacts;
}

void write_pile(const std::string& file, const PeerPile& pile, const PileEngine& engine) {
  std::vector<Vec3> positions, velocities;
  engine.read(positions, velocities);
  std::ofstream out(file);
  out << fmt::format("{} {} {} {}\n", pile.half, pile.friction, pile.density, pile.h);
  for (std::size_t i = 0; i < positions.size(); ++i)
    out << fmt::format("{} {} {} {}\n", pile.radii[i], positions[i].x(), positions[i].y(), positions[i].z());
}

void report_sweeps(int largest) {
  const double stream = triad_bandwidth();
  fmt::print("\nSweeps of nsgs on a cubic lattice under gravity, one thread; STREAM triad {:.1f} GB/s\n",
             1e-9 * stream);
  fmt::print("{:>9} {:>9} {:>14} {:>12} {:>14} {:>12}\n", "spheres", "contacts", "updates/s", "ns/update",
             "bytes/update", "of STREAM");
  for (const int side : {7, 15, 32, 69}) {
    if (3 * side * side * side > 1.2 * largest) continue;
    World world;
    const MaterialId grain = world.add_material({.name = "grain", .friction = 0.4});
    world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), grain);
    for (int i = 0; i < side * side * side; ++i) {
      const Vec3 cell(i % side, i / side % side, i / (side * side));
      world.add_sphere(0.05, grain, {.position = 0.1 * (1 - 1e-7) * cell + Vec3(0, 0, 0.05)});
    }
    // The sweeps alone: a step with 60 of them less one with 20.
    double contacts = 0;
    const auto step_with = [&](int sweeps) {
      world.set_solver(make_solver("nsgs", {{"measure", "velocity"},
                                            {"tolerance", 1e-14},
                                            {"momentum", "off"},
                                            {"max_iterations", std::int64_t{sweeps}}}));
      double least = INFINITY;
      for (int k = 0; k < std::clamp(100000 / (side * side * side), 2, 40); ++k) {
        const double start = cpu_seconds();
        contacts = world.step(1e-4).contacts;
        least = std::min(least, cpu_seconds() - start);
      }
      return least;
    };
    step_with(20);
    const double few = step_with(20), best = (step_with(60) - few) / (40 * contacts);
    const double bytes = bytes_per_update(contacts, side * side * side);
    fmt::print("{:>9} {:>9.0f} {:>14.3e} {:>12.1f} {:>14.0f} {:>11.0f}%\n", side * side * side, contacts, 1 / best,
               1e9 * best, bytes, 100 * bytes / best / stream);
    std::fflush(stdout);
  }
}

}  // namespace

#ifndef CAROM_BULLET
std::unique_ptr<PileEngine> carom::bullet_pile(const PeerPile&) { return nullptr; }
#endif
#ifndef CAROM_ODE
std::unique_ptr<PileEngine> carom::ode_pile(const PeerPile&) { return nullptr; }
#endif

int main(int argc, char** argv) {
  const auto argument = [&](int k, int otherwise) { return argc > k ? std::atoi(argv[k]) : otherwise; };
  const int spheres = argument(1, 10000), settle = argument(2, 300), steps = argument(3, 20);
  const PeerPile pile = make_pile(spheres);
  fmt::print("{} spheres, h = {} s, friction {}, one thread\n", pile.radii.size(), pile.h, pile.friction);
  fmt::print("{:<10} {:>7} {:>8} {:>10} {:>10} {:>12} {:>12} {:>12} {:>10}\n", "engine", "sweeps", "done", "contacts",
             "ms/step", "Mupdates/s", "overlap mm", "speed m/s", "residual");
  const auto run = [&](const char* name, const char* package, std::unique_ptr<PileEngine> engine) {
    if (!engine) return fmt::print("{:<10} absent when this program was built ({})\n", name, package);
    engine->set_sweeps(50);
    for (int i = 0; i < settle; ++i) engine->step();
    for (const int sweeps : {10, 20, 50, 200}) measure(pile, name, *engine, sweeps, settle / 4, steps);
    if (argc > 5 && std::string(name) == "carom") write_pile(argv[5], pile, *engine);
  };
  run("carom", "", std::make_unique<OurPile>(pile));
  run("bullet", "libbullet-dev", bullet_pile(pile));
  run("ode", "libode-dev", ode_pile(pile));
  if (argument(4, 1000000) > 0) report_sweeps(argument(4, 1000000));
  return 0;
}
