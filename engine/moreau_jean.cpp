// The Moreau-Jean step, event-capturing: impacts and persistent contacts are one problem in velocities and
// impulses, solved once per step (Moreau 1988; Jean 1999). Notation: docs/notation.md.
#include "engine/moreau_jean.h"

#include "engine/impact/newton.h"
#include "engine/phases.h"

namespace carom {

void moreau_jean_step(const Model& model, const StepOptions& options, Solver& solver, double t, double h,
                      BodyState& state, StepContext& c, StepReport& report) {
  report.phase_seconds = {};
  const auto phase = [&](StepPhase name, auto&& work) {
    const ScopedPhase timer(report.phase_seconds, name);
    work();
  };

  // q_mid = q + h/2 G(q) v
  phase(StepPhase::Predict, [&] { predict_midpoint(model, options, state, t, h, c.mid, c.collider_pose); });

  // contacts with gap(q_mid) <= margin
  phase(StepPhase::Detect, [&] { detect_contacts(model, options, c.collider_pose, c.detector, c.found); });

  // frames and laws by pair, first guess r by key, islands
  phase(StepPhase::Match, [&] {
    match_contacts(model, options, c.mid, c.found, c.warm, h, c.active, c.problem.cones, c.r);
    c.islands.find(c.active.movable, state.size());
  });

  // M (v_free - v) = h F(t_mid, q_mid, v)
  phase(StepPhase::FreeVelocity,
        [&] { compute_free_velocity(model, options, state, c.mid, t, h, c.force, c.torque, c.free); });

  // W = H M^-1 H^T,  q = H v_free,  u_minus = H v
  phase(StepPhase::Assemble, [&] { assemble_problem(model, options, c.mid, c.free, c.active, c.problem, c.u_minus); });

  // q += E u_minus
  phase(StepPhase::Impact, [&] { apply_newton_law(c.active, c.problem.cones, c.u_minus, c.problem.q); });

  // u = W r + q,  K* contains u + s(u),  r in K,  (u + s(u)) . r = 0
  phase(StepPhase::Solve, [&] { c.solve = solver.solve(c.problem, c.r); });

  // v_plus = v_free + M^-1 H^T r
  phase(StepPhase::Apply, [&] {
    apply_impulses(options, c.mid, c.free, c.found, c.active, c.problem, c.r, h, c.change, c.next, c.spin_plus, c.u,
                   c.warm);
  });

  // q_plus = q + h G((1 - theta) v + theta v_plus)
  phase(StepPhase::Advance, [&] { advance_positions(model, options, state, c.mid, t, h, c.next); });

  // gap(q_plus) >= -slop, velocities untouched
  if (options.projection) phase(StepPhase::Project, [&] { project_positions(options, model, h, c, c.next); });

  // energies, work, residuals
  phase(StepPhase::Report, [&] { report_step(model, options, state, c, t, h, c.energy_scratch, report); });

  std::swap(state, c.next);
}

}  // namespace carom
