#include <algorithm>
#include <cmath>
#include <numbers>

#include "validation_cases.h"

namespace carom::validation {

namespace {

World weightless_world() {
  World world = make_world();
  world.set_gravity({Vec3::Zero(), 0});
  return world;
}

BodySpec spinning(const Vec3& moments, const Vec3& spin) {
  BodySpec spec;
  spec.mass = 1;
  spec.inertia = Mat3(moments.asDiagonal());
  spec.angular_velocity = spin;
  return spec;
}

}  // namespace

std::vector<Measurement> free_rotation_invariants(double h) {
  World world = weightless_world();
  BodySpec spec = spinning(Vec3(1, 2, 2.9), Vec3(1, 4, 0.5));
  spec.velocity = Vec3(0.3, -0.2, 0.1);
  spec.pose.position = Vec3(1, 2, 3);
  world.add_body(spec);
  const double energy = world.energies().kinetic;
  const Vec3 momentum = world.angular_momentum();
  double worst_energy = 0, worst_size = 0, worst_direction = 0;
  for (int i = 0; i < 10000; ++i) {
    world.step(h);
    const Vec3 now = world.angular_momentum();
    worst_energy = std::max(worst_energy, std::abs(world.energies().kinetic / energy - 1));
    worst_size = std::max(worst_size, std::abs(now.norm() / momentum.norm() - 1));
    worst_direction = std::max(worst_direction, (now - momentum).norm() / momentum.norm());
  }
  return {{"free body, 10^4 steps: change of energy", 0, worst_energy, 1, h},
          {"free body, 10^4 steps: change of the size of angular momentum", 0, worst_size, 1, h},
          {"free body, 10^4 steps: change of the vector of angular momentum", 0, worst_direction, 1, h}};
}

Measurement symmetric_precession(double h) {
  const double I1 = 1, I3 = 1.7, w3 = 5;
  World world = weightless_world();
  const BodyId body = world.add_body(spinning(Vec3(I1, I1, I3), Vec3(0.7, 0, w3)));
  double angle = 0;
  Vec3 last(0.7, 0, w3);
  while (world.time() < 10) {
    world.step(h);
    const Vec3 now = world.rotation(body).conjugate() * world.angular_velocity(body);
    angle += std::atan2(last.x() * now.y() - last.y() * now.x(), last.x() * now.x() + last.y() * now.y());
    last = now;
  }
  const double exact = (I3 - I1) * w3 / I1;
  return {"symmetric top: rate of precession in the body, rad/s", exact, angle / world.time(), exact, h};
}

Convergence symmetric_precession_convergence() {
  Convergence c{"symmetric top: rate of precession", {}, {}};
  for (int k = 0; k < 5; ++k) c.h.push_back(0.02 / std::pow(2.0, k));
  for (const double h : c.h) c.error.push_back(symmetric_precession(h).error());
  return c;
}

Measurement middle_axis_flip(double h) {
  const Vec3 moments(1, 2, 2.9), spin(0.01, 5, 0.02);
  World world = weightless_world();
  const BodyId body = world.add_body(spinning(moments, spin));
  std::vector<double> crossings;
  double last = spin.y();
  while (crossings.size() < 9) {
    world.step(h);
    const double now = (world.rotation(body).conjugate() * world.angular_velocity(body)).y();
    if (last * now < 0) crossings.push_back(world.time() - h * now / (now - last));
    last = now;
  }
  const double ours = (crossings.back() - crossings.front()) / 8;

  // Landau & Lifshitz, Mechanics, section 37: with I1 < I2 < I3, swapped when L^2 < 2 E I2.
  double I1 = moments.x(), I3 = moments.z();
  const double I2 = moments.y();
  const double twice_energy = moments.dot(spin.cwiseProduct(spin));
  const double L2 = moments.cwiseProduct(spin).squaredNorm();
  if (L2 < twice_energy * I2) std::swap(I1, I3);
  const double rate = std::sqrt((I3 - I2) * (L2 - twice_energy * I1) / (I1 * I2 * I3));
  const double k2 = (I2 - I1) * (twice_energy * I3 - L2) / ((I3 - I2) * (L2 - twice_energy * I1));
  const double exact = 2 * std::comp_ellint_1(std::sqrt(k2)) / rate;
  return {"middle axis flips (Dzhanibekov): time between flips, s", exact, ours, exact, h};
}

}  // namespace carom::validation
