#include "engine/rockfall/block_step.h"

#include "engine/body_checks.h"
#include "engine/world_impl.h"

namespace carom::rockfall {

namespace {

constexpr double kTolerance = 1e-7;  // m/s

SmallExactOptions exact_options() {
  SmallExactOptions options;
  options.stop.measure = Measure::Velocity;
  options.stop.tolerance = kTolerance;
  return options;
}

std::unique_ptr<Solver> large_solver() {
  AutoOptions options;
  options.stop.measure = Measure::Velocity;
  options.stop.tolerance = kTolerance;
  options.stop.max_iterations = 10000;
  return std::make_unique<Auto>(options);
}

}  // namespace

BlockModel::BlockModel(const Ground& ground) {
  bodies.kind = {BodyKind::Dynamic, BodyKind::Fixed};
  bodies.mass = bodies.inverse_mass = {0, 0};
  bodies.inertia = bodies.inverse_inertia = {Mat3::Zero(), Mat3::Zero()};
  bodies.gyroscopic = {0, 0};
  bodies.generation = {0, 0};
  bodies.name = bodies.group = {"", ""};
  motion.resize(2);
  initial_pose.resize(2);
  colliders.add(Shape::sphere(1), 0, Pose{}, true);
  colliders.add(Shape::height_field(ground.field), 1, Pose{}, false);
  colliders.add(Shape::cylinder(1, 1), 1, Pose{}, false);
  collider_material.resize(3);
}

void BlockModel::set_block(const Block& block) {
  BodySpec spec;
  spec.colliders = {{block.shape, MaterialId{}, Pose{}}};
  spec.mass = block.mass;
  spec.inertia = block.inertia;
  const MassProperties mass = mass_properties(spec, {}, "block");
  bodies.mass[0] = mass.mass;
  bodies.inverse_mass[0] = mass.inverse_mass;
  bodies.inertia[0] = mass.inertia;
  bodies.inverse_inertia[0] = mass.inverse_inertia;
  bodies.gyroscopic[0] = mass.gyroscopic ? 1 : 0;
  colliders.shape[0] = block.shape;
  smallest_radius = block.radius;
}

void detect_contacts(const BlockModel&, const StepOptions&, BlockContext& c) {
  std::swap(c.found, c.foreseen);
  c.given_law = c.laws;
}

BlockSolver::BlockSolver() : exact_(exact_options()), other_(large_solver()) {}

SolveReport BlockSolver::solve(const ConeProblem& problem, VectorOut r) {
  if (problem.cones.count() <= SmallExact::kMostBlocks) {
    SolveReport report = exact_.solve(problem, r);
    if (report.solved()) return report;
  }
  return other_->solve(problem, r);
}

}  // namespace carom::rockfall
