#include "app/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/terminal.h"

namespace carom {

namespace {

std::string residual_text(const RunSummary& summary, const SolverTolerance& tolerance) {
  const bool velocity = tolerance.measure == Measure::Velocity;
  const double worst = velocity ? summary.worst_velocity_residual : summary.worst_natural_residual;
  std::string text = fmt::format("worst {:.2e}{}, tolerance {:.2e}", worst, velocity ? " m/s" : "", tolerance.value);
  if (summary.unsolved == 0) return text + "; every step solved";
  return text + fmt::format("; {} of {} steps NOT solved, first {} ({})", with_commas(summary.unsolved),
                            with_commas(summary.steps), with_commas(summary.first_unsolved),
                            name_of(summary.first_unsolved_status));
}

// "solve 61%, detect 20%, ...": what took at least 1%, slowest first.
std::string phases_text(const PhaseTimes<StepPhase>& times) {
  std::vector<std::pair<double, StepPhase>> shares;
  const double total = times.total();
  for (int i = 0; total > 0 && i < static_cast<int>(StepPhase::Count); ++i) {
    const auto phase = static_cast<StepPhase>(i);
    if (times[phase] >= 0.01 * total) shares.emplace_back(times[phase] / total, phase);
  }
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [share, phase] : shares)
    text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : ", ", name_of(phase), 100 * share);
  return text.empty() ? "nothing measurable" : text;
}

std::string energy_text(const EnergySummary& energy) {
  // Rounding leaves traces of works that nobody did, and of energies that cancel.
  const auto matters = [&](double work) { return !(std::abs(work) <= 1e-12 * energy.scale); };
  std::string text = row("energy", fmt::format("{:.6g} J at the start, {:.6g} J at the end",
                                               matters(energy.start) ? energy.start : 0.0, energy.end));
  text += row("", fmt::format("contacts dissipated {:.4g} J and created {:.4g} J", energy.dissipated, energy.created));
  if (matters(energy.external_work) || matters(energy.boundary_work))
    text += row("", fmt::format("{} did {:.4g} J, moving bodies {:.4g} J",
                                matters(energy.joint_work) ? "loads and motors" : "loads", energy.external_work,
                                energy.boundary_work));
  if (matters(energy.joint_work)) text += row("", fmt::format("joints did {:.4g} J", energy.joint_work));
  if (matters(energy.projection_work))
    text += row("", fmt::format("position projection {:.4g} J", energy.projection_work));
  return text + row("", fmt::format("balance error {:.2g} J", energy.balance_error));
}

}  // namespace

std::string summary_text(const RunSummary& summary, const SolverPlan& solver) {
  std::string text;
  text += row("phases", phases_text(summary.phase_seconds));
  text +=
      row("contacts", fmt::format("{} at the end, {} at most, {:.4g} on average", with_commas(summary.contacts_last),
                                  with_commas(summary.contacts_most), summary.mean_contacts()));
  if (summary.steps_in_contact > 0) {
    text += row("solver", fmt::format("{}, {:.3g} iterations on average, {} at most", solver.name,
                                      summary.mean_iterations(), with_commas(summary.iterations_most)));
    text += row("residual", residual_text(summary, tolerance_of(solver)));
    if (summary.impacts > 0)
      text += row("impacts",
                  fmt::format("{} multiple impact{}{}", with_commas(summary.impacts), summary.impacts == 1 ? "" : "s",
                              summary.failed_impacts > 0
                                  ? fmt::format(", {} came to NO end", with_commas(summary.failed_impacts))
                                  : ""));
    text += row("penetration", fmt::format("worst {:.2e} m", summary.worst_penetration));
  }
  return text + energy_text(summary.energy);
}

void add_summary(const RunSummary& summary, const SolverPlan& solver, JsonObject& json) {
  JsonObject contacts;
  contacts.add("last", summary.contacts_last);
  contacts.add("most", summary.contacts_most);
  contacts.add("mean", summary.mean_contacts());
  json.add("contacts", contacts);

  const SolverTolerance tolerance = tolerance_of(solver);
  JsonObject figures;
  figures.add("name", solver.name);
  figures.add("iterations_mean", summary.mean_iterations());
  figures.add("iterations_most", summary.iterations_most);
  figures.add("tolerance", tolerance.value);
  figures.add("measure", tolerance.measure == Measure::Velocity ? "velocity" : "natural_map");
  figures.add("worst_velocity_residual", summary.worst_velocity_residual);
  figures.add("worst_natural_residual", summary.worst_natural_residual);
  figures.add("worst_residual_step", summary.worst_residual_step);
  figures.add("unsolved_steps", summary.unsolved);
  json.add("solver", figures);

  json.add("impacts", summary.impacts);
  json.add("failed_impacts", summary.failed_impacts);
  json.add("worst_penetration", summary.worst_penetration);
  json.add("worst_penetration_step", summary.worst_penetration_step);

  JsonObject energy;
  energy.add("start", summary.energy.start);
  energy.add("end", summary.energy.end);
  energy.add("dissipated", summary.energy.dissipated);
  energy.add("created", summary.energy.created);
  energy.add("external_work", summary.energy.external_work);
  energy.add("boundary_work", summary.energy.boundary_work);
  energy.add("joint_work", summary.energy.joint_work);
  energy.add("projection_work", summary.energy.projection_work);
  energy.add("balance_error", summary.energy.balance_error);
  energy.add("scale", summary.energy.scale);
  json.add("energy", energy);

  JsonObject phases;
  for (int i = 0; i < static_cast<int>(StepPhase::Count); ++i)
    phases.add(name_of(static_cast<StepPhase>(i)), summary.phase_seconds[static_cast<StepPhase>(i)]);
  json.add("phase_seconds", phases);
}

std::string findings_text(const std::vector<Finding>& findings) {
  const bool serious = std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.serious; });
  std::string text = row("trust", serious            ? "NOT without a second look:"
                                  : findings.empty() ? "no reason to doubt this run"
                                                     : "yes, knowing that");
  for (const Finding& finding : findings) text += row("", (finding.serious ? "! " : "- ") + finding.text);
  return text;
}

void add_findings(const std::vector<Finding>& findings, JsonObject& json) {
  std::vector<JsonObject> list;
  bool trusted = true;
  for (const Finding& finding : findings) {
    JsonObject entry;
    entry.add("serious", finding.serious);
    entry.add("text", finding.text);
    list.push_back(entry);
    trusted = trusted && !finding.serious;
  }
  json.add("trusted", trusted);
  json.add("findings", list);
}

double smallest_moving_size(const World& world) {
  double smallest = 0;
  const Colliders& colliders = world.colliders();
  for (std::size_t i = 0; i < colliders.shape.size(); ++i) {
    if (colliders.mobile[i] == 0 || colliders.alive[i] == 0) continue;
    const double size = colliders.shape[i].inner_radius();
    if (size > 0 && (smallest == 0 || size < smallest)) smallest = size;
  }
  return smallest;
}

}  // namespace carom
