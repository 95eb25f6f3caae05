// Many trajectories at once: each is a world of its own, the ground is shared.
#pragma once

#include "engine/rockfall/study.h"

namespace carom::rockfall {

class Ensemble {
 public:
  // The study outlives the ensemble.
  explicit Ensemble(const Study& study, Threads threads);

  // Trajectories first ... first + count - 1 into `records`, in this order. Threads take them as they come; the
  // outcome depends on the study and the number of a trajectory alone. Throws InputError for the first that cannot
  // start.
  void simulate(std::uint64_t first, std::uint64_t count, std::vector<TrajectoryRecord>& records);

 private:
  const Study& study_;
  Threads threads_;
  GroundDistance distance_;
  std::vector<std::unique_ptr<Simulator>> simulators_;  // one per thread
};

}  // namespace carom::rockfall
