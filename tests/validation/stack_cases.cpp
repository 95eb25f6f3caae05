#include <algorithm>
#include <cmath>
#include <numbers>

#include "block_cases.h"

namespace carom::validation {

namespace {

// Steps a scene that should stay as it is.
RestCost stay(std::string name, World& world, BodyId body, int steps) {
  RestCost cost{.body = std::move(name)};
  const Vec3 start = world.position(body);
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = world.step(1e-3);
    cost.mean_iterations += static_cast<double>(report.iterations) / steps;
    cost.worst_iterations = std::max(cost.worst_iterations, report.iterations);
    if (report.status != SolveStatus::Solved) ++cost.failed_solves;
  }
  cost.drift = (world.position(body) - start).norm();
  return cost;
}

MaterialId rough_floor(World& world) {
  const MaterialId m = world.add_material({.name = "rough", .friction = 0.5});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  return m;
}

// Steps a stack whose floor is the first body, and weighs it over the last hundred steps.
void weigh(World& world, BodyId top, double weight, int steps, Stack& stack) {
  const int settled = 100;
  const double start = world.position(top).z();
  double impulse = 0;
  std::vector<ContactRecord> contacts;
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = world.step(stack.h);
    if (report.status != SolveStatus::Solved) ++stack.failed_solves;
    if (i == 0) stack.first_iterations = report.iterations;
    stack.worst_iterations = std::max(stack.worst_iterations, report.iterations);
    if (i < steps - settled) continue;
    stack.settled_iterations += static_cast<double>(report.iterations) / settled;
    stack.worst_settled_iterations = std::max(stack.worst_settled_iterations, report.iterations);
    world.contact_records(contacts);
    for (const ContactRecord& contact : contacts)
      if (contact.body_a == 0 || contact.body_b == 0) impulse += std::abs(contact.impulse_world.z());
  }
  stack.base_error = std::abs(impulse / (settled * stack.h) - weight) / weight;
  stack.fall = start - world.position(top).z();
}

}  // namespace

Stack sphere_stack(int height, double mass_ratio_top) {
  Stack stack{.height = height};
  // The overlap keeps contacts that move within the solver's tolerance closed.
  const double radius = 0.1, overlap = 1e-7, bottom_density = 1000;
  World world = make_world(stack.tolerance);
  const MaterialId m = rough_floor(world);
  double mass = 0;
  BodyId top;
  for (int i = 0; i < height; ++i) {
    const double ratio = std::pow(mass_ratio_top, static_cast<double>(i) / (height - 1));
    top = world.add_sphere(
        radius, m,
        {.position = Vec3(0, 0, radius + 2 * radius * i - overlap * (i + 1)), .density = ratio * bottom_density});
    mass += ratio * bottom_density * 4 / 3 * std::numbers::pi * radius * radius * radius;
  }
  weigh(world, top, mass * kGravity, 400, stack);
  return stack;
}

Stack box_stack(int height, double mass_ratio_top) {
  Stack stack{.height = height, .tolerance = 1e-10};
  World world = make_block_world(stack.tolerance);
  const MaterialId m = rough_floor(world);
  const double edge = 0.1;
  double mass = 0;
  BodyId top;
  for (int i = 0; i < height; ++i) {
    const double density = 2000 * std::pow(mass_ratio_top, static_cast<double>(i) / (height - 1));
    top = world.add_box(Vec3(edge, edge, edge), m, {.position = Vec3(0, 0, edge * (i + 0.5)), .density = density});
    mass += density * edge * edge * edge;
  }
  weigh(world, top, mass * kGravity, 200, stack);
  return stack;
}

RestCost sphere_at_rest(int steps) {
  World world = make_world();
  const MaterialId m = rough_floor(world);
  const BodyId body = world.add_sphere(0.1, m, {.position = Vec3(0, 0, 0.1)});
  return stay("sphere on the floor", world, body, steps);
}

RestCost box_at_rest(int steps) {
  World world = make_world();
  const MaterialId m = rough_floor(world);
  const BodyId body = world.add_box(Vec3(0.3, 0.2, 0.1), m, {.position = Vec3(0, 0, 0.05)});
  return stay("box on four corners", world, body, steps);
}

RestCost tripod_at_rest(int steps) {
  World world = make_world();
  const MaterialId m = rough_floor(world);
  BodySpec spec;
  for (int k = 0; k < 3; ++k) {
    const double angle = 2 * std::numbers::pi * k / 3 + 0.3;
    spec.colliders.push_back(
        {Shape::sphere(0.05), m, {Vec3(0.2 * std::cos(angle), 0.2 * std::sin(angle), 0), Quat::Identity()}});
  }
  spec.mass = 1;
  spec.inertia = Mat3(Vec3(0.02, 0.02, 0.03).asDiagonal());
  spec.pose.position = Vec3(0, 0, 0.05);
  const BodyId body = world.add_body(spec);
  return stay("body on three feet", world, body, steps);
}

RestCost sphere_in_corner_at_rest(int steps) {
  World world = make_world();
  const MaterialId m = world.add_material({.name = "rough", .friction = 0.5});
  // Three faces of a cube that stands on its corner.
  const Quat tilt = Quat::FromTwoVectors(Vec3(1, 1, 1).normalized(), Vec3::UnitZ());
  for (int k = 0; k < 3; ++k) world.add_half_space(tilt * Vec3::Unit(k), Vec3::Zero(), m);
  const BodyId body = world.add_sphere(0.1, m, {.position = tilt * Vec3(0.1, 0.1, 0.1)});
  return stay("sphere in a corner of three walls", world, body, steps);
}

}  // namespace carom::validation
