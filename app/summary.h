// The figures of a run as text for people and as JSON for programs; `carom run` and `carom info` share them.
#pragma once

#include "io/json.h"
#include "io/run_summary.h"

namespace carom {

// Rows "label  value": contacts, solver, residual, penetration, energy, phases.
std::string summary_text(const RunSummary& summary, const SolverPlan& solver);
// The same under the keys contacts, solver, penetration, energy, phases.
void add_summary(const RunSummary& summary, const SolverPlan& solver, JsonObject& json);

std::string findings_text(const std::vector<Finding>& findings);
void add_findings(const std::vector<Finding>& findings, JsonObject& json);

// Smallest radius or half extent of the moving bodies, for judge_run; 0 when nothing moves.
double smallest_moving_size(const World& world);

}  // namespace carom
