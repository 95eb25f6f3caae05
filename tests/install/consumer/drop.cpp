// A ball dropped on a half-space comes to rest on its surface.
#include <base/version.h>
#include <engine/world.h>

#include <cmath>
#include <cstdio>

int main() {
  carom::World world;
  const carom::MaterialId rubber = world.add_material({.name = "rubber", .friction = 0.8, .restitution = 0.5});
  world.add_half_space(carom::Vec3::UnitZ(), carom::Vec3::Zero(), rubber);
  const carom::BodyId ball = world.add_sphere(0.1, rubber, {.position = carom::Vec3(0, 0, 0.5)});
  while (world.time() < 3.0) world.step(1e-3);

  const double height = world.position(ball).z();
  const double speed = world.velocity(ball).norm();
  std::printf("carom %s: height %.6f m, speed %.2e m/s\n", carom::kVersion, height, speed);
  return std::abs(height - 0.1) < 1e-2 && speed < 1e-6 ? 0 : 1;
}
