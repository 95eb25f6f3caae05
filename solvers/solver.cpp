#include "solvers/solver.h"

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

}  // namespace carom
