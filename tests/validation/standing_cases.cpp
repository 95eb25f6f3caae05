#include <algorithm>
#include <cmath>
#include <ctime>

#include "block_cases.h"
#include "io/masonry.h"
#include "solvers/registry.h"

namespace carom::validation {

World make_block_world(double tolerance, const StepOptions& options) {
  World world(options);
  world.set_solver(make_solver("auto", {{"measure", "velocity"}, {"tolerance", tolerance}}));
  world.set_gravity({Vec3(0, 0, -kGravity), 0});
  return world;
}

double threshold(double low, double high, const std::function<bool(double)>& holds) {
  while (high - low > 1e-6 * high) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

namespace {

double largest_move(const World& world, const std::vector<Vec3>& start) {
  double worst = 0;
  for (std::size_t i = 0; i < start.size(); ++i)
    if (world.properties().kind[i] == BodyKind::Dynamic)
      worst = std::max(worst, (world.state().position[i] - start[i]).norm());
  return worst;
}

// Blocks on a floor, and how long their shortest edges and half diagonals are.
struct Structure {
  World world;
  MaterialId stone;
  double edge = 1e9;
  std::vector<double> half_diagonal = {0};  // per body; the floor is the first

  explicit Structure(double tolerance) : world(make_block_world(tolerance)) {
    stone = world.add_material({.name = "stone", .friction = 0.6});
    world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), stone);
  }
  void add(const Vec3& size, const Vec3& centre, double density = 2000) {
    world.add_box(size, stone, {.position = centre, .density = density});
    edge = std::min(edge, size.minCoeff());
    half_diagonal.push_back(0.5 * size.norm());
  }
  double worst_speed() const {
    double worst = 0;
    for (std::size_t i = 1; i < half_diagonal.size(); ++i)
      worst = std::max(worst, world.state().velocity[i].norm() + half_diagonal[i] * world.state().spin[i].norm());
    return worst;
  }
};

Standing stand(Structure& structure, Standing result) {
  World& world = structure.world;
  const std::vector<Vec3> start = world.state().position;
  result.blocks = world.body_count() - 1;
  result.fewest_contacts = 1 << 30;
  const std::clock_t began = std::clock();
  for (int i = 0; i < result.steps; ++i) {
    const StepReport& report = world.step(result.h);
    if (i == 0) result.first_iterations = report.iterations;
    if (i > 0) result.mean_iterations += report.iterations / std::max(1.0, result.steps - 1.0);
    if (report.status != SolveStatus::Solved) ++result.failed_solves;
    result.contacts = report.contacts;
    result.fewest_contacts = std::min(result.fewest_contacts, report.contacts);
    result.worst_speed = std::max(result.worst_speed, structure.worst_speed());
    result.drift = std::max(result.drift, largest_move(world, start) / structure.edge);
  }
  result.steps_per_second = result.steps * static_cast<double>(CLOCKS_PER_SEC) /
                            static_cast<double>(std::max<std::clock_t>(1, std::clock() - began));
  return result;
}

void add_wall(Structure& structure, int courses, double scale) {
  WallSpec wall;
  wall.length = 0.96;
  wall.courses = courses;
  for (const MasonryBlock& block : wall_blocks(wall)) structure.add(scale * block.size, scale * block.centre);
}

}  // namespace

bool stays(World& world, int steps, double h, double limit) {
  const std::vector<Vec3> start = world.state().position;
  for (int i = 0; i < steps; ++i) {
    world.step(h);
    if (largest_move(world, start) > limit) return false;
  }
  return true;
}

Standing standing_stack(int boxes, int steps) {
  Standing result;
  result.structure = "stack of boxes";
  result.steps = steps;
  Structure structure(result.tolerance);
  for (int i = 0; i < boxes; ++i) structure.add(Vec3(0.1, 0.1, 0.1), Vec3(0, 0, 0.05 + 0.1 * i));
  return stand(structure, result);
}

Standing standing_wall(int courses, int steps) {
  Standing result;
  result.structure = "brick wall, running bond";
  result.steps = steps;
  Structure structure(result.tolerance);
  add_wall(structure, courses, 1);
  return stand(structure, result);
}

double scaled_wall_difference(int courses, int steps) {
  // A push at the top slides and rocks bricks; it scales as the weight does.
  const auto run = [&](double scale) {
    Structure structure(1e-12 * std::sqrt(scale));
    add_wall(structure, courses, scale);
    World& world = structure.world;
    world.add_load({.body = world.id_of(world.body_count() - 1), .force = std::pow(scale, 3) * Vec3(40, 10, 0)});
    for (int i = 0; i < steps; ++i) world.step(1e-3 * std::sqrt(scale));
    return std::vector<Vec3>(world.state().position);
  };
  const std::vector<Vec3> large = run(1), small = run(0.1);
  double worst = 0;
  for (std::size_t i = 1; i < large.size(); ++i) worst = std::max(worst, (10 * small[i] - large[i]).norm());
  return worst;
}

}  // namespace carom::validation
