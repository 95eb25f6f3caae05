// What the sections share: systems struck where they stand, and figures read off their motion.
#pragma once

#include "engine/impact/registry.h"
#include "engine/system_impact.h"
#include "engine/systems/ball_chain.h"
#include "io/reproduction/reproduction.h"

namespace carom {

// All contacts that touch take part.
SystemImpact touching(std::shared_ptr<const LagrangianSystem> system);

// A law by name, and the outcome under it.
ImpactOutcome strike_with(const SystemImpact& impact, const std::string& law, const OptionValues& options = {},
                          const MomentObserver& observer = {});

// Balls in a row, struck.
SystemImpact struck_chain(const BallChainParameters& parameters);

// How the contacts' forces go: filled from the moments of lzb.
struct ForceHistory {
  explicit ForceHistory(const SystemImpact& impact);
  MomentObserver observer();

  std::vector<double> peak;              // N, per row
  std::vector<double> first_separation;  // s: when the force first fell back to zero; NaN while it has not
  std::vector<double> last_contact;      // s: the last moment with a force
  std::vector<std::vector<double>> times_of_maxima;  // s: of each local maximum of the force, per row
  std::vector<int> phases;                           // of compression, per contact

 private:
  struct Sample {
    double time = 0, force = 0;
  };
  const SystemImpact& impact_;
  std::vector<Sample> before_, last_;
  std::vector<bool> compressing_;
};

std::vector<double> to_list(VectorIn v);

// The sections, each in a file of its own kind.
void reproduce_chains(ReproducedSection& section);     // 1 to 4
void reproduce_balls(ReproducedSection& section);      // 5, 6, 12
void reproduce_column(ReproducedSection& section);     // 7
void reproduce_block(ReproducedSection& section);      // 8, 9
void reproduce_matrices(ReproducedSection& section);   // 10, 11
void reproduce_stepping(ReproducedSection& section);   // 13, 14
void reproduce_triple(ReproducedSection& section);     // 15

}  // namespace carom
