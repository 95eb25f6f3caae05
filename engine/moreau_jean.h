#pragma once

#include "engine/step_context.h"

namespace carom {

// One Moreau-Jean step of length h from time t: state is replaced by the state at t + h.
void moreau_jean_step(const Model& model, const StepOptions& options, Solver& solver, double t, double h,
                      BodyState& state, StepContext& context, StepReport& report);

}  // namespace carom
