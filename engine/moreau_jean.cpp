// The Moreau-Jean step, event-capturing: impacts and persistent contacts are one problem in velocities and
// impulses, solved once per step (Moreau 1988; Jean 1999). Notation: docs/notation.md.
#include "engine/moreau_jean.h"

#include "engine/impact/splitting.h"
#include "engine/lagrangian_phases.h"
#include "engine/phases.h"
#include "engine/rockfall/block_step.h"

namespace carom {

template <class System, class State, class Context>
void moreau_jean_step(const System& system, const StepOptions& options, const StepMethods& methods, double t, double h,
                      State& state, Context& c, StepReport& report) {
  report.phase_seconds = {};
  const auto phase = [&](StepPhase name, auto&& work) {
    const ScopedPhase timer(report.phase_seconds, name);
    work();
  };

  // q_mid = q + h/2 G(q) v
  phase(StepPhase::Predict, [&] { predict_midpoint(system, options, state, t, h, c); });

  // contacts with gap(q_mid) <= margin
  phase(StepPhase::Detect, [&] { detect_contacts(system, options, c); });

  // laws and cones, first guess r by key, islands
  phase(StepPhase::Match, [&] { match_contacts(system, options, h, c); });

  // M (v_free - v) = h F(t_mid, q_mid, v)
  phase(StepPhase::FreeVelocity, [&] { compute_free_velocity(system, options, state, t, h, c); });

  // W = H M^-1 H^T,  q = H v_free,  u_minus = H v
  phase(StepPhase::Assemble, [&] { assemble_problem(system, options, c); });

  // newton: q += E u_minus;  other laws: p on islands that are struck, q += W p
  phase(StepPhase::Impact, [&] { apply_impact_law(methods.impact_law, options, c); });

  // u = W r + q,  K* contains u + s(u),  r in K,  (u + s(u)) . r = 0
  phase(StepPhase::Solve, [&] { c.solve = methods.solver.solve(c.problem, c.r); });

  // v_plus = v_free + M^-1 H^T (r + p)
  phase(StepPhase::Apply, [&] { apply_impulses(system, options, h, c); });

  // q_plus = q + h G((1 - theta) v + theta v_plus)
  phase(StepPhase::Advance, [&] { advance_positions(system, options, state, t, h, c); });

  // gap(q_plus) >= -slop, velocities untouched
  if (options.projection) phase(StepPhase::Project, [&] { project_positions(system, options, h, c); });

  // energies, work, residuals
  phase(StepPhase::Report, [&] { report_step(system, options, state, t, h, c, report); });

  std::swap(state, c.next);
}

template void moreau_jean_step(const Model&, const StepOptions&, const StepMethods&, double, double, BodyState&,
                               StepContext&, StepReport&);
template void moreau_jean_step(const LagrangianSystem&, const StepOptions&, const StepMethods&, double, double,
                               LagrangianState&, LagrangianContext&, StepReport&);
template void moreau_jean_step(const rockfall::BlockModel&, const StepOptions&, const StepMethods&, double, double,
                               BodyState&, rockfall::BlockContext&, StepReport&);

}  // namespace carom
