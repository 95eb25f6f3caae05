// Sections 13 and 14: what the time-stepper must get through.
#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "engine/lagrangian_world.h"
#include "engine/systems/painleve_rod.h"
#include "engine/world.h"
#include "io/reproduction/cases.h"
#include "solvers/registry.h"

namespace carom {

namespace {

// ---- 13. Painleve's rod ----

PainleveRodParameters rod(double friction, double angle) {
  PainleveRodParameters p;
  p.friction = friction;
  p.angle = angle;
  p.sliding_speed = -1;
  return p;
}

// The bracket of y_c'' = N (...) - g + ..., for end A sliding to the left: W_nn + mu W_nt.
double bracket(double friction, double angle) {
  const SystemImpact impact = touching(std::make_shared<PainleveRod>(rod(friction, angle)));
  const std::vector<double>& W = impact.problem.W.values;
  return W[0] + friction * W[1];
}

double worst_angle(double friction) {
  double worst = 0, least = std::numeric_limits<double>::infinity();
  for (int k = 1; k < 3000; ++k) {
    const double angle = k * 5e-4, value = bracket(friction, angle);
    if (value < least) least = value, worst = angle;
  }
  return worst;
}

struct RodRun {
  VectorXd q;                // at the end
  double first_slip = 0;     // m/s: of end A after the first step
  double first_impulse = 0;  // N s
  double above_start = 0;    // J: the most by which energy exceeded that of the start
  double created = 0;        // J: what contacts added, in all
  bool finite = true;
};

RodRun slide(double h, double duration) {
  const PainleveRodParameters p = rod(2, std::atan(2.0));
  LagrangianWorld world(std::make_shared<PainleveRod>(p));
  RodRun run;
  const double start = world.kinetic_energy() + world.potential_energy();
  const auto steps = static_cast<int>(std::lround(duration / h));
  for (int k = 0; k < steps; ++k) {
    world.step(h);
    if (k == 0)
      for (const LagrangianContactRecord& contact : world.contact_records())
        if (contact.contact == 0) run.first_slip = contact.velocity[1], run.first_impulse = contact.impulse[0];
    const EnergyReport& energy = world.last_report().energy;
    run.above_start = std::max(run.above_start, energy.kinetic + energy.potential - start);
    run.created += std::max(0.0, energy.contact_work);
    run.finite = run.finite && world.q().allFinite() && world.v().allFinite();
  }
  run.q = world.q();
  return run;
}

void rod_section(ReproducedSection& s) {
  const double worst = std::atan(2.0);
  const double low = bracket(1.3333, worst), high = bracket(1.3334, worst);
  s.add("uniform rod: critical friction", 4 / 3.0, 1.3333 + 1e-4 * low / (low - high), 1e-6);
  s.add("worst angle at the threshold mu = 4/3: tan(theta)", 2, std::tan(worst_angle(4 / 3.0)), 5e-3, 'a');
  const double l = 1, J = 1 / 12.0, theta = 0.9, mu = 1.7;
  s.add("bracket at theta = 0.9, mu = 1.7, 1/kg",
        1 - l * l / (4 * J) * std::cos(theta) * (mu * std::sin(theta) - std::cos(theta)), bracket(mu, theta), 1e-12);
  s.explain('a', "at the critical friction; at larger ones the worst angle moves away from it");

  const RodRun coarse = slide(1e-3, 0.1), middle = slide(5e-4, 0.1), fine = slide(2.5e-4, 0.1);
  s.add("h = 1e-3: sliding speed after the first step, m/s", 0, coarse.first_slip, 1e-9, 'b');
  s.add_finding("h = 1e-3: its impulse is far beyond m g h (without a collision)", coarse.first_impulse > 10 * 9.81e-3,
                'b');
  s.add_finding("positions and velocities stay finite", coarse.finite && middle.finite && fine.finite);
  s.add("energy beyond that of the start, J", 0, std::max({coarse.above_start, middle.above_start, fine.above_start}),
        1e-12);
  s.add_finding(fmt::format("what the held contact adds vanishes with h: {:.1e}, {:.1e}, {:.1e} J", coarse.created,
                            middle.created, fine.created),
                middle.created < 0.6 * coarse.created && fine.created < 0.6 * middle.created, 'c');
  s.explain('c',
            "the end that sticks is held at the middle of each step, where the rod points elsewhere than at its ends: "
            "work of order h^2 per step");
  const double first = (coarse.q - middle.q).norm(), second = (middle.q - fine.q).norm();
  s.add_finding(fmt::format("converges: steps halved change the end by {:.1e}, then {:.1e}", first, second),
                second < 0.7 * first);
  s.explain('b',
            "mu = 2, tan(theta) = 2, sliding at 1 m/s: no finite normal force exists, so an impulse stops the end");
}

// ---- 14. Billiards ----

constexpr double kRadius = 0.03;  // m

// A ball thrown at the first of three that stand in a row on a table.
World billiards() {
  World world;
  const MaterialId cloth = world.add_material({.name = "cloth", .friction = 0.4, .restitution = 0.9});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), cloth);
  for (int i = 0; i < 3; ++i)
    world.add_sphere(kRadius, cloth, {.position = Vec3(0.2 + 0.07 * i, 0.01 * i, kRadius), .density = 1700});
  world.add_sphere(kRadius, cloth,
                   {.position = Vec3(0, 0.005, kRadius + 0.02), .velocity = Vec3(1.5, 0, 0), .density = 1700});
  return world;
}

