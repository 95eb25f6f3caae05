// Worlds that several tests step.
#pragma once

#include "base/random.h"
#include "engine/world.h"

namespace carom {

// `count` spheres of mixed sizes dropped in layers into a square pit of half-spaces.
inline World pile_world(int count, const StepOptions& options = {},
                        const Material& material = {.name = "grain", .friction = 0.4}) {
  World world(options);
  const MaterialId grain = world.add_material(material);
  constexpr double kSpacing = 0.11;
  const int side = std::max(1, static_cast<int>(std::cbrt(static_cast<double>(count))));
  const double half = 0.5 * kSpacing * side;
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), grain);
  world.add_half_space(Vec3::UnitX(), Vec3(-half, 0, 0), grain);
  world.add_half_space(-Vec3::UnitX(), Vec3(half, 0, 0), grain);
  world.add_half_space(Vec3::UnitY(), Vec3(0, -half, 0), grain);
  world.add_half_space(-Vec3::UnitY(), Vec3(0, half, 0), grain);
  for (int i = 0; i < count; ++i) {
    RandomStream random(7, static_cast<std::uint64_t>(i));
    const Vec3 cell(i % side, (i / side) % side, i / (side * side));
    const Vec3 centre = kSpacing * (cell + Vec3(0.5, 0.5, 0.5)) - Vec3(half, half, 0);
    world.add_sphere(random.uniform(0.03, 0.05), grain,
                     {.position = centre + 0.003 * random.direction(), .velocity = 0.1 * random.direction()});
  }
  return world;
}

}  // namespace carom
