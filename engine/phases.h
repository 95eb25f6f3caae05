// The phases of a step of rigid bodies. engine/moreau_jean.cpp calls them in order; each reads and writes what
// engine/step_context.h says. Systems in generalized coordinates have their own (engine/lagrangian_phases.h).
#pragma once

#include "engine/step_context.h"

namespace carom {

// q_mid = q + h/2 G(q) v, gyroscopic torque acting for h/2; kinematic bodies where their motion puts them.
void predict_midpoint(const Model& model, const StepOptions& options, const BodyState& state, double t, double h,
                      StepContext& c);

// The law of two colliders: of their bodies where these have one, else of their materials.
PairLaw pair_law(const Model& model, std::uint32_t collider_a, std::uint32_t collider_b);

// Contacts at the predicted poses, sorted by key. Bodies that touch up to rounding, or up to what velocities within the
// solver's tolerance opened, touch: a contact at rest that came and went would drop its body by g h^2 each time.
void detect_contacts(const Model& model, const StepOptions& options, StepContext& c);
void detect_contacts(const Model& model, const StepOptions& options, double margin,
                     std::span<const Pose> collider_pose, ContactDetector& detector, ContactSet& found);

// Frames, arms and laws of the contacts found; r from the last step's impulses by key; islands.
void match_contacts(const Model& model, const StepOptions& options, double h, StepContext& c);

// M (v_free - v) = h F(t_mid, q_mid, v)
void accumulate_forces(const Model& model, const BodyState& mid, double t, std::span<Vec3> force,
                       std::span<Vec3> torque);
void compute_free_velocity(const Model& model, const StepOptions& options, const BodyState& state, double t, double h,
                           StepContext& c);

// W = H M^-1 H^T as factors, u_minus = H v_mid, q = H v_free; v_mid is v after the gyroscopic torque of h/2.
void assemble_problem(const Model& model, const StepOptions& options, StepContext& c);

// v_plus = v_free + M^-1 H^T (r + p)
void apply_impulses(const Model& model, const StepOptions& options, double h, StepContext& c);

// q_plus = q + h G((1 - theta) v + theta v_plus), gyroscopic torque acting for the other h/2; then back onto the
// joints, unless project_positions does it
void advance_positions(const Model& model, const StepOptions& options, const BodyState& state, double t, double h,
                       StepContext& c);

// Moves bodies apart where contacts and limits of joints overlap by more than the slop, and back onto their joints;
// changes no velocity.
void project_positions(const Model& model, const StepOptions& options, double h, StepContext& c);

// Energies, work and counts of the step that led from `state` to `c.next`.
void report_step(const Model& model, const StepOptions& options, const BodyState& state, double t, double h,
                 StepContext& c, StepReport& report);

// Kinetic and potential energy of a state at time t.
EnergyReport energies_of(const Model& model, const BodyState& state, double t);

}  // namespace carom
