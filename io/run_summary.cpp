#include "io/run_summary.h"

#include <fmt/format.h>

#include <cmath>

#include "solvers/registry.h"

namespace carom {

namespace {

// Work of all kinds that a step's report names; with it the energy before the step is known from that after it.
double energy_change(const EnergyReport& e) {
  return e.external_work + e.boundary_work + e.contact_work + e.joint_work + e.projection_work + e.balance_error;
}

// Largest value so far, where NaN counts as larger than everything and stays.
void keep_worst(double value, std::int64_t step, double& worst, std::int64_t& worst_step) {
  if (std::isnan(worst) || !(value > worst || std::isnan(value))) return;
  worst = value;
  worst_step = step;
}

void add_energy(const EnergyReport& e, bool first, EnergySummary& total) {
  total.end = e.kinetic + e.potential + e.elastic;
  if (first) {
    total.start = total.end - energy_change(e);
    total.scale = std::abs(total.end - total.start);
  }
  total.external_work += e.external_work;
  total.boundary_work += e.boundary_work;
  (e.contact_work < 0 ? total.dissipated : total.created) += std::abs(e.contact_work);
  total.joint_work += e.joint_work;
  total.projection_work += e.projection_work;
  total.balance_error += e.balance_error;
  for (const double size : {e.kinetic, std::abs(total.end - total.start), total.dissipated, total.created,
                            std::abs(total.external_work), std::abs(total.boundary_work), std::abs(total.joint_work)})
    if (size > total.scale) total.scale = size;
}

}  // namespace

void RunSummary::add(const StepReport& report) {
  ++steps;
  time = report.time;
  phase_seconds += report.phase_seconds;

  contacts_last = report.contacts;
  contacts_most = std::max(contacts_most, report.contacts);
  contact_sum += report.contacts;

  if (report.contacts > 0) {
    ++steps_in_contact;
    iteration_sum += report.iterations;
    iterations_most = std::max(iterations_most, report.iterations);
  }
  keep_worst(report.residuals.velocity_worst, report.step, worst_velocity_residual, worst_residual_step);
  std::int64_t ignored = 0;
  keep_worst(report.residuals.natural_map, report.step, worst_natural_residual, ignored);
  if (report.status != SolveStatus::Solved && ++unsolved == 1) {
    first_unsolved = report.step;
    first_unsolved_status = report.status;
  }
  impacts += report.impacts;
  failed_impacts += report.failed_impacts;
  keep_worst(report.worst_penetration, report.step, worst_penetration, worst_penetration_step);
  keep_worst(report.worst_joint_error, report.step, worst_joint_error, ignored);
  if (report.broken_bonds > 0 && broken_bonds == 0) first_break = report.time;
  broken_bonds = report.broken_bonds;
  add_energy(report.energy, steps == 1, energy);
}

RunSummary summarize(const RunDiagnostics& d, std::int64_t last_step) {
  RunSummary summary;
  for (std::size_t i = 0; i < d.step.size() && d.step[i] <= last_step; ++i) {
    StepReport report;
    report.step = d.step[i];
    report.time = d.time[i];
    report.contacts = d.contacts[i];
    report.islands = d.islands[i];
    report.status = static_cast<SolveStatus>(d.status[i]);
    report.iterations = d.iterations[i];
    report.residuals.natural_map = d.residual_natural[i];
    report.residuals.velocity_worst = d.residual_velocity[i];
    report.impacts = d.impacts[i];
    report.failed_impacts = d.failed_impacts[i];
    report.worst_penetration = d.worst_penetration[i];
    report.worst_joint_error = d.worst_joint_error[i];
    report.broken_bonds = d.broken_bonds[i];
    report.support_reaction = Vec3(&d.support_reaction[3 * i]);
    report.energy = {.kinetic = d.kinetic[i],
                     .potential = d.potential[i],
                     .external_work = d.external_work[i],
                     .boundary_work = d.boundary_work[i],
                     .contact_work = d.contact_work[i],
                     .projection_work = d.projection_work[i],
                     .balance_error = d.balance_error[i],
                     .elastic = d.elastic[i],
                     .joint_work = d.joint_work[i]};
    report.phase_seconds = d.phase_seconds[i];
    summary.add(report);
  }
  return summary;
}

SolverTolerance tolerance_of(const SolverPlan& plan) {
  SolverTolerance tolerance;
  const auto given = [&](const char* name) {
    const auto found = plan.options.find(name);
    return found == plan.options.end() ? nullptr : &found->second;
  };
  for (const SolverInfo& solver : solver_table()) {
    if (solver.name != plan.name) continue;
    for (const OptionInfo& option : solver.options) {
      if (option.name == "tolerance") tolerance.value = std::stod(option.default_value);
      if (option.name == "measure" && option.default_value == "natural_map") tolerance.measure = Measure::NaturalMap;
    }
  }
  if (const OptionValue* value = given("tolerance")) {
    if (const double* real = std::get_if<double>(value)) tolerance.value = *real;
    if (const std::int64_t* whole = std::get_if<std::int64_t>(value)) tolerance.value = static_cast<double>(*whole);
  }
  if (const OptionValue* value = given("measure"))
    if (const std::string* name = std::get_if<std::string>(value))
      tolerance.measure = *name == "natural_map" ? Measure::NaturalMap : Measure::Velocity;
  return tolerance;
}

std::vector<Finding> judge_run(const RunSummary& summary, const std::string& status, double smallest_size) {
  std::vector<Finding> findings;
  const auto find = [&](bool serious, const std::string& text) {
    Finding& finding = findings.emplace_back();
    finding.serious = serious;
    finding.text = text;
  };

  // A collapse that was asked to end the run did so.
  if (status != "complete" && !status.ends_with("collapsed"))
    find(true, fmt::format("the run is not complete: {}", status));
  if (summary.unsolved > 0)
    find(true, fmt::format("{} of {} steps were not solved to tolerance, the first is step {} ({})", summary.unsolved,
                           summary.steps, summary.first_unsolved, name_of(summary.first_unsolved_status)));
  if (summary.failed_impacts > 0)
    find(true, fmt::format("in {} of {} multiple impacts the law did not come to its end", summary.failed_impacts,
                           summary.impacts));
  if (smallest_size > 0 && !(summary.worst_penetration <= 0.01 * smallest_size))
    find(!(summary.worst_penetration <= 0.1 * smallest_size),
         fmt::format("bodies overlapped by up to {:.2g} m, {:.2g}% of the smallest body: a smaller step reduces it",
                     summary.worst_penetration, 100 * summary.worst_penetration / smallest_size));

  const EnergySummary& energy = summary.energy;
  if (!std::isfinite(energy.end)) find(true, "the energy is not finite");
  if (!(std::abs(energy.balance_error) <= 1e-6 * energy.scale))
    find(!(std::abs(energy.balance_error) <= 1e-2 * energy.scale),
         fmt::format("the energy balance is off by {:.2g} J ({:.2g}% of {:.3g} J)", energy.balance_error,
                     100 * std::abs(energy.balance_error) / energy.scale, energy.scale));
  // Resting contacts dissipate and create traces in turn, within the solver's tolerance.
  if (energy.created > 1e-6 * energy.scale)
    find(energy.created > 0.05 * energy.scale,
         fmt::format("contacts created {:.2g} J ({:.2g}% of {:.3g} J): impacts with friction and restitution may do so "
                     "under Newton's law, and solves within a loose tolerance",
                     energy.created, 100 * energy.created / energy.scale, energy.scale));
  return findings;
}

}  // namespace carom
