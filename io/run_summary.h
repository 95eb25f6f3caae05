// What a whole run amounts to: summed up from step reports while it runs, or from a run file afterwards.
#pragma once

#include "io/run_reader.h"

namespace carom {

// Sums over all steps, J. "end" is at the last step seen.
struct EnergySummary {
  double start = 0;  // kinetic + potential + elastic before the first step
  double end = 0;
  double external_work = 0;
  double boundary_work = 0;
  double dissipated = 0;  // by contacts, >= 0
  double created = 0;     // by contacts, >= 0: Newton's law with friction may do so
  double joint_work = 0;  // by joints but for motors
  double projection_work = 0;
  double balance_error = 0;  // sum of the steps' errors, with sign
  double scale = 0;          // largest of kinetic energy and works, what an error is small against
};

struct RunSummary {
  std::int64_t steps = 0;
  double time = 0;  // at the end of the last step, s
  PhaseTimes<StepPhase> phase_seconds;

  int contacts_last = 0;
  int contacts_most = 0;
  std::int64_t contact_sum = 0;

  std::int64_t steps_in_contact = 0;  // steps with a problem to solve
  std::int64_t iteration_sum = 0;
  int iterations_most = 0;
  double worst_velocity_residual = 0;    // m/s
  double worst_natural_residual = 0;     // relative to |q|
  std::int64_t worst_residual_step = 0;  // of the velocity residual
  std::int64_t unsolved = 0;             // steps whose solve missed its tolerance
  std::int64_t first_unsolved = 0;       // number of the first such step
  SolveStatus first_unsolved_status = SolveStatus::Solved;

  std::int64_t impacts = 0;         // islands struck under a law other than newton
  std::int64_t failed_impacts = 0;  // of these, where the law did not come to its end

  double worst_penetration = 0;  // m
  std::int64_t worst_penetration_step = 0;

  Vec3 support_sum = Vec3::Zero();  // N: of the support reactions of all steps
  double worst_joint_error = 0;     // m or rad
  int broken_bonds = 0;             // cohesive interfaces, at the end
  double first_break = 0;           // s: when the first of them broke

  EnergySummary energy;

  void add(const StepReport& report);
  double mean_contacts() const { return steps > 0 ? double(contact_sum) / double(steps) : 0; }
  double mean_iterations() const { return steps_in_contact > 0 ? double(iteration_sum) / double(steps_in_contact) : 0; }
};

// Of the steps in a run file up to step number `last_step`.
RunSummary summarize(const RunDiagnostics& diagnostics,
                     std::int64_t last_step = std::numeric_limits<std::int64_t>::max());

// What a scene's solver is asked for.
struct SolverTolerance {
  double value = 0;
  Measure measure = Measure::Velocity;
};
SolverTolerance tolerance_of(const SolverPlan& plan);

// Reasons to doubt a run, or to know something about it. A run without a serious finding may be trusted as far as the
// program can tell.
struct Finding {
  bool serious = false;
  std::string text;
};
// `smallest_size` is the smallest radius or half extent of a moving body (m); 0 when unknown.
std::vector<Finding> judge_run(const RunSummary& summary, const std::string& status, double smallest_size);

}  // namespace carom
