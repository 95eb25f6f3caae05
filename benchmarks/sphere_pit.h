// Spheres of radius 0.045 to 0.05 m on a loose lattice in a pit with five walls, about to fall.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "engine/world.h"

namespace carom {

inline World make_pit(int count, int threads) {
  StepOptions options;
  options.threads.count = threads;
  options.projection = true;
  World world(options);
  const MaterialId grain = world.add_material({.name = "grain", .friction = 0.4});
  const int side = std::max(2, static_cast<int>(std::cbrt(2.0 * count)));
  const double spacing = 0.102, half = 0.5 * spacing * side;
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), grain);
  for (const Vec3& outward : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
    world.add_half_space(-outward, half * outward, grain);
  for (int i = 0; i < count; ++i) {
    RandomStream random(1, static_cast<std::uint64_t>(i));
    const Vec3 cell(i % side + 0.5, (i / side) % side + 0.5, i / (side * side) + 0.5);
    world.add_sphere(random.uniform(0.045, 0.05), grain,
                     {.position = spacing * cell - Vec3(half, half, 0) + 1e-3 * random.direction()});
  }
  return world;
}

}  // namespace carom
