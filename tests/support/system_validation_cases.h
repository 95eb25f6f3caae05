// The laws that systems in generalized coordinates and multiple impacts are held to inside the time-stepper; as
// validation_cases.h does for bodies. Cases: tests/validation/system_cases.cpp.
#pragma once

#include "validation_cases.h"

namespace carom::validation {

// Positions at the end against the event-driven result under lzb, mean over eight step lengths; error over the length
// of a ball.
Convergence cradle_under_lzb_convergence();  // five balls between walls, seven impacts
Convergence column_under_lzb_convergence();  // five steel beads that fall on a wall

// Housner's block, l/L = 10, let go at 0.4 alpha, e = 0, friction enough: the quarter period by the energy integral
// and by the small-angle formula, and the ratio of angular velocities across the first impact.
std::vector<Measurement> rocking_block(double h);
// Base acceleration at which a block on a base that accelerates ever faster lifts a corner: g tan(alpha).
Measurement rocking_uplift(double h);

// Three equal balls struck at one end, one step: Moreau's line (1 - 2e, 1 + e, 1 + e)/3, and v1..v3 of lzb with linear
// springs, published to four digits.
std::vector<Measurement> three_ball_cradle(double restitution);
std::vector<Measurement> three_ball_cradle_lzb();

// A rod that slides on one end in the paradox: the impulse -W^-1 u that stops the end at once, and positions after 0.2
// s against the event-driven result that starts behind this jump.
std::vector<Measurement> painleve_jump(double h);
Convergence painleve_convergence();

}  // namespace carom::validation
