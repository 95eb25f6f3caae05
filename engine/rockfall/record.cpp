#include "engine/rockfall/record.h"

#include <cmath>

namespace carom::rockfall {

std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::AtRest:
      return "at_rest";
    case StopReason::LeftMap:
      return "left_map";
    case StopReason::TimeLimit:
      return "time_limit";
    case StopReason::BelowGround:
      return "below_ground";
    case StopReason::Failed:
      return "failed";
  }
  return "unknown";
}

double TrajectorySummary::energy_line_angle() const { return std::atan2(start.z() - end.z(), runout()); }

}  // namespace carom::rockfall
