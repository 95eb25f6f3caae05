#include "solvers/solver.h"

#include <fmt/format.h>

namespace carom {

std::string_view name_of(SolveStatus status) {
  switch (status) {
    case SolveStatus::Solved:
      return "solved";
    case SolveStatus::MaxIterations:
      return "max_iterations";
    case SolveStatus::MaxTime:
      return "max_time";
    case SolveStatus::Stalled:
      return "stalled";
    case SolveStatus::NumericalError:
      return "numerical_error";
    case SolveStatus::Infeasible:
      return "infeasible";
    case SolveStatus::RayTermination:
      return "ray_termination";
  }
  return "unknown";
}

std::string_view name_of(Measure measure) {
  switch (measure) {
    case Measure::NaturalMap:
      return "natural_map";
    case Measure::Velocity:
      return "velocity";
  }
  return "unknown";
}

std::string told_by(const SolveReport& report) {
  std::string text;
  for (const Stage& stage : report.stages) {
    if (stage.solver.empty()) continue;
    text += fmt::format("{}{} {} iteration{}", text.empty() ? "" : ", ", stage.solver, stage.iterations,
                        stage.iterations == 1 ? "" : "s");
    if (stage.parts > 0)
      text += fmt::format(" on {} of {} part{}", stage.parts, report.parts, report.parts == 1 ? "" : "s");
  }
  if (!text.empty() && !report.message.empty()) text += "; ";
  return text + report.message;
}

}  // namespace carom
