#include "engine/lagrangian_phases.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

constexpr int kMidpointRounds = 4;  // of the fixed point for velocity-dependent forces

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Velocities of supports at time t, stacked over the active contacts.
void drifts_at(const LagrangianSystem& system, double t, const LagrangianContext& c, ContactRows& rows, Vector& drift) {
  const Cones& cones = c.problem.cones;
  drift.resize(cones.rows());
  for (int i = 0; i < cones.count(); ++i) {
    system.contact_rows(t, c.q_mid, c.active[at(i)], rows);
    for (int k = 0; k < cones.dim(i); ++k) drift[cones.offset(i) + k] = rows.drift[at(k)];
  }
}

// u = H v + drift
void relative_velocity(const LagrangianContext& c, VectorIn v, const Vector& drift, Vector& u) {
  const Cones& cones = c.problem.cones;
  u.resize(cones.rows());
  for (int i = 0; i < cones.count(); ++i) {
    const int offset = cones.offset(i), dim = cones.dim(i);
    contact_velocity(c.rows[at(i)], dim, v, u.data() + offset);
    for (int k = 0; k < dim; ++k) u[offset + k] += drift[offset + k] - c.rows[at(i)].drift[at(k)];
  }
}

}  // namespace

void predict_midpoint(const LagrangianSystem& system, const StepOptions& options, const LagrangianState& state,
                      double t, double h, LagrangianContext& c) {
  const double fraction = options.activation == Activation::Predicted ? 1.0 : 0.5;
  c.t = t;
  c.h = h;
  c.t_look = t + fraction * h;
  c.q_look = state.q + fraction * h * state.v;
  c.q_mid = state.q + 0.5 * h * state.v;
  system.mass_matrix(c.q_mid, c.M);
  c.regular = c.mass.compute(c.M) && c.q_mid.allFinite() && state.v.allFinite();
}

void detect_contacts(const LagrangianSystem& system, const StepOptions& options, LagrangianContext& c) {
  c.gap.resize(system.contacts());
  c.active.clear();
  if (!c.regular) return;
  system.gaps(c.t_look, c.q_look, c.gap);
  for (int i = 0; i < system.contacts(); ++i)
    if (c.gap[i] <= options.activation_margin) c.active.push_back(i);
}

void match_contacts(const LagrangianSystem& system, const StepOptions&, double h, LagrangianContext& c) {
  Cones& cones = c.problem.cones;
  cones.clear();
  c.law.resize(c.active.size());
  c.support.resize(c.active.size());
  if (c.rows.size() < c.active.size()) c.rows.resize(c.active.size());
  c.set_first.assign(1, 0);
  c.sets.clear();
  for (std::size_t k = 0; k < c.active.size(); ++k) {
    system.contact_rows(c.t + 0.5 * h, c.q_mid, c.active[k], c.rows[k]);
    cones.add(contact_cone(system, c.active[k]));
    c.law[k] = system.contact_law(c.active[k]);
    c.support[k] = system.contact_support(c.active[k]);
    for (int coordinate : c.rows[k].coordinate) c.sets.push_back(c.mass.set_of(coordinate));
    c.set_first.push_back(static_cast<int>(c.sets.size()));
  }
  c.islands.find(c.set_first, c.sets, c.mass.sets());

  const double scale = c.warm_h > 0 ? h / c.warm_h : 1.0;
  c.warm.resize(at(system.contacts()));
  c.r.resize(cones.rows());
  for (int i = 0; i < cones.count(); ++i)
    for (int k = 0; k < cones.dim(i); ++k) c.r[cones.offset(i) + k] = scale * c.warm[at(c.active[at(i)])][at(k)];
}

