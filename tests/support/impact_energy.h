// Random impacts through a law, and what theory says of their energy: what tests run a few hundred times and
// benchmarks/impact_laws.cpp thousands of times.
#pragma once

#include <string>
#include <vector>

#include "base/timer.h"
#include "engine/impact/registry.h"
#include "impact_systems.h"

namespace carom {

// What theory promises of an impact that was done.
enum Promise : unsigned {
  kEnergetic = 1,   // energy does not grow
  kKinematic = 2,   // no contact approaches afterwards
  kKinetic = 4,     // impulses stay in their cones
  kAdmissible = 8,  // and the report knows it beforehand
  kAll = 15,
};

struct EnergyFamily {
  const char* law;
  const char* what;  // of the systems
  unsigned promised = kAll;
  RandomImpact mix{};
  OptionValues options{};
};

inline std::vector<EnergyFamily> energy_families() {
  const std::pair<const std::string, OptionValue> few = {"max_events", std::int64_t{10000}};
  const std::pair<const std::string, OptionValue> global = {"restitution", std::string("global")};
  return {
      {"moreau", "closing"},
      {"moreau", "any velocities, one e", kAll - kKinematic, {.closing = false, .one_e = true}},
      {"moreau", "any velocities", kKinetic, {.closing = false}},
      {"moreau", "closing, friction, e = 0", kAll, {.friction = true, .largest_e = 0}},
      {"moreau", "closing, friction", kKinematic + kKinetic, {.friction = true}},
      {"fremond", "closing, friction", kAll, {.friction = true}},
      {"newton",
       "any velocities, friction, e_t = e_n = e",
       kAll - kKinematic,
       {.friction = true, .closing = false, .one_e = true, .same_e = true}},
      {"restitution_matrix", "any velocities, one e, no coupling", kEnergetic, {.closing = false, .one_e = true}},
      {"restitution_matrix", "closing, coupling 0.5", 0, {}, {{"coupling", 0.5}}},
      {"restitution_matrix", "closing, friction, stick", 0, {.friction = true}, {{"tangential", std::string("stick")}}},
      {"poisson", "any velocities", kAll, {.closing = false}},
      {"poisson", "any velocities, friction, one e", kAll, {.friction = true, .closing = false, .one_e = true}},
      {"poisson", "closing, friction", kKinematic + kKinetic, {.friction = true}},
      {"poisson", "closing, e up to 2", kKinematic + kKinetic, {.largest_e = 2}},
      {"binary", "closing", kAll, {}, {few}},
      {"binary", "closing, last index first", kAll, {}, {few, {"order", std::string("last_index")}}},
      {"binary", "any velocities", kAll, {.closing = false}, {few}},
      {"binary", "closing, friction, e_t = 1", kAll, {.friction = true, .tangential_e = 1}, {few}},
      {"binary", "closing, friction", kKinematic + kKinetic, {.friction = true}, {few}},
      {"impulse_ratio", "closing, ratio 0.2", kAll - kAdmissible, {}, {few}},
      {"impulse_ratio", "any velocities, ratio 0.5", kAll - kAdmissible, {.closing = false}, {few, {"ratio", 0.5}}},
      {"impulse_ratio", "closing, ratio 0.5, global", kAll, {}, {few, global, {"ratio", 0.5}}},
      {"impulse_ratio", "any velocities, ratio 1, global", kAll, {.closing = false}, {few, global, {"ratio", 1.0}}},
  };
}

// lzb follows each impact through time, which takes it a thousand times longer than the others.
inline std::vector<EnergyFamily> lzb_energy_families() {
  const std::pair<const std::string, OptionValue> mono = {"model", std::string("mono_stiffness")};
  const RandomImpact smooth{.closing = false, .can_open = true, .stiffness_decades = 6, .exponents = true};
  const RandomImpact rough{
      .friction = true, .closing = false, .can_open = true, .stiffness_decades = 6, .exponents = true};
  return {
      {"lzb", "any velocities", kAll, smooth},
      {"lzb", "any velocities, friction", kAll, rough},
      {"lzb", "any velocities, friction, mono-stiffness", kAll, rough, {mono}},
  };
}

struct EnergyTally {
  int systems = 0;
  int done = 0, not_solved = 0, event_limit = 0, failed = 0;
  int inadmissible = 0;       // reports that say energy could grow or something fails
  int grown = 0;              // by more than 1e-10
  double worst = 0;           // relative growth where the report calls the parameters admissible
  double worst_reported = 0;  // and where it does not
  double approach = 0;        // the largest after an impact that was done, m/s
  double outside = 0;         // the largest distance of such an impulse from its cone, as the velocity it gives, m/s
  double seconds = 0;
};

inline EnergyTally tally_energy(const EnergyFamily& family, int systems) {
  EnergyTally tally;
  const auto law = make_impact_law(family.law, family.options);
  Stopwatch watch;
  for (int k = 0; k < systems; ++k) {
    RandomStream random(2024, static_cast<std::uint64_t>(k));
    const ImpactSystem system = random_impact_system(random, family.mix);
    VectorXd p;
    const ImpactReport report = law->apply(system.problem, p);
    ++tally.systems;
    tally.not_solved += report.status == ImpactStatus::NotSolved;
    tally.event_limit += report.status == ImpactStatus::EventLimit;
    tally.failed += report.status == ImpactStatus::NumericalError;
    tally.inadmissible += !report.admissible;
    tally.grown += report.energy_growth > 1e-10;
    double& worst = report.admissible ? tally.worst : tally.worst_reported;
    worst = std::max(worst, report.energy_growth);
    if (report.status > ImpactStatus::NothingApproaches) continue;
    ++tally.done;
    tally.approach = std::max(tally.approach, report.kinematic_violation);
    double heaviest = 0;
    for (int i = 0; i < system.problem.cones.count(); ++i)
      heaviest = std::max(heaviest, normal_entry(system.problem.W, i, i));
    tally.outside = std::max(tally.outside, report.kinetic_violation * heaviest);
  }
  tally.seconds = watch.seconds();
  return tally;
}

}  // namespace carom
