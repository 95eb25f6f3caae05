#pragma once

#include "engine/impact/impact_law.h"
#include "engine/step_context.h"

namespace carom {

// Who solves the step's contact problem, and by which law bodies collide.
struct StepMethods {
  Solver& solver;
  ImpactLaw* impact_law = nullptr;  // nullptr: Newton's law, within the cone problem
};

// One Moreau-Jean step of length h from time t: state is replaced by the state at t + h. A system is what the phases
// are written for: rigid bodies (Model, BodyState, StepContext; engine/phases.h) or generalized coordinates
// (LagrangianSystem, LagrangianState, LagrangianContext; engine/lagrangian_phases.h).
template <class System, class State, class Context>
void moreau_jean_step(const System& system, const StepOptions& options, const StepMethods& methods, double t, double h,
                      State& state, Context& context, StepReport& report);

}  // namespace carom
