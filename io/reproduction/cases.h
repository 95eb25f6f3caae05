// What the sections share: systems struck where they stand, and figures read off their motion.
#pragma once

#include "engine/impact/lzb.h"
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

// The same under lzb, with what it records of each contact: compressions, the largest force, when it separated.
struct LzbOutcome {
  ImpactOutcome outcome;
  std::vector<LzbRecord> records;
};
LzbOutcome strike_with_lzb(const SystemImpact& impact, const LzbOptions& options = {},
                           const MomentObserver& observer = {});

// When the normal force of a contact vanished for the first time (NaN: not before the end), and when it was at its
// maxima; filled by observing lzb.
struct ForceHistory {
  explicit ForceHistory(int row_in) : row(row_in) {}
  void operator()(const ImpactMoment& moment);

  int row = 0;
  double first_separation = kNone;  // s
  std::vector<double> maxima;       // s

 private:
  struct Sample {
    double time = 0, force = 0;
  };
  Sample before_, last_;
};

std::vector<double> to_list(VectorIn v);

// The sections, each in a file of its own kind.
void reproduce_chains(ReproducedSection& section);    // 1 to 4
void reproduce_balls(ReproducedSection& section);     // 5, 6, 12
void reproduce_column(ReproducedSection& section);    // 7
void reproduce_block(ReproducedSection& section);     // 8, 9
void reproduce_matrices(ReproducedSection& section);  // 10, 11
void reproduce_stepping(ReproducedSection& section);  // 13, 14
void reproduce_triple(ReproducedSection& section);    // 15

}  // namespace carom
