// Multiple impacts inside a time step, by splitting: on each island where some contact approaches faster than the
// threshold the law maps v to v_plus at fixed positions; the step's cone problem, without restitution, then supplies
// the finite forces. What the law transmits enters the cone problem as
//
//     q += W p,     v_plus = v_free + M^-1 H^T (r + p)
//
// Joints are condensed out of the impact (engine/impact/condensation.h) and get their share of impulses; limits of
// joints are contacts like others; springs, friction in joints and motors of limited strength are finite forces and no
// part of it, nor is rolling resistance, which acts in the step's cone problem alone. Newton's law needs no splitting:
// it is q += E u_minus within the cone problem itself.
#pragma once

#include "engine/contact_step.h"
#include "engine/impact/impact_law.h"
#include "engine/step_options.h"

namespace carom {

// law: nullptr is Newton's. Writes c.p, c.impacts, c.failed_impacts and adds to c.problem.q.
void apply_impact_law(ImpactLaw* law, const StepOptions& options, ContactStep& c);

// The parameters of one contact as an impact law wants them; support: one side cannot be moved.
ImpactContact impact_contact(const PairLaw& law, bool support);

// The listed contacts, increasing, as an impact at velocities u_minus; W from either body of the operator.
ImpactProblem impact_among(const ConeProblem& problem, std::span<const PairLaw> laws,
                           std::span<const std::uint8_t> support, VectorIn u_minus, std::span<const int> contacts);

}  // namespace carom
