// All scratch of a step of rigid bodies, and what one step hands to the next (the warm start). Vectors keep their
// capacity: once sizes have settled a step allocates nothing. Each field says which phase writes it.
#pragma once

#include <array>

#include "contact/detection.h"
#include "engine/bonds.h"
#include "engine/contact_step.h"
#include "engine/joint_step.h"
#include "engine/model.h"
#include "engine/step_options.h"
#include "engine/step_report.h"
#include "solvers/bilateral.h"
#include "solvers/nsgs.h"

namespace carom {

// The contacts of this step, one entry each, in key order.
struct ActiveContacts {
  std::vector<std::array<int, 2>> bodies;   // match_contacts: a and b
  std::vector<std::array<int, 2>> movable;  // match_contacts: a and b, -1 unless Dynamic
  std::vector<Mat3> frame;                  // match_contacts: rows n, t1, t2 in the world
  std::vector<Vec3> arm_a, arm_b;           // match_contacts: from centre of mass to contact point, world, m
  std::vector<double> rolling_radius;       // match_contacts: m, where rolling is resisted (engine/rolling.h), else 0

  void resize(std::size_t n) {
    bodies.resize(n);
    movable.resize(n);
    frame.resize(n);
    arm_a.resize(n);
    arm_b.resize(n);
    rolling_radius.resize(n);
  }
};

// Impulses of the last step by key, in the world frame, so that a turning contact frame does no harm.
struct WarmStart {
  std::vector<ContactKey> key;
  std::vector<Vec3> impulse;  // N s
  std::vector<Vec3> moment;   // N m s, against rolling; empty where no contact resists it
  double h = 0;               // step they came from: impulses scale with it
};

struct StepContext : ContactStep {
  ContactDetector detector;

  BodyState mid;                          // predict_midpoint: q + h/2 G v, and the velocities there
  std::vector<Pose> collider_pose;        // predict_midpoint: where contacts are looked for
  ContactSet found;                       // detect_contacts
  std::span<const PairLaw> given_law;     // detect_contacts: of those found, where the ground has its own; else empty
  ActiveContacts active;                  // match_contacts
  ActiveJoints joints;                    // engine/joint_step.h
  ActiveBonds bonds;                      // engine/bonds.h
  std::vector<std::array<int, 2>> pairs;  // match_contacts: movable bodies of all blocks, where some are no contacts
  WarmStart warm;                         // read by match_contacts, written by apply_impulses
  std::vector<Vec3> force, torque;        // compute_free_velocity: world, at the middle of the step
  BodyState free;                         // compute_free_velocity: v_free (velocities only)
  std::vector<Vec3> spin_plus;            // apply_impulses: spin right after the impulses, body frame
  std::vector<Twist> change;              // apply_impulses: M^-1 H^T (r + p)
  std::vector<Vec3> impulse_world;        // apply_impulses: r + p of each contact, on body a
  BodyState next;                         // apply_impulses: velocities; advance_positions: poses, spin

  ConeProblem gap_problem;                     // project_positions: Orthant blocks on gaps, Free ones on joints
  std::vector<double> gap_q;                   // project_positions: gaps and errors, m and rad
  Vector gap_push;                             // project_positions: its solution
  Nsgs gap_solver;                             // project_positions
  BilateralSolver joint_solver;                // project_positions: what joints hold
  ReduceScratch<EnergyReport> energy_scratch;  // report
};

}  // namespace carom
