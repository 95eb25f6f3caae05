#include "engine/rockfall/results.h"

#include <algorithm>

namespace carom::rockfall {

void Results::add(const Study& study, const TrajectoryRecord& record) {
  const TrajectorySummary& s = record.summary;
  cells.add(record, study.ground.cell_at(s.end.x(), s.end.y()));
  trajectories.push_back(s);
  for (const Crossing& c : record.crossings) crossings.push_back({s.number, s.volume, s.mass, c});
  if (!record.path.empty()) paths.push_back({s.number, record.path});
}

std::uint64_t Results::count(StopReason reason) const {
  return static_cast<std::uint64_t>(std::count_if(trajectories.begin(), trajectories.end(),
                                                  [&](const TrajectorySummary& t) { return t.reason == reason; }));
}

Distribution Results::over(double (*value)(const TrajectorySummary&)) const {
  std::vector<double> samples;
  samples.reserve(trajectories.size());
  for (const TrajectorySummary& t : trajectories) samples.push_back(value(t));
  return distribution_of(std::move(samples));
}

BarrierSummary summarize_barrier(const Results& results, std::uint32_t barrier) {
  BarrierSummary summary;
  std::vector<double> speed, translational, rotational, energy, height;
  std::uint64_t last = 0;
  for (const NumberedCrossing& n : results.crossings) {
    const Crossing& c = n.crossing;
    if (c.barrier != barrier) continue;
    ++summary.crossings;
    if (speed.empty() || n.trajectory != last) {
      for (auto* samples : {&speed, &translational, &rotational, &energy, &height}) samples->push_back(0);
      last = n.trajectory;
    }
    const auto raise = [](std::vector<double>& samples, double x) { samples.back() = std::max(samples.back(), x); };
    raise(speed, c.velocity.norm());
    raise(translational, c.translational);
    raise(rotational, c.rotational);
    raise(energy, c.translational + c.rotational);
    raise(height, c.height);
  }
  summary.trajectories = speed.size();
  if (!results.trajectories.empty())
    summary.ratio = static_cast<double>(speed.size()) / static_cast<double>(results.trajectories.size());
  summary.speed = distribution_of(std::move(speed));
  summary.translational = distribution_of(std::move(translational));
  summary.rotational = distribution_of(std::move(rotational));
  summary.energy = distribution_of(std::move(energy));
  summary.height = distribution_of(std::move(height));
  return summary;
}

}  // namespace carom::rockfall
