// The contacts of one step as a problem, whatever the bodies are: what lies between assembly and impulses. Each field
// says which phase writes it.
#pragma once

#include "engine/islands.h"
#include "engine/material.h"
#include "engine/step_report.h"
#include "solvers/solver.h"

namespace carom {

// What a block is to an impact: a contact that may be struck, a joint that holds whatever impulse comes, or a force
// that is finite and does nothing in no time.
enum class BlockRole : std::uint8_t { Contact, Rigid, Finite };

struct ContactStep {
  std::vector<PairLaw> law;           // match_contacts: per block, friction and impact parameters
  std::vector<std::uint8_t> support;  // match_contacts: per block, 1 where one side cannot be moved
  std::vector<BlockRole> role;        // match_contacts: per block; empty where all are contacts
  int joint_blocks = 0;               // match_contacts: after the contacts come those of joints
  int disc_blocks = 0;                // match_contacts: and after these the discs of bonds (engine/bonds.h)
  Vector apex;                // match_contacts: per row, tension that bonds add to contacts; empty where there are none
  IslandFinder islands;       // match_contacts
  ConeProblem problem;        // match_contacts: cones; assemble_problem: W, q; apply_impact_law adds its share to q
  Vector u_minus;             // assemble_problem: relative velocities before the step
  Vector p;                   // apply_impact_law: impulses of multiple impacts, at fixed positions, less the apex
  Vector q_before;            // apply_impact_law: scratch
  std::vector<Twist> twists;  // apply_impact_law: scratch
  int impacts = 0;            // apply_impact_law: islands struck
  int failed_impacts = 0;     // apply_impact_law: of these, where the law did not come to its end
  Vector r;                   // match_contacts: warm start; solve: impulses of the cone problem
  SolveReport solve;          // solve
  Vector impulse;             // apply_impulses: r + p, all that the contact transmitted in the step
  Vector u;                   // apply_impulses: relative velocities after the step
};

// Counts, status and residuals of the contacts into the step's report.
void report_contacts(const ContactStep& c, StepReport& report);

}  // namespace carom
