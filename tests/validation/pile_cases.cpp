#include <cmath>
#include <numbers>

#include "block_cases.h"

namespace carom::validation {

namespace {

constexpr double kStep = 1e-3;   // s
constexpr double kPlenty = 1.5;  // of friction
constexpr int kSteps = 200;
constexpr double kMoved = 1e-8;  // m: far above what solves within 1e-10 m/s leave, far below any fall

struct Surfaces {
  MaterialId body, ground;
};

// Bodies that rub on each other with one coefficient and on the ground with another.
Surfaces add_surfaces(World& world, double between, double ground) {
  const Surfaces s{world.add_material({.name = "body"}), world.add_material({.name = "ground"})};
  world.set_pair(s.body, s.body, {.friction = between});
  world.set_pair(s.body, s.ground, {.friction = ground});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), s.ground);
  return s;
}

StepOptions in_plane() {
  StepOptions options;
  options.planar = Vec3::UnitY();
  return options;
}

double least_friction(const std::function<bool(double)>& holds) { return threshold(0.01, 1, holds); }

// A capsule of radius kRounding from `foot` (centre of its cap) along (sin, cos) of the angle from the vertical.
constexpr double kRounding = 1e-3, kLength = 1;  // m
void add_stick(World& world, MaterialId m, const Vec3& foot, double angle) {
  BodySpec spec;
  spec.pose = {foot + 0.5 * kLength * Vec3(std::sin(angle), 0, std::cos(angle)),
               Quat(Eigen::AngleAxisd(angle, Vec3::UnitY()))};
  spec.colliders = {{Shape::capsule(kRounding, 0.5 * kLength), m, {}}};
  world.add_body(spec);
}

}  // namespace

Measurement three_cylinders(bool ground) {
  const double r = 0.1, root = std::sqrt(3.0);
  const auto holds = [&](double mu) {
    World world = make_block_world(1e-10, in_plane());
    const Surfaces s = add_surfaces(world, ground ? kPlenty : mu, ground ? mu : kPlenty);
    for (const Vec3& x : {Vec3(-r, 0, r), Vec3(r, 0, r), Vec3(0, 0, r + root * r)})
      world.add_sphere(r, s.body, {.position = x});
    return stays(world, kSteps, kStep, kMoved);
  };
  const double exact = ground ? (2 - root) / 3 : 2 - root;
  return {ground ? "three cylinders piled: least friction on the ground" : "three cylinders piled: least friction",
          exact, least_friction(holds), exact, kStep};
}

Measurement four_spheres(bool ground) {
  const double r = 0.1, root = std::sqrt(3.0) - std::sqrt(2.0), from_axis = 2 * r / std::sqrt(3.0);
  const auto holds = [&](double mu) {
    World world = make_block_world();
    const Surfaces s = add_surfaces(world, ground ? kPlenty : mu, ground ? mu : kPlenty);
    for (int k = 0; k < 3; ++k) {
      const double angle = 2 * std::numbers::pi * k / 3;
      world.add_sphere(r, s.body, {.position = Vec3(from_axis * std::cos(angle), from_axis * std::sin(angle), r)});
    }
    world.add_sphere(r, s.body, {.position = Vec3(0, 0, r + std::sqrt(8.0 / 3.0) * r)});
    return stays(world, kSteps, kStep, kMoved);
  };
  const double exact = ground ? root / 4 : root;
  return {ground ? "four spheres piled: least friction on the ground" : "four spheres piled: least friction", exact,
          least_friction(holds), exact, kStep};
}

// Caps are round: the ground's reaction acts rho below the foot, the other card's rho beside the tip, so that
//     mu (rho + l cos) = l/2 sin
Measurement card_house(double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const auto holds = [&](double mu) {
    World world = make_block_world(1e-10, in_plane());
    const Surfaces s = add_surfaces(world, kPlenty, mu);
    for (const double side : {-1.0, 1.0})
      add_stick(world, s.body, Vec3(side * (kRounding + kLength * std::sin(angle)), 0, kRounding), -side * angle);
    return stays(world, kSteps, kStep, kMoved);
  };
  const double exact = 0.5 * kLength * std::sin(angle) / (kRounding + kLength * std::cos(angle));
  return {"card house: least friction on the ground", exact, least_friction(holds), exact, kStep};
}

// N_ground (1 + mu^2) = m g where both ends are about to slip; moments about the foot's contact:
//     l/2 sin (1 + mu^2) = mu (rho + l cos) + mu^2 (rho + l sin)
Measurement ladder(double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const double across = kLength * std::sin(angle), up = kLength * std::cos(angle);
  const auto holds = [&](double mu) {
    World world = make_block_world(1e-10, in_plane());
    const Surfaces s = add_surfaces(world, mu, mu);
    world.add_half_space(-Vec3::UnitX(), Vec3(across + kRounding, 0, 0), s.ground);
    add_stick(world, s.body, Vec3(0, 0, kRounding), angle);
    return stays(world, kSteps, kStep, kMoved);
  };
  const double a = kRounding + 0.5 * across, b = kRounding + up, c = -0.5 * across;
  const double exact = (-b + std::sqrt(b * b - 4 * a * c)) / (2 * a);
  return {"ladder: least friction at both ends", exact, least_friction(holds), exact, kStep};
}

Measurement overhang(int bricks) {
  const Vec3 size(0.2, 0.1, 0.05);
  double harmonic = 0;
  for (int k = 1; k <= bricks; ++k) harmonic += 0.5 / k;
  const auto falls = [&](double share) {
    World world = make_block_world();
    const MaterialId m = world.add_material({.name = "brick", .friction = 0.7});
    world.add_fixed(Shape::box(Vec3(0.5, 0.2, 0.05)), m, {Vec3(-0.5, 0, -0.05), Quat::Identity()});
    double end = 0;  // of the brick below, or of the table
    for (int k = bricks; k >= 1; --k) {
      end += share * size.x() * 0.5 / k;
      world.add_box(size, m, {.position = Vec3(end - 0.5 * size.x(), 0, (bricks - k + 0.5) * size.z())});
    }
    return !stays(world, kSteps, kStep, kMoved);
  };
  return {"bricks stacked with overhang: the most, brick lengths", harmonic, harmonic * threshold(0.9, 1.1, falls),
          harmonic, kStep};
}

}  // namespace carom::validation
