// What one step tells about itself.
#pragma once

#include "base/timer.h"
#include "solvers/solver.h"

namespace carom {

// One phase per line of engine/moreau_jean.cpp; shown in the progress line, the run file and benchmarks.
enum class StepPhase : std::uint8_t {
  Predict,
  Detect,
  Match,
  FreeVelocity,
  Assemble,
  Impact,
  Solve,
  Apply,
  Advance,
  Project,
  Report,
  Count
};
std::string_view name_of(StepPhase phase);  // "predict", "detect", ...

// Energies at the end of the step and work done during it, J. With theta = 1/2,
//     change of (kinetic + potential + elastic) =
//         external_work + boundary_work + contact_work + joint_work + projection_work + balance_error
// where balance_error is rounding.
struct EnergyReport {
  double kinetic = 0;
  double potential = 0;        // of gravity, zero at the world's origin
  double external_work = 0;    // by loads, force fields and motors, and by a growing gravity
  double boundary_work = 0;    // by moving (kinematic) bodies, through contacts and joints
  double contact_work = 0;     // by impulses on relative motion: negative is dissipated, positive was created
  double projection_work = 0;  // potential energy changed by position projection, and by theta other than 1/2
  double balance_error = 0;
  double elastic = 0;     // of the springs of joints
  double joint_work = 0;  // by joints but for motors: friction, dampers and limits dissipate; what is held does O(h^3)
};

struct StepReport {
  std::int64_t step = 0;                     // number of this step, from 1
  double time = 0;                           // at the end of the step, s
  int contacts = 0;                          // active ones
  int islands = 0;                           // sets of bodies connected by active contacts and joints
  int largest_island = 0;                    // contacts, and blocks of joints, in the largest
  int impacts = 0;                           // islands struck, where the impact law is not newton
  int failed_impacts = 0;                    // of these, where the law did not come to its end
  SolveStatus status = SolveStatus::Solved;  // of the cone problem; Stalled where an impact failed
  int iterations = 0;
  Residuals residuals;
  EnergyReport energy;
  double worst_penetration = 0;  // m, >= 0, over contacts found at the middle of the step
  double worst_joint_error = 0;  // m or rad, >= 0, at the end of the step
  int broken_bonds = 0;          // cohesive interfaces broken since the start
  Vec3 support_reaction = Vec3::Zero();  // N, world, mean over the step: of fixed and driven bodies on those that move
  PhaseTimes<StepPhase> phase_seconds;
};

}  // namespace carom
