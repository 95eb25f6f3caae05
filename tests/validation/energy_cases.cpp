#include <algorithm>
#include <cmath>

#include "validation_cases.h"

namespace carom::validation {

namespace {

MaterialId add_material(World& world, const PairLaw& law) {
  return world.add_material({.name = "all",
                             .friction = law.friction,
                             .restitution = law.restitution,
                             .tangential_restitution = law.tangential_restitution});
}

EnergyHistory record(World& world, const std::string& law_name, double tolerance, int steps, double h) {
  EnergyHistory history{.law = law_name, .steps = steps, .h = h};
  double mass = 0;
  for (const double body_mass : world.properties().mass) mass += body_mass;
  history.step_bound = mass * kGravity * kGravity * h * h / 8;
  const EnergyReport start = world.energies();
  double last = start.kinetic + start.potential;
  history.start = history.highest = last;
  history.solve_bound = tolerance * std::sqrt(2 * mass * last);
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = world.step(h);
    const double now = report.energy.kinetic + report.energy.potential;
    history.highest = std::max(history.highest, now);
    history.largest_rise = std::max(history.largest_rise, now - last);
    history.sum_of_rises += std::max(0.0, now - last);
    history.worst_balance_error = std::max(history.worst_balance_error, std::abs(report.energy.balance_error));
    if (report.status != SolveStatus::Solved) ++history.failed_solves;
    history.worst_residual = std::max(history.worst_residual, report.residuals.velocity_worst);
    last = now;
  }
  history.end = last;
  return history;
}

}  // namespace

std::vector<EnergyLaw> energy_laws() {
  return {{"no friction, e_n = 1", {.friction = 0, .restitution = 1}},
          {"no friction, e_n = 0.9", {.friction = 0, .restitution = 0.9}},
          {"mu = 0.5, e_n = 0", {.friction = 0.5, .restitution = 0}},
          {"mu = 0.5, e_n = 0.8, e_t = 1", {.friction = 0.5, .restitution = 0.8, .tangential_restitution = 1}},
          {"mu = 0.5, e_n = 1, e_t = 1", {.friction = 0.5, .restitution = 1, .tangential_restitution = 1}}};
}

EnergyHistory spheres_in_a_box(const std::string& law_name, const PairLaw& law, int steps, double h) {
  const double side = 1, tolerance = 1e-10;  // m, m/s
  World world = make_world(tolerance);
  const MaterialId m = add_material(world, law);
  for (int axis = 0; axis < 3; ++axis) {
    world.add_half_space(Vec3::Unit(axis), Vec3::Zero(), m);
    world.add_half_space(-Vec3::Unit(axis), Vec3::Constant(side), m);
  }
  // Eight spheres of several sizes at the corners of a smaller cube, thrown and spinning every way.
  for (int k = 0; k < 8; ++k) {
    const Vec3 corner((k & 1) != 0 ? 0.73 : 0.27, (k & 2) != 0 ? 0.75 : 0.25, (k & 4) != 0 ? 0.7 : 0.3);
    const double s = k + 1;
    world.add_sphere(0.1 + 0.01 * k, m,
                     {.position = corner,
                      .velocity = 2 * Vec3(std::sin(3 * s), std::cos(5 * s), std::sin(7 * s)),
                      .angular_velocity = 10 * Vec3(std::cos(2 * s), std::sin(4 * s), std::cos(6 * s))});
  }

  return record(world, law_name, tolerance, steps, h);
}

EnergyHistory bouncing_block(const std::string& law_name, const PairLaw& law, int steps, double h) {
  const double tolerance = 1e-8;  // m/s
  World world = make_world(tolerance);
  const MaterialId m = add_material(world, law);
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  world.add_box(Vec3(0.3, 0.2, 0.1), m,
                {.position = Vec3(0, 0, 0.7),
                 .rotation = Quat(Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized())),
                 .velocity = Vec3(0.3, 0.1, 0)});
  return record(world, law_name, tolerance, steps, h);
}

}  // namespace carom::validation
