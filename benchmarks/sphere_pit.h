// Spheres of radius 0.045 to 0.05 m in a pit with five walls, about to fall: on a loose lattice, or packed.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "engine/world.h"
#include "io/packing.h"

namespace carom {

// A pit of this half width and its material.
inline World empty_pit(double half, int threads, MaterialId& grain) {
  StepOptions options;
  options.threads.count = threads;
  options.projection = true;
  World world(options);
  grain = world.add_material({.name = "grain", .friction = 0.4});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), grain);
  for (const Vec3& outward : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
    world.add_half_space(-outward, half * outward, grain);
  return world;
}

inline World make_pit(int count, int threads) {
  const int side = std::max(2, static_cast<int>(std::cbrt(2.0 * count)));
  const double spacing = 0.102, half = 0.5 * spacing * side;
  MaterialId grain;
  World world = empty_pit(half, threads, grain);
  for (int i = 0; i < count; ++i) {
    RandomStream random(1, static_cast<std::uint64_t>(i));
    const Vec3 cell(i % side + 0.5, (i / side) % side + 0.5, i / (side * side) + 0.5);
    world.add_sphere(random.uniform(0.045, 0.05), grain,
                     {.position = spacing * cell - Vec3(half, half, 0) + 1e-3 * random.direction()});
  }
  return world;
}

// About `count` of them at a solid fraction of 0.58, still to fall by the gaps between them.
inline World make_packed_pit(int count, int threads) {
  const double mean_cube = (std::pow(0.05, 4) - std::pow(0.045, 4)) / (4 * 0.005);
  const double half = 0.5 * std::cbrt(count * 4.0 / 3.0 * M_PI * mean_cube / 0.58);
  const PackedGrains packed =
      pack_grains({.container = Container::box(Vec3(-half, -half, 0), Vec3(half, half, 2 * half)),
                   .sizes = SizeDistribution::uniform(0.045, 0.05),
                   .fraction = 0.58,
                   .gap = 1e-5},
                  {1, 0}, {threads});
  MaterialId grain;
  World world = empty_pit(half, threads, grain);
  for (std::size_t i = 0; i < packed.radii.size(); ++i)
    world.add_sphere(packed.radii[i], grain, {.position = packed.positions[i]});
  return world;
}

}  // namespace carom
