#include <algorithm>
#include <cmath>

#include "validation_cases.h"

namespace carom::validation {

namespace {

// How a scene is written down: units of length, mass and time, and the way it is turned.
struct Frame {
  double length = 1, mass = 1, time = 1;
  Quat turn = Quat::Identity();
};

// A block and five spheres fall, bounce and slide on a floor beside a wall; positions in the units of the first
// frame, turned back. Short enough for rounding not to be blown up by one collision after the other.
std::vector<Vec3> run_scene(const Frame& frame) {
  const double speed = frame.length / frame.time;
  World world = make_world(1e-13 * speed);
  world.set_gravity({frame.turn * Vec3(0, 0, -kGravity) * speed / frame.time, 0});
  const MaterialId m = world.add_material({.name = "all", .friction = 0.4, .restitution = 0.3});
  world.add_half_space(frame.turn * Vec3::UnitZ(), Vec3::Zero(), m);
  world.add_half_space(frame.turn * -Vec3::UnitX(), frame.turn * Vec3(1, 0, 0) * frame.length, m);
  const double density = 1000 * frame.mass / (frame.length * frame.length * frame.length);
  std::vector<BodyId> bodies;
  const auto place = [&](const Vec3& position, const Vec3& velocity) {
    return Placement{.position = frame.turn * position * frame.length,
                     .rotation = frame.turn,
                     .velocity = frame.turn * velocity * speed,
                     .density = density};
  };
  for (int k = 0; k < 5; ++k)
    bodies.push_back(world.add_sphere((0.08 + 0.01 * k) * frame.length, m,
                                      place(Vec3(0.05 * k, 0.03 * k, 0.25 + 0.21 * k), Vec3(1.5, 0.2 * k, 0))));
  Placement block = place(Vec3(-0.5, 0.6, 0.32), Vec3(1, -0.5, 0));
  block.rotation = frame.turn * Quat(Eigen::AngleAxisd(0.3, Vec3(1, 2, 3).normalized()));
  bodies.push_back(world.add_box(Vec3(0.3, 0.2, 0.15) * frame.length, m, block));

  for (int i = 0; i < 400; ++i) world.step(1e-3 * frame.time);
  std::vector<Vec3> positions;
  for (const BodyId body : bodies) positions.push_back(frame.turn.conjugate() * world.position(body) / frame.length);
  return positions;
}

double largest_difference(const Frame& frame) {
  const std::vector<Vec3> plain = run_scene({}), other = run_scene(frame);
  double worst = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) worst = std::max(worst, (plain[i] - other[i]).norm());
  return worst;
}

}  // namespace

double scaled_scene_error(double length_factor, double mass_factor) {
  return largest_difference({.length = length_factor, .mass = mass_factor});
}

double froude_scene_error(double length_factor) {
  return largest_difference({.length = length_factor,
                             .mass = length_factor * length_factor * length_factor,
                             .time = std::sqrt(length_factor)});
}

double turned_scene_error(const Quat& turn) { return largest_difference({.turn = turn}); }

MomentumChange colliding_free_spheres(const PairLaw& law, int steps, double h) {
  World world = make_world();
  world.set_gravity({Vec3::Zero(), 0});
  const MaterialId m = world.add_material({.name = "all",
                                           .friction = law.friction,
                                           .restitution = law.restitution,
                                           .tangential_restitution = law.tangential_restitution});
  // A cloud of 27 spheres that falls into itself, spinning.
  for (int k = 0; k < 27; ++k) {
    const Vec3 place(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
    const double s = k + 1;
    const Vec3 jitter(std::sin(3 * s), std::cos(5 * s), std::sin(7 * s));
    world.add_sphere(0.1 + 0.002 * k, m,
                     {.position = Vec3(5, -3, 2) + 0.5 * place + 0.05 * jitter,
                      .velocity = Vec3(1, 2, 3) - 2 * place + 0.3 * jitter,
                      .angular_velocity = 10 * Vec3(jitter.y(), jitter.z(), jitter.x())});
  }
  double momentum_sum = 0, angular_sum = 0;
  for (std::size_t i = 0; i < 27; ++i) {
    const double p = world.properties().mass[i] * world.state().velocity[i].norm();
    momentum_sum += p;
    angular_sum +=
        p * world.state().position[i].norm() + (world.properties().inertia[i] * world.state().spin[i]).norm();
  }
  const Vec3 linear = world.linear_momentum(), angular = world.angular_momentum();
  const double energy = world.energies().kinetic;

  MomentumChange change;
  std::vector<ContactRecord> contacts;
  for (int i = 0; i < steps; ++i) {
    world.step(h);
    world.contact_records(contacts);
    for (const ContactRecord& contact : contacts)
      if (contact.impulse.x() > 0) ++change.collisions;
  }
  change.linear = (world.linear_momentum() - linear).norm() / momentum_sum;
  change.angular = (world.angular_momentum() - angular).norm() / angular_sum;
  change.energy_ratio = world.energies().kinetic / energy;
  return change;
}

}  // namespace carom::validation
