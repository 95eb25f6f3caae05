#include <cmath>

#include "block_cases.h"

namespace carom::validation {

// A row of dominoes (height l, width l/2, thickness l/8, spaced by l/2 from face to face); the first is given a spin
// that just topples it.
Dominoes dominoes(double length, double gravity, double h) {
  const int count = 16;
  const double thickness = length / 8, pitch = 0.5 * length + thickness;
  World world = make_block_world(1e-8);
  world.set_gravity({Vec3(0, 0, -gravity), 0});
  const MaterialId m = world.add_material({.name = "domino", .friction = 0.3});
  const MaterialId floor = world.add_material({.name = "floor", .friction = 0.8});
  world.set_pair(m, floor, {.friction = 0.8});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), floor);
  const double push = 0.8 * std::sqrt(gravity / length);  // rad/s
  for (int i = 0; i < count; ++i) {
    Placement at{.position = Vec3(i * pitch, 0, 0.5 * length)};
    // about its front lower edge
    if (i == 0) {
      at.angular_velocity = Vec3(0, push, 0);
      at.velocity = at.angular_velocity.cross(Vec3(-0.5 * thickness, 0, 0.5 * length));
    }
    world.add_box(Vec3(thickness, 0.5 * length, length), m, at);
  }
  // The front is at a domino when that has turned by so many rad.
  constexpr double kTurned = 0.05;
  std::vector<double> reached;
  Dominoes result{.length = length, .gravity = gravity};
  while (static_cast<int>(reached.size()) < count && world.time() < 40 * std::sqrt(length / gravity) + count * h) {
    if (world.step(h).status != SolveStatus::Solved) ++result.failed_solves;
    while (static_cast<int>(reached.size()) < count) {
      const BodyId next = world.id_of(static_cast<int>(reached.size()) + 1);
      const Quat q = world.rotation(next);
      const double beyond = 2 * std::atan2(q.y(), q.w()) - kTurned;
      if (beyond < 0) break;
      reached.push_back(world.time() - beyond / world.angular_velocity(next).y());
    }
  }
  if (static_cast<int>(reached.size()) < count) return result;
  const auto speed = [&](std::size_t from, std::size_t to) {
    return static_cast<double>(to - from) * pitch / (reached[to] - reached[from]);
  };
  result.front_speed = speed(count / 2, count - 1);
  result.froude = result.front_speed / std::sqrt(gravity * length);
  result.evenness = std::abs(speed(count / 2, 3 * count / 4) / speed(3 * count / 4, count - 1) - 1);
  return result;
}

}  // namespace carom::validation
