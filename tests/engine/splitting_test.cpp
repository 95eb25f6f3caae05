#include "engine/impact/splitting.h"

#include <doctest/doctest.h>

#include <cmath>

#include "engine/impact/binary.h"
#include "engine/lagrangian_world.h"
#include "engine/systems/ball_chain.h"
#include "engine/world.h"

using namespace carom;

namespace {

// Two-body collisions one after the other, each with Newton's law, until nothing approaches: enough of a law to test
// how laws act within the step. Counts what it was given.
class Collisions : public ImpactLaw {
 public:
  struct Seen {
    std::vector<int> contacts;
  };
  explicit Collisions(Seen& seen) : seen_(seen) {}
  std::string_view name() const override { return "collisions"; }
  ImpactReport apply(const ImpactProblem& problem, VectorXd& p) override {
    check_impact(problem);
    seen_.contacts.push_back(problem.cones.count());
    p = VectorXd::Zero(problem.cones.rows());
    const MatrixXd W = to_dense({{}, problem.W}, problem.cones);
    ImpactReport report;
    for (VectorXd u = problem.u_minus;; u = velocity_after(problem, p)) {
      int fastest = 0;
      for (int i = 1; i < problem.cones.count(); ++i)
        if (u[problem.cones.offset(i)] < u[problem.cones.offset(fastest)]) fastest = i;
      const int n = problem.cones.offset(fastest);
      if (u[n] >= -1e-14) break;
      p[n] -= (1 + problem.contacts[static_cast<std::size_t>(fastest)].restitution) * u[n] / W(n, n);
      ++report.events;
    }
    judge_impact(problem, p, report);
    return report;
  }

 private:
  Seen& seen_;
};

World world_without_gravity() {
  World world;
  world.set_gravity({.acceleration = Vec3::Zero()});
  return world;
}

}  // namespace

TEST_CASE("balls in a row pass their velocity on within one step, which Newton's law in one solve cannot do") {
  World world = world_without_gravity();
  const MaterialId steel = world.add_material({.name = "steel", .friction = 0, .restitution = 1});
  std::vector<BodyId> balls;
  for (int i = 0; i < 4; ++i)
    balls.push_back(
        world.add_sphere(0.5, steel, {.position = Vec3(i, 0, 0), .velocity = Vec3(i == 0 ? 1.0 : 0.0, 0, 0)}));
  world.options().activation_margin = 1e-9;
  Collisions::Seen seen;
  world.set_impact_law(std::make_unique<Collisions>(seen));
  const double h = 1e-3;
  const StepReport& report = world.step(h);
  CHECK(report.impacts == 1);
  CHECK(report.failed_impacts == 0);
  CHECK(seen.contacts == std::vector<int>{3});
  for (int i = 0; i < 3; ++i) CHECK(world.velocity(balls[static_cast<std::size_t>(i)]).norm() == doctest::Approx(0));
  CHECK(world.velocity(balls[3]).x() == doctest::Approx(1));
  CHECK(std::abs(report.energy.balance_error) < 1e-12 * report.energy.kinetic);
  world.step(h);
  CHECK(seen.contacts.size() == 1);  // nothing approaches any more
}

TEST_CASE("only islands that are struck meet the law, others keep their forces") {
  World world;
  const MaterialId m = world.add_material({.name = "m", .friction = 0.3, .restitution = 0.5});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  const BodyId resting = world.add_sphere(0.1, m, {.position = Vec3(0, 0, 0.1)});
  const BodyId falling = world.add_sphere(0.1, m, {.position = Vec3(1, 0, 0.1), .velocity = Vec3(0, 0, -2)});
  Collisions::Seen seen;
  world.set_impact_law(std::make_unique<Collisions>(seen));
  const double h = 1e-3;
  const StepReport& report = world.step(h);
  CHECK(report.contacts == 2);
  CHECK(report.islands == 2);
  CHECK(report.impacts == 1);
  CHECK(seen.contacts == std::vector<int>{1});
  CHECK(std::abs(world.velocity(resting).z()) < 1e-12);
  // the law reverses half of the speed at the impact; gravity acts over the step besides
  CHECK(world.velocity(falling).z() == doctest::Approx(1.0 - 9.81 * h));
  // contact records hold what the impact transmitted, too
  std::vector<ContactRecord> records;
  world.contact_records(records);
  const double mass = world.properties().mass[2];
  CHECK(records[1].impulse[0] == doctest::Approx(3.0 * mass));
  CHECK(records[0].impulse[0] == doctest::Approx(mass * 9.81 * h));
}

TEST_CASE("momentum is kept and the energy balance closes when a heap of free balls is struck") {
  World world = world_without_gravity();
  const MaterialId m = world.add_material({.name = "m", .friction = 0.4, .restitution = 0.7});
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) world.add_sphere(0.5, m, {.position = Vec3(i, j, 0.1 * (i + j))});
  world.add_sphere(0.5, m, {.position = Vec3(-0.9, 1.2, 0.3), .velocity = Vec3(3, -0.4, 0.2)});
  world.options().activation_margin = 0.01;
  Collisions::Seen seen;
  world.set_impact_law(std::make_unique<Collisions>(seen));
  const Vec3 linear = world.linear_momentum(), angular = world.angular_momentum();
  const double scale = world.energies().kinetic;
  int impacts = 0;
  for (int i = 0; i < 50; ++i) {
    const double before = world.energies().kinetic;
    const StepReport& report = world.step(1e-3);
    impacts += report.impacts;
    CHECK(std::abs(report.energy.balance_error) < 1e-12 * scale);
    CHECK(report.energy.kinetic - before == doctest::Approx(report.energy.contact_work).epsilon(1e-9));
  }
  CHECK(impacts > 0);
  CHECK((world.linear_momentum() - linear).norm() < 1e-12 * linear.norm());
  CHECK((world.angular_momentum() - angular).norm() < 1e-9 * linear.norm());
}

