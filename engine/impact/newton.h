#pragma once

#include <span>

#include "engine/material.h"
#include "solvers/cone.h"

namespace carom {

// Newton's law per contact, u_plus = -E u_minus where impulses act: q += E u_minus, E = diag(e_n, e_t, e_t).
// e_t = 0 is Moreau's law; e_t = 1 is Fremond's, whose friction opposes u_t+ + u_t- and never adds energy.
void apply_newton_law(std::span<const PairLaw> laws, const Cones& cones, VectorIn u_minus, VectorOut q);

}  // namespace carom
