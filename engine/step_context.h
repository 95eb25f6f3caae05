// All scratch of a step, and what one step hands to the next (the warm start). Vectors keep their capacity:
// once sizes have settled a step allocates nothing. Each field says which phase writes it.
#pragma once

#include <array>

#include "contact/detection.h"
#include "engine/islands.h"
#include "engine/model.h"
#include "engine/step_options.h"
#include "engine/step_report.h"
#include "solvers/nsgs.h"
#include "solvers/solver.h"

namespace carom {

// The contacts of this step, one entry each, in key order.
struct ActiveContacts {
  std::vector<std::array<int, 2>> bodies;   // match_contacts: a and b
  std::vector<std::array<int, 2>> movable;  // match_contacts: a and b, -1 unless Dynamic
  std::vector<PairLaw> law;                 // match_contacts: friction and restitution
  std::vector<Mat3> frame;                  // match_contacts: rows n, t1, t2 in the world
  std::vector<Vec3> arm_a, arm_b;           // match_contacts: from centre of mass to contact point, world, m

  void resize(std::size_t n) {
    bodies.resize(n);
    movable.resize(n);
    law.resize(n);
    frame.resize(n);
    arm_a.resize(n);
    arm_b.resize(n);
  }
};

// Impulses of the last step by key, in the world frame, so that a turning contact frame does no harm.
struct WarmStart {
  std::vector<ContactKey> key;
  std::vector<Vec3> impulse;  // N s
  double h = 0;               // step they came from: impulses scale with it
};

struct StepContext {
  ContactDetector detector;
  IslandFinder islands;

  BodyState mid;                    // predict_midpoint: q + h/2 G v, and the velocities there
  std::vector<Pose> collider_pose;  // predict_midpoint: where contacts are looked for
  ContactSet found;                 // detect_contacts
  ActiveContacts active;            // match_contacts
  WarmStart warm;                   // read by match_contacts, written by apply_impulses
  std::vector<Vec3> force, torque;  // compute_free_velocity: world, at the middle of the step
  BodyState free;                   // compute_free_velocity: v_free (velocities only)
  ConeProblem problem;              // assemble_problem, then the impact law adds E u_minus to q
  Vector u_minus;                   // assemble_problem: H v, relative velocities before the step
  Vector r;                         // match_contacts: warm start; solve: impulses
  Vector u;                         // apply_impulses: relative velocities after the step (without E u_minus)
  std::vector<Vec3> spin_plus;      // apply_impulses: spin right after the impulses, body frame
  std::vector<Twist> change;        // apply_impulses: M^-1 H^T r
  BodyState next;                   // apply_impulses: velocities; advance_positions: poses, spin
  SolveReport solve;                // solve

  ConeProblem gap_problem;                     // project_positions: Orthant blocks on gaps
  Vector gap_push;                             // project_positions: its solution
  Nsgs gap_solver;                             // project_positions
  ReduceScratch<EnergyReport> energy_scratch;  // report
};

}  // namespace carom
