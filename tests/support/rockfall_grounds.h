// Grounds, blocks and releases that tests of rockfall studies share.
#pragma once

#include <cmath>

#include "engine/rockfall/ensemble.h"
#include "ground_surfaces.h"

namespace carom::ground {

// A plane that falls along +x by `angle` (rad): z = (length - x) tan(angle).
inline std::shared_ptr<const HeightField> incline(double angle, double length = 400, double cell = 2) {
  const auto samples = static_cast<std::uint32_t>(length / cell) + 1;
  return field(samples, 31, cell, [&](double x, double) { return (length - x) * std::tan(angle); });
}

// Steep and rough: up to 70 degrees in places.
inline std::shared_ptr<const HeightField> rough_slope(std::uint32_t cells, double cell, double relief,
                                                      std::uint64_t seed) {
  RandomStream random(seed, 3);
  const double length = cells * cell;
  return field(cells + 1, cells + 1, cell, [&](double x, double y) {
    return 0.7 * (length - x) + 2 * cell * std::sin(0.9 * x / cell) * std::cos(0.7 * y / cell) +
           random.uniform(0, relief);
  });
}

inline rockfall::Study study_on(std::shared_ptr<const HeightField> field, const rockfall::GroundClass& ground) {
  rockfall::Study study;
  study.ground.field = std::move(field);
  study.ground.classes = {ground};
  study.kinds = {rockfall::BlockKind{}};
  rockfall::Release release;
  release.points = {{10, 30}};
  release.kinds = {0};
  study.releases = {release};
  return study;
}

inline std::vector<rockfall::TrajectoryRecord> run(const rockfall::Study& study, int threads = 1) {
  rockfall::Ensemble ensemble(study, Threads{threads});
  std::vector<rockfall::TrajectoryRecord> records;
  ensemble.simulate(0, study.trajectories(), records);
  return records;
}

}  // namespace carom::ground
