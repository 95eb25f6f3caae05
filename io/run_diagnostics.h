// What a run file tells of every step.
#pragma once

#include <vector>

#include "engine/step_report.h"

namespace carom {

struct RunDiagnostics {  // one entry per step
  std::vector<std::int64_t> step;
  std::vector<double> time, kinetic, potential, external_work, boundary_work, contact_work, projection_work,
      balance_error;
  std::vector<int> contacts, islands, largest_island, iterations, status;
  std::vector<int> impacts, failed_impacts;  // 0 in files of older versions
  std::vector<double> elastic, joint_work, worst_joint_error;  // 0 in files of older versions
  std::vector<double> support_reaction;                        // three per step
  std::vector<int> broken_bonds;
  std::vector<double> residual_natural, residual_velocity, worst_penetration;
  std::vector<PhaseTimes<StepPhase>> phase_seconds;
};

}  // namespace carom
