// The phases of a step: free functions, const inputs first, outputs last. engine/moreau_jean.cpp calls them in
// order; each writes what engine/step_context.h says it writes.
#pragma once

#include "engine/step_context.h"

namespace carom {

// q_mid = q + h/2 G(q) v, gyroscopic torque acting for h/2; kinematic bodies where their motion puts them.
void predict_midpoint(const Model& model, const StepOptions& options, const BodyState& state, double t, double h,
                      BodyState& mid, std::vector<Pose>& collider_pose);

// Contacts at the predicted poses, sorted by key.
void detect_contacts(const Model& model, const StepOptions& options, std::span<const Pose> collider_pose,
                     ContactDetector& detector, ContactSet& found);

// Frames, arms and laws of the contacts found; r from the last step's impulses by key.
void match_contacts(const Model& model, const StepOptions& options, const BodyState& mid, const ContactSet& found,
                    const WarmStart& warm, double h, ActiveContacts& active, Cones& cones, Vector& r);

// M (v_free - v) = h F(t_mid, q_mid, v)
void accumulate_forces(const Model& model, const BodyState& mid, double t, std::span<Vec3> force,
                       std::span<Vec3> torque);
void compute_free_velocity(const Model& model, const StepOptions& options, const BodyState& state, const BodyState& mid,
                           double t, double h, std::vector<Vec3>& force, std::vector<Vec3>& torque, BodyState& free);

// W = H M^-1 H^T as factors, u_minus = H v_mid, q = H v_free; v_mid is v after the gyroscopic torque of h/2.
void assemble_problem(const Model& model, const StepOptions& options, const BodyState& mid, const BodyState& free,
                      const ActiveContacts& active, ConeProblem& problem, Vector& u_minus);

// v_plus = v_free + M^-1 H^T r
void apply_impulses(const StepOptions& options, const BodyState& mid, const BodyState& free, const ContactSet& found,
                    const ActiveContacts& active, const ConeProblem& problem, const Vector& r, double h,
                    std::vector<Twist>& change, BodyState& next, std::vector<Vec3>& spin_plus, Vector& u,
                    WarmStart& warm);

// q_plus = q + h G((1 - theta) v + theta v_plus), gyroscopic torque acting for the other h/2
void advance_positions(const Model& model, const StepOptions& options, const BodyState& state, const BodyState& mid,
                       double t, double h, BodyState& next);

// Moves bodies apart where contacts overlap by more than the slop; changes no velocity.
void project_positions(const StepOptions& options, const Model& model, double h, StepContext& context, BodyState& next);

// Energies, work and counts of the step that led from `state` to `context.next`.
void report_step(const Model& model, const StepOptions& options, const BodyState& state, const StepContext& context,
                 double t, double h, ReduceScratch<EnergyReport>& scratch, StepReport& report);

// Kinetic and potential energy of a state at time t.
EnergyReport energies_of(const Model& model, const BodyState& state, double t);

}  // namespace carom
