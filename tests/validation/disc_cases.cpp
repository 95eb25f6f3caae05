#include <cmath>
#include <numbers>

#include "block_cases.h"

namespace carom::validation {

namespace {

constexpr double kRadius = 0.04, kHalfThickness = 0.001;  // m

// Omega^2 sin(a) of the steady motion with the centre at rest. With e_d down along the steepest diameter, e_3 the
// axis, and rho = R e_d - d e_3 from the centre to the contact: no slip asks for spin along rho,
//     spin = -Omega sin(a) e_d + Omega sin(a) d/R e_3,
// and Omega z x L = rho x m g z gives
//     Omega^2 sin(a) (I_1 cos(a) - I_3 sin(a) d/R) = m g (R cos(a) - d sin(a)).
// A thin disc, I_1 = m R^2/4, has Omega^2 sin(a) = 4 g/R.
double steady(double a) {
  const double I1 = kRadius * kRadius / 4 + kHalfThickness * kHalfThickness / 3, I3 = kRadius * kRadius / 2;
  return kGravity * (kRadius * std::cos(a) - kHalfThickness * std::sin(a)) /
         (I1 * std::cos(a) - I3 * std::sin(a) * kHalfThickness / kRadius);
}

}  // namespace

EulerDisc euler_disc(double degrees, double h) {
  const double a = degrees * std::numbers::pi / 180, rate = std::sqrt(steady(a) / std::sin(a));
  World world = make_block_world();
  const MaterialId m = world.add_material({.name = "steel", .friction = 0.5});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  BodySpec spec;
  spec.pose = {Vec3(0, 0, kRadius * std::sin(a) + kHalfThickness * std::cos(a)),
               Quat(Eigen::AngleAxisd(a, Vec3::UnitY()))};
  const Vec3 e_d = spec.pose.rotation * Vec3::UnitX(), e_3 = spec.pose.rotation * Vec3::UnitZ();
  spec.angular_velocity = rate * std::sin(a) * (kHalfThickness / kRadius * e_3 - e_d);
  spec.density = 7800;
  spec.colliders = {{Shape::cylinder(kRadius, kHalfThickness), m, {}}};
  const BodyId disc = world.add_body(spec);

  // Ten turns of the lowest point; its azimuth is that of the axis.
  const double duration = 10 * 2 * std::numbers::pi / rate;
  EulerDisc result;
  double azimuth = 0, mean = 0, sines = 0;
  int steps = 0;
  while (world.time() < duration) {
    world.step(h);
    const Vec3 axis = world.rotation(disc) * Vec3::UnitZ();
    const double now = std::atan2(axis.y(), axis.x());
    azimuth += std::remainder(now - azimuth, 2 * std::numbers::pi);
    const double sine = std::hypot(axis.x(), axis.y());
    mean += std::asin(sine), sines += sine, ++steps;
    result.centre_wandered = std::max(result.centre_wandered, world.position(disc).head<2>().norm() / kRadius);
  }
  mean /= steps, sines /= steps;
  const double turned = azimuth / world.time();
  result.degrees = mean * 180 / std::numbers::pi;
  result.ratio = turned * turned * sines * kRadius / (4 * kGravity);
  result.exact = steady(mean) * kRadius / (4 * kGravity);
  return result;
}

}  // namespace carom::validation
