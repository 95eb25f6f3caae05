// One block on the ground as a system for the step of engine/moreau_jean.cpp: the phases are those of rigid bodies, but
// contacts and their laws come from the ground of the study, which all trajectories share.
#pragma once

#include "engine/phases.h"
#include "engine/rockfall/block.h"
#include "engine/rockfall/ground.h"
#include "solvers/small_exact.h"

namespace carom::rockfall {

// Body 0 is the block, body 1 all that stands still: collider 1 is the terrain, collider 2 the stem looked at.
struct BlockModel : Model {
  explicit BlockModel(const Ground& ground);
  void set_block(const Block& block);
};

struct BlockContext : StepContext {
  ContactSet foreseen;        // find_contacts, at the middle of the coming step
  std::vector<PairLaw> laws;  // of them
  std::vector<int> stem;      // per contact: number of the stem, -1: the ground
};

// The phases in which a block differs from bodies in a world.
void detect_contacts(const BlockModel& model, const StepOptions& options, BlockContext& c);

// Exact for up to ten contacts; more are left to `auto`.
class BlockSolver : public Solver {
 public:
  BlockSolver();
  std::string_view name() const override { return "exact"; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  SmallExact exact_;
  std::unique_ptr<Solver> other_;
};

}  // namespace carom::rockfall