struct Table {
  std::vector<Vec3> position;
  double kinetic = 0, start = 0;
  std::int64_t unsolved = 0;
};

Table play(std::unique_ptr<Solver> solver) {
  World world = billiards();
  world.set_solver(std::move(solver));
  Table table;
  table.start = world.energies().kinetic + world.energies().potential;
  for (int k = 0; k < 400; ++k)
    if (world.step(1e-3).status != SolveStatus::Solved) ++table.unsolved;
  for (int i = 1; i < world.body_count(); ++i) table.position.push_back(world.position(world.id_of(i)));
  table.kinetic = world.energies().kinetic + world.energies().potential;
  return table;
}

double distance(const Table& a, const Table& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.position.size(); ++i) worst = std::max(worst, (a.position[i] - b.position[i]).norm());
  return worst;
}

void billiard_section(ReproducedSection& s) {
  const OptionValues accurate = {{"measure", std::string("velocity")}, {"tolerance", 1e-11}};
  const Table cone = play(make_solver("nsgs", accurate));
  const auto facetized = [](std::int64_t facets) {
    return play(make_solver("stewart_trinkle", {{"facets", facets}, {"alignment", std::string("fixed")}}));
  };
  double before = std::numeric_limits<double>::infinity();
  bool falling = true;
  std::string list;
  for (const std::int64_t facets : {4, 16, 64}) {
    const double d = distance(facetized(facets), cone);
    falling = falling && d < before;
    before = d;
    list += fmt::format("{}{:.1e}", list.empty() ? "" : ", ", d);
  }
  s.add_finding(fmt::format("4, 16, 64 facets end within {} m of the cone, ever nearer", list), falling);
  s.add("64 facets: distance to the cone after 0.4 s, m", 0, before, 1e-3);
  s.add_finding("every cone problem is solved to 1e-11 m/s", cone.unsolved == 0);
  double moved = 0;
  for (int i = 0; i < 3; ++i)
    moved =
        std::max(moved, (cone.position[static_cast<std::size_t>(i)] - Vec3(0.2 + 0.07 * i, 0.01 * i, kRadius)).norm());
  s.add_finding("the thrown ball moves the three, and energy does not grow", moved > 0.02 && cone.kinetic < cone.start);
}

}  // namespace

void reproduce_stepping(ReproducedSection& section) {
  CAROM_CHECK(section.number == 13 || section.number == 14, "one of the sections of this file");
  section.number == 13 ? rod_section(section) : billiard_section(section);
}

}  // namespace carom
