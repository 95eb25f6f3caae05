// Bodies without shapes, joined: what tests of joints build from.
#pragma once

#include <cmath>
#include <vector>

#include "engine/world.h"
#include "solvers/registry.h"

namespace carom {

inline constexpr double kGravity = 9.81;  // m/s^2, along -z

inline World world_of_joints(const std::string& solver = "nsgs", const StepOptions& options = {},
                             double tolerance = 1e-11) {
  World world(options);
  world.set_solver(make_solver(solver, {{"measure", "velocity"}, {"tolerance", tolerance}}));
  return world;
}

// A body of given mass and principal moments, turned about y by `tilt`.
struct Mass {
  double mass = 1;                     // kg
  Vec3 moments = Vec3(0.1, 0.1, 0.1);  // kg m^2
  Vec3 position = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 velocity = Vec3::Zero();
  Vec3 angular_velocity = Vec3::Zero();
};
inline BodyId add_mass(World& world, const Mass& m) {
  BodySpec spec;
  spec.mass = m.mass;
  spec.inertia = Mat3(m.moments.asDiagonal());
  spec.pose = {m.position, m.rotation};
  spec.velocity = m.velocity;
  spec.angular_velocity = m.angular_velocity;
  return world.add_body(spec);
}

// A thin rod from p to q in the plane of x and z, its x axis along it.
inline BodyId add_rod(World& world, const Vec3& p, const Vec3& q, double mass) {
  const double length = (q - p).norm(), moment = mass * length * length / 12;
  return add_mass(world, {.mass = mass,
                          .moments = Vec3(0.01 * moment, moment, 1.005 * moment),
                          .position = 0.5 * (p + q),
                          .rotation = Quat::FromTwoVectors(Vec3::UnitX(), q - p)});
}

inline double total_energy(const EnergyReport& e) { return e.kinetic + e.potential + e.elastic; }

// The slope of log(error) over log(h), least squares.
inline double observed_order(const std::vector<double>& h, const std::vector<double>& error) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double lx = std::log(h[i]), ly = std::log(std::abs(error[i]));
    x += lx, y += ly, xx += lx * lx, xy += lx * ly;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

// A revolute joint about y, at a point.
inline JointSpec hinge(std::optional<BodyId> a, std::optional<BodyId> b, const Vec3& anchor) {
  return {.type = JointType::Revolute, .a = a, .b = b, .anchor = anchor, .axis = Vec3::UnitY()};
}

}  // namespace carom
