// All that a study has found so far. Records are added in the order of their numbers.
#pragma once

#include "engine/rockfall/statistics.h"
#include "engine/rockfall/study.h"

namespace carom::rockfall {

struct NumberedCrossing {
  std::uint64_t trajectory = 0;
  double volume = 0, mass = 0;  // of the block
  Crossing crossing;
};

struct NumberedPath {
  std::uint64_t trajectory = 0;
  std::vector<PathPoint> points;
};

struct Results {
  explicit Results(const Study& study) : cells(study.ground.cells()) {}

  CellStatistics cells;
  std::vector<TrajectorySummary> trajectories;
  std::vector<NumberedCrossing> crossings;
  std::vector<NumberedPath> paths;

  void add(const Study& study, const TrajectoryRecord& record);

  std::uint64_t count(StopReason reason) const;
  Distribution over(double (*value)(const TrajectorySummary&)) const;
};

// What a barrier met: of each trajectory that crossed it the largest values.
struct BarrierSummary {
  std::uint64_t trajectories = 0;  // that crossed it
  std::uint64_t crossings = 0;
  double ratio = 0;  // of all trajectories
  Distribution speed, translational, rotational, energy, height;
};
BarrierSummary summarize_barrier(const Results& results, std::uint32_t barrier);

}  // namespace carom::rockfall