void compute_free_velocity(const LagrangianSystem& system, const StepOptions&, const LagrangianState& state, double t,
                           double h, LagrangianContext& c) {
  c.v = c.v_free = state.v;
  c.force.resize(state.v.size());
  if (!c.regular) {
    c.v_free.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  // One round more as long as the force depends on the velocity at the middle.
  double change = 0;
  for (int round = 0; round < kMidpointRounds; ++round) {
    c.change = 0.5 * (state.v + c.v_free);
    system.force(t + 0.5 * h, c.q_mid, c.change, c.force);
    c.force *= h;
    c.change = c.force;
    c.mass.solve(c.change);
    c.change += state.v;
    change = (c.change - c.v_free).lpNorm<Eigen::Infinity>();
    c.v_free.swap(c.change);
    if (change <= 1e-14 * c.v_free.lpNorm<Eigen::Infinity>()) break;
  }
}

void assemble_problem(const LagrangianSystem& system, const StepOptions&, LagrangianContext& c) {
  const Cones& cones = c.problem.cones;
  if (!c.problem.W.assembled) c.problem.W.assembled.emplace();
  c.assembler.assemble(c.mass, std::span(c.rows).first(c.active.size()), cones, *c.problem.W.assembled);
  drifts_at(system, c.t, c, c.scratch, c.drift_minus);
  drifts_at(system, c.t + c.h, c, c.scratch, c.drift_plus);
  relative_velocity(c, c.v, c.drift_minus, c.u_minus);
  relative_velocity(c, c.v_free, c.drift_plus, c.problem.q);
}

void apply_impulses(const LagrangianSystem&, const StepOptions&, double h, LagrangianContext& c) {
  const Cones& cones = c.problem.cones;
  c.impulse.resize(cones.rows());
  c.impulse = c.r + c.p;
  c.change.setZero(c.v.size());
  if (c.regular) {
    add_momentum(std::span(c.rows).first(c.active.size()), cones, c.impulse, c.change);
    c.mass.solve(c.change);
  }
  c.next.v = c.v_free + c.change;
  relative_velocity(c, c.next.v, c.drift_plus, c.u);

  std::fill(c.warm.begin(), c.warm.end(), std::array<double, 3>{});
  for (int i = 0; i < cones.count(); ++i)
    for (int k = 0; k < cones.dim(i); ++k) c.warm[at(c.active[at(i)])][at(k)] = c.r[cones.offset(i) + k];
  c.warm_h = h;
}

void advance_positions(const LagrangianSystem&, const StepOptions& options, const LagrangianState& state, double,
                       double h, LagrangianContext& c) {
  c.next.q = state.q + h * ((1 - options.theta) * state.v + options.theta * c.next.v);
  c.projected = 0;
}

void project_positions(const LagrangianSystem& system, const StepOptions& options, double, LagrangianContext& c) {
  // The rigid bodies' projection (engine/project.cpp), with the gaps at the end of the step themselves.
  const int count = static_cast<int>(c.active.size());
  c.gap_plus.resize(system.contacts());
  system.gaps(c.t + c.h, c.next.q, c.gap_plus);
  ConeProblem& gaps = c.gap_problem;
  gaps.cones.clear();
  gaps.q.resize(count);
  bool overlapping = false;
  for (int i = 0; i < count; ++i) {
    gaps.cones.add({ConeKind::Orthant, 1, 0});
    const double x = c.gap_plus[c.active[at(i)]] + options.projection_slop;
    gaps.q[i] = x < 0 ? options.projection_fraction * x : x;
    overlapping = overlapping || x < 0;
  }
  if (!overlapping) return;

  if (!gaps.W.assembled) gaps.W.assembled.emplace();
  const auto rows = std::span<const ContactRows>(c.rows).first(c.active.size());
  c.assembler.assemble(c.mass, rows, gaps.cones, *gaps.W.assembled);
  c.gap_solver.options().stop = {.tolerance = 0.1 * options.projection_slop,
                                 .measure = Measure::Velocity,
                                 .max_iterations = options.projection_iterations};
  c.gap_push.assign(count, 0.0);
  c.gap_solver.solve(gaps, c.gap_push);
  c.change.setZero(c.v.size());
  add_momentum(rows, gaps.cones, c.gap_push, c.change);
  c.mass.solve(c.change);
  c.projected = -system.potential_energy(c.t + c.h, c.next.q);
  c.next.q += c.change;
  c.projected += system.potential_energy(c.t + c.h, c.next.q);
}

void report_step(const LagrangianSystem& system, const StepOptions&, const LagrangianState& state, double t, double h,
                 LagrangianContext& c, StepReport& report) {
  EnergyReport& e = report.energy;
  e = {};
  const auto kinetic = [&](const LagrangianState& s) {
    system.mass_matrix(s.q, c.M);
    c.change.noalias() = c.M * s.v;
    return 0.5 * s.v.dot(c.change);
  };
  const double before = kinetic(state) + system.potential_energy(t, state.q);
  e.kinetic = kinetic(c.next);
  e.potential = system.potential_energy(t + h, c.next.q);
  e.contact_work = 0.5 * c.impulse.dot(c.u + c.u_minus);
  e.boundary_work = -0.5 * c.impulse.dot(c.drift_plus + c.drift_minus);
  e.projection_work = c.projected;
  e.balance_error = e.kinetic + e.potential - before - e.contact_work - e.boundary_work - e.projection_work;

  report_contacts(c, report);
  report.worst_penetration = 0;
  for (int i : c.active) report.worst_penetration = std::max(report.worst_penetration, -c.gap[i]);
  if (!c.regular || !std::isfinite(e.kinetic) || !std::isfinite(e.potential))
    report.status = SolveStatus::NumericalError;
}

}  // namespace carom