TEST_CASE("an impact is the same from factors and from an assembled W") {
  World world = world_without_gravity();
  const MaterialId m = world.add_material({.name = "m", .friction = 0.4, .restitution = 0.7, .stiffness = 3});
  for (int i = 0; i < 6; ++i) world.add_sphere(0.5, m, {.position = Vec3(0.99 * i, 0.1 * (i % 2), 0)});
  world.step(1e-3);
  ConeProblem problem = world.last_problem();
  const std::vector<PairLaw> laws(static_cast<std::size_t>(problem.cones.count()), PairLaw{0.4, 0.7, 0, 3, 1.5});
  const std::vector<std::uint8_t> support(laws.size(), 0);
  const std::vector<int> some = {0, 1, 3};
  const ImpactProblem by_factors = impact_among(problem, laws, support, problem.q, some);
  problem.W.assembled = assemble(*problem.W.factors, problem.cones);
  problem.W.factors.reset();
  // contacts 0, 1 and 3 of a chain: the blocks between 2 and its neighbours must not come along
  const ImpactProblem by_blocks = impact_among(problem, laws, support, problem.q, some);
  const MatrixXd W = to_dense({{}, by_factors.W}, by_factors.cones);
  const MatrixXd all = to_dense({{}, problem.W.assembled}, problem.cones);
  for (std::size_t i = 0; i < some.size(); ++i)
    for (std::size_t j = 0; j < some.size(); ++j)
      CHECK((W.block<3, 3>(3 * static_cast<long>(i), 3 * static_cast<long>(j)) -
             all.block<3, 3>(3 * some[i], 3 * some[j]))
                .norm() < 1e-14);
  CHECK((to_dense({{}, by_blocks.W}, by_blocks.cones) - W).norm() < 1e-14);
  CHECK(by_blocks.u_minus == by_factors.u_minus);
  CHECK(by_blocks.contacts[0].stiffness == 3);
}

namespace {

// Two equal balls on a wall at -1 and -2 m/s, e = 1/2 everywhere. By hand, v of the lower and the upper ball:
//   wall first  -1 -2 | wall 1/2 -2 | pair -11/8 -1/8 | wall 11/16 -1/8 | pair 5/64 31/64
//   wall last   -1 -2 | pair -7/4 -5/4 | wall 7/8 -5/4 | pair -23/32 11/32 | wall 23/64 11/32 | pair 89/256 91/256
struct Ends {
  CollisionOrder order;
  double lower, upper;
};
constexpr Ends kEnds[] = {{CollisionOrder::WallFirst, 5.0 / 64, 31.0 / 64},
                          {CollisionOrder::WallLast, 89.0 / 256, 91.0 / 256}};

}  // namespace

TEST_CASE("the step knows walls: fixed and kinematic bodies collide first or last, as `binary` is told") {
  for (const BodyKind wall : {BodyKind::Fixed, BodyKind::Kinematic}) {
    for (const Ends& ends : kEnds) {
      World world = world_without_gravity();
      const MaterialId m = world.add_material({.name = "m", .friction = 0, .restitution = 0.5});
      // The wall is added last, so that its contact is not the first by index.
      const BodyId lower = world.add_sphere(0.5, m, {.position = Vec3(0, 0, 0.5), .velocity = Vec3(0, 0, -1)});
      const BodyId upper = world.add_sphere(0.5, m, {.position = Vec3(0, 0, 1.5), .velocity = Vec3(0, 0, -2)});
      BodySpec plate;
      plate.kind = wall;
      plate.pose.position = Vec3(0, 0, -0.5);
      plate.colliders = {{Shape::box(Vec3(2, 2, 0.5)), m, {}}};
      if (wall == BodyKind::Kinematic) plate.motion = constant_velocity(Vec3::Zero());
      world.add_body(plate);
      world.options().activation_margin = 1e-9;
      world.set_impact_law(std::make_unique<BinaryLaw>(BinaryOptions{.order = ends.order}));
      world.step(1e-3);
      CAPTURE(name_of(ends.order));
      CHECK(world.velocity(lower).z() == doctest::Approx(ends.lower).epsilon(1e-12));
      CHECK(world.velocity(upper).z() == doctest::Approx(ends.upper).epsilon(1e-12));
    }
  }
}

TEST_CASE("the step knows the walls of systems") {
  for (const Ends& ends : kEnds) {
    LagrangianWorld world(std::make_shared<BallChain>(
        BallChainParameters{.balls = 2, .velocity = {-1, -2}, .restitution = {0.5}, .left_wall = true}));
    world.set_impact_law(std::make_unique<BinaryLaw>(BinaryOptions{.order = ends.order}));
    world.step(1e-3);
    CAPTURE(name_of(ends.order));
    CHECK(world.v()[0] == doctest::Approx(ends.lower).epsilon(1e-12));
    CHECK(world.v()[1] == doctest::Approx(ends.upper).epsilon(1e-12));
  }
}
