#pragma once

#include "engine/step_context.h"

namespace carom {

// Newton's law per contact, u_plus = -E u_minus where impulses act: q += E u_minus, E = diag(e_n, e_t, e_t).
// e_t = 0 is Moreau's law; e_t = 1 is Fremond's, whose friction opposes u_t+ + u_t- and never adds energy.
void apply_newton_law(const ActiveContacts& active, const Cones& cones, const Vector& u_minus, Vector& q);

}  // namespace carom
