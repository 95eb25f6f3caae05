// The phases of a step of a system in generalized coordinates: the same step (engine/moreau_jean.cpp) as for rigid
// bodies. W is assembled, since a contact may depend on any number of coordinates.
#pragma once

#include "engine/contact_step.h"
#include "engine/lagrangian.h"
#include "engine/step_options.h"
#include "solvers/nsgs.h"

namespace carom {

// All scratch of a step, and what one step hands to the next. Each field says which phase writes it.
struct LagrangianContext : ContactStep {
  double t = 0, h = 0;                      // predict_midpoint: the step
  VectorXd q_mid;                           // predict_midpoint: q + h/2 v
  VectorXd q_look;                          // predict_midpoint: where contacts are looked for; q + h v if Predicted
  double t_look = 0;                        // predict_midpoint: and when
  SparseMatrix M;                           // predict_midpoint: at q_mid
  MassFactor mass;                          // predict_midpoint
  bool regular = false;                     // predict_midpoint: M is positive definite and all is finite
  VectorXd gap;                             // detect_contacts: of all contacts, m
  std::vector<int> active;                  // detect_contacts: contacts with gap <= margin, increasing
  std::vector<ContactRows> rows;            // match_contacts: of the active contacts at (t + h/2, q_mid)
  std::vector<int> set_first, sets;         // match_contacts: sets of coupled coordinates that each contact joins
  VectorXd v, force, v_free;                // compute_free_velocity: v before the step, h F, v_free
  Vector drift_minus, drift_plus;           // assemble_problem: the drifts in u = H v + drift at t and t + h
  ContactRows scratch;                      // assemble_problem
  DelassusAssembler assembler;              // assemble_problem, project_positions
  VectorXd change;                          // apply_impulses: M^-1 H^T (r + p)
  LagrangianState next;                     // apply_impulses: v; advance_positions: q
  std::vector<std::array<double, 3>> warm;  // apply_impulses: r of every contact, 0 where it was not active
  double warm_h = 0;                        // apply_impulses: the step they came from

  ConeProblem gap_problem;  // project_positions: Orthant blocks on gaps
  Vector gap_push;          // project_positions: its solution
  VectorXd gap_plus;        // project_positions: of all contacts at the end of the step, m
  double projected = 0;     // project_positions: potential energy it added, J
  Nsgs gap_solver;          // project_positions
};

// q_mid = q + h/2 v, and M there
void predict_midpoint(const LagrangianSystem& system, const StepOptions& options, const LagrangianState& state,
                      double t, double h, LagrangianContext& c);

// contacts with gap(q_mid) <= margin
void detect_contacts(const LagrangianSystem& system, const StepOptions& options, LagrangianContext& c);

// rows, laws and cones; r from the last step's impulses; islands
void match_contacts(const LagrangianSystem& system, const StepOptions& options, double h, LagrangianContext& c);

// M (v_free - v) = h F(t_mid, q_mid, (v + v_free)/2): centrifugal forces at the middle, so that smooth motion has
// order 2
void compute_free_velocity(const LagrangianSystem& system, const StepOptions& options, const LagrangianState& state,
                           double t, double h, LagrangianContext& c);

// W = H M^-1 H^T, u_minus = H v + w(t), q = H v_free + w(t + h)
void assemble_problem(const LagrangianSystem& system, const StepOptions& options, LagrangianContext& c);

// v_plus = v_free + M^-1 H^T (r + p)
void apply_impulses(const LagrangianSystem& system, const StepOptions& options, double h, LagrangianContext& c);

// q_plus = q + h ((1 - theta) v + theta v_plus)
void advance_positions(const LagrangianSystem& system, const StepOptions& options, const LagrangianState& state,
                       double t, double h, LagrangianContext& c);

// Moves q so that a share of every overlap beyond the slop goes; changes no velocity.
void project_positions(const LagrangianSystem& system, const StepOptions& options, double h, LagrangianContext& c);

// Energies, work and counts. Forces are not told from potentials here: `balance_error` holds what the step's
// approximation of smooth motion lost or won, O(h^3), and the work of forces that have no potential.
void report_step(const LagrangianSystem& system, const StepOptions& options, const LagrangianState& state, double t,
                 double h, LagrangianContext& c, StepReport& report);

}  // namespace carom
