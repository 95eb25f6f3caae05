#include "engine/lagrangian_world.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "allocation_counter.h"
#include "base/error.h"
#include "engine/event_driven.h"
#include "engine/impact/newton.h"
#include "engine/systems/ball_chain.h"
#include "engine/systems/double_pendulum.h"
#include "engine/systems/painleve_rod.h"
#include "engine/systems/registry.h"
#include "engine/systems/rocking_block.h"
#include "engine/systems/triple_contact.h"
#include "engine/world.h"
#include "solvers/nsgs.h"

using namespace carom;

namespace {

constexpr double kG = 9.81;

using SystemPtr = std::shared_ptr<const LagrangianSystem>;

// |q - q_reference| at time T with `steps` steps.
double error_of(const SystemPtr& system, const VectorXd& reference, double T, int steps) {
  LagrangianWorld world(system);
  int unsolved = 0;
  for (int k = 0; k < steps; ++k) unsolved += world.step(T / steps).status == SolveStatus::Solved ? 0 : 1;
  CHECK(unsolved == 0);
  return (world.q() - reference).norm();
}

// Slope of the mean error over the step, means over steps of about one length, so that where in a step an impact falls
// averages out. The reference is the event-driven result.
double order_of_convergence(const SystemPtr& system, double T, std::initializer_list<int> steps, double worst) {
  NewtonLaw law;
  EventDriven reference(*system, law);
  REQUIRE(reference.run(T) == EventDrivenStatus::Done);
  std::vector<double> x, y;
  for (int n : steps) {
    double mean = 0;
    for (int k = 0; k < 10; ++k) mean += error_of(system, reference.q(), T, n + k * n / 60) / 10;
    x.push_back(std::log(T / n));
    y.push_back(std::log(mean));
  }
  CHECK(std::exp(y.back()) < worst);
  double mx = 0, my = 0, xy = 0, xx = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) mx += x[k] / n, my += y[k] / n;
  for (std::size_t k = 0; k < x.size(); ++k) xy += (x[k] - mx) * (y[k] - my), xx += (x[k] - mx) * (x[k] - mx);
  INFO(system->name(), ": order ", xy / xx, ", mean error ", std::exp(y.back()), " at h = ", T / *(steps.end() - 1));
  return xy / xx;
}

}  // namespace

TEST_CASE("smooth motion with centrifugal forces converges with order 2") {
  DoublePendulumParameters p;
  p.wall = 3;
  p.angle = {-1, -1.5};
  const auto pendulum = std::make_shared<DoublePendulum>(p);
  NewtonLaw law;
  EventDriven reference(*pendulum, law);
  REQUIRE(reference.run(2) == EventDrivenStatus::Done);
  const double coarse = error_of(pendulum, reference.q(), 2, 1000), fine = error_of(pendulum, reference.q(), 2, 2000);
  CHECK(std::log2(coarse / fine) == doctest::Approx(2).epsilon(0.02));
}

TEST_CASE("the step converges to the event-driven result as h -> 0: bouncing ball") {
  BallChainParameters p;
  p.balls = 1;
  p.left_wall = true;
  p.gap = {0.5};
  p.velocity = {0};
  p.gravity = kG;
  p.restitution = {0.7};
  CHECK(order_of_convergence(std::make_shared<BallChain>(p), 1.2, {300, 1200, 4800}, 1e-3) > 0.8);
}

TEST_CASE("the step converges to the event-driven result as h -> 0: column of balls") {
  BallChainParameters p;
  p.balls = 4;
  p.left_wall = true;
  p.gap = {0.3, 0.05, 0.1, 0.02};
  p.velocity = {0};
  p.gravity = kG;
  p.restitution = {0.6};
  CHECK(order_of_convergence(std::make_shared<BallChain>(p), 0.32, {320, 1280, 5120}, 1e-3) > 0.8);
}

TEST_CASE("the step converges to the event-driven result as h -> 0: rocking block, rocking and sliding") {
  RockingBlockParameters p{.height = 1, .width = 0.3, .friction = 1, .angle = 0.15};
  CHECK(order_of_convergence(std::make_shared<RockingBlock>(p), 1.5, {300, 1200, 4800}, 1e-3) > 0.8);
  p.friction = 0.2;
  CHECK(order_of_convergence(std::make_shared<RockingBlock>(p), 0.8, {250, 1000, 4000}, 1e-3) > 0.8);
}

TEST_CASE("the step converges to the event-driven result as h -> 0: block on a shaken base") {
  RockingBlockParameters p{.height = 1, .width = 0.3, .friction = 0.7, .base = BaseKind::Harmonic};
  p.base_amplitude = 0.3;
  p.base_vertical_amplitude = 0.02;
  p.base_frequency = 1.1;
  CHECK(order_of_convergence(std::make_shared<RockingBlock>(p), 1.2, {300, 1200, 4800}, 1e-3) > 0.8);
}

TEST_CASE("the step converges to the event-driven result as h -> 0: double pendulum against a wall") {
  DoublePendulumParameters p;
  p.angle = {-0.6, -0.4};
  p.wall = 0.3;
  CHECK(order_of_convergence(std::make_shared<DoublePendulum>(p), 2, {500, 2000, 8000}, 1e-3) > 0.8);
}

TEST_CASE("a block rocks freely with Housner's period and ratio") {
  const double l = 1, L = 0.1, R = 0.5 * std::hypot(l, L), alpha = std::atan(L / l), start = 0.4 * alpha;
  const double rate = std::sqrt(3 * kG / (4 * R)), period = 4 / rate * std::acosh(1 / (1 - start / alpha));
  LagrangianWorld world(
      std::make_shared<RockingBlock>(RockingBlockParameters{.height = l, .width = L, .friction = 1, .angle = start}));
  const double h = 1e-5;
  double before = 0;
  while (world.time() < period && world.q()[2] > 0) {
    before = world.v()[2];
    world.step(h);
  }
  // The closed form is that of small angles: cos(alpha - theta) left out, some 1e-3 here.
  CHECK(world.time() == doctest::Approx(period / 4).epsilon(3e-3));
  for (int k = 0; k < 3; ++k) world.step(h);
  CHECK(world.v()[2] / before == doctest::Approx(1 - 1.5 * std::sin(alpha) * std::sin(alpha)).epsilon(2e-4));
}

TEST_CASE("Painleve's rod passes through the paradox by an impulse without collision") {
  double angle = 0;
  SUBCASE("where it is worst") { angle = std::atan(2.0); }
  SUBCASE("near the lower end of the jam") { angle = 0.7; }
  SUBCASE("near its upper end") { angle = 1.33; }
  const PainleveRodParameters p{.friction = 2, .angle = angle, .sliding_speed = -1};
  const auto rod = std::make_shared<PainleveRod>(p);
  // The normal force's factor is negative: 1/m - (L^2/4J) cos (mu sin - cos), uniform rod.
  REQUIRE(1 - 3 * std::cos(angle) * (2 * std::sin(angle) - std::cos(angle)) < 0);
  const LagrangianState start = rod->initial_state();
  const double energy = kinetic_energy(*rod, start.q, start.v) + rod->potential_energy(0, start.q);

  // The end is brought to rest at once: p = -W^-1 u, inside the cone.
  const std::array<int, 1> end = {0};
  const ImpactProblem impact = impact_of(*rod, 0, start.q, start.v, end);
  const MatrixXd W = to_dense({{}, impact.W}, impact.cones);
  const VectorXd jump = -W.inverse() * impact.u_minus;
  REQUIRE(std::abs(jump[1]) < p.friction * jump[0]);
  const VectorXd v_plus = velocity_after(*rod, 0, start.q, start.v, end, jump);
  CHECK(impact.u_minus[0] == 0);  // no collision

  // From there on the rod turns about that end, event-driven.
  NewtonLaw law;
  EventDriven reference(*rod, law);
  reference.set_state(0, start.q, v_plus);
  REQUIRE(reference.run(0.2) == EventDrivenStatus::Done);

  double last = 0;
  for (double h : {1e-3, 5e-4, 2.5e-4, 1.25e-4}) {
    LagrangianWorld world(rod);
    const StepReport& report = world.step(h);
    const auto records = world.contact_records();
    REQUIRE(records.size() == 1);
    CHECK(std::abs(records[0].velocity[1]) < 1e-9);
    CHECK((records[0].impulse.head<2>() - jump).norm() < 20 * h);
    double highest = report.energy.kinetic + report.energy.potential;
    CHECK(highest < energy);
    while (world.time() < 0.2 - 0.5 * h) {
      world.step(h);
      const double now = world.last_report().energy.kinetic + world.last_report().energy.potential;
      CHECK(now <= highest + 10 * h * h);  // a held contact's energy oscillates by O(h^2)
      highest = std::max(highest, now);
      CHECK(world.last_report().status == SolveStatus::Solved);
    }
    const double error = (world.q() - reference.q()).norm();
    if (last > 0) CHECK(error < 0.6 * last);
    last = error;
  }
  CHECK(last < 1e-3);
}

TEST_CASE("a chain of balls steps as the same spheres do in a World") {
  const double e = 0.7, r = 0.05;
  World world;
  world.set_gravity({.acceleration = Vec3(-kG, 0, 0)});
  const MaterialId steel = world.add_material({.name = "steel", .friction = 0, .restitution = e});
  world.add_half_space(Vec3::UnitX(), Vec3::Zero(), steel);
  std::vector<BodyId> balls;
  for (double x : {0.25, 0.4, 0.6}) balls.push_back(world.add_sphere(r, steel, {.position = Vec3(x, 0, 0)}));
  NsgsOptions tight;
  tight.stop = {.tolerance = 1e-13, .measure = Measure::Velocity, .max_iterations = 100000};
  world.set_solver(std::make_unique<Nsgs>(tight));

  BallChainParameters p;
  p.gap = {0.2, 0.05, 0.1};
  p.left_wall = true;
  p.velocity = {};
  p.gravity = kG;
  p.restitution = {e};
  LagrangianWorld chain(std::make_shared<BallChain>(p), StepOptions{});
  chain.set_solver(std::make_unique<Nsgs>(tight));
  for (int k = 0; k < 500; ++k) {
    world.step(1e-3);
    chain.step(1e-3);
  }
  for (int i = 0; i < 3; ++i)
    CHECK(std::abs(world.position(balls[static_cast<std::size_t>(i)]).x() - chain.q()[i]) < 1e-10);
}

TEST_CASE("energy is accounted for: contact, moving supports, projection") {
  RockingBlockParameters p{.height = 1, .width = 0.4, .friction = 0.5, .base = BaseKind::Harmonic};
  p.base_amplitude = 0.2;
  p.base_vertical_amplitude = 0.05;
  p.base_frequency = 1.5;
  LagrangianWorld world(std::make_shared<RockingBlock>(p));
  world.options().projection = true;
  double boundary = 0;
  for (int k = 0; k < 1500; ++k) {
    const StepReport& report = world.step(1e-3);
    CHECK(std::abs(report.energy.balance_error) < 1e-13);  // M and gravity are constant: nothing but rounding
    boundary += std::abs(report.energy.boundary_work);
  }
  CHECK(boundary > 0.1);
}

TEST_CASE("a block at rest stays at rest on its corners and weighs what it weighs") {
  LagrangianWorld world(
      std::make_shared<RockingBlock>(RockingBlockParameters{.height = 1, .width = 0.5, .mass = 3, .friction = 0.4}));
  const VectorXd start = world.q();
  for (int k = 0; k < 500; ++k) world.step(1e-3);
  CHECK((world.q() - start).norm() < 1e-9);
  double weight = 0;
  for (const auto& record : world.contact_records()) weight += record.impulse[0] / 1e-3;
  CHECK(weight == doctest::Approx(3 * kG).epsilon(1e-8));
}

TEST_CASE("position projection removes the overlap of contacts and leaves velocities alone") {
  BallChainParameters p;
  p.left_wall = true;
  p.velocity = {};
  p.gravity = kG;
  const auto chain = std::make_shared<BallChain>(p);
  LagrangianWorld world(chain);
  world.options().projection = true;
  world.set_state(0, chain->initial_state().q - Vec3(1e-3, 3e-3, 4e-3), Vec3::Zero());
  for (int k = 0; k < 100; ++k) world.step(1e-3);
  VectorXd g(3);
  chain->gaps(0, world.q(), g);
  CHECK(g.minCoeff() > -2e-6);
  CHECK(world.v().norm() < 1e-8);
}

TEST_CASE("a long chain in steady state steps without allocation") {
  BallChainParameters p;
  p.balls = 200;
  p.left_wall = true;
  p.velocity = {};
  p.gravity = kG;
  p.restitution = {0};
  LagrangianWorld world(std::make_shared<BallChain>(p));
  world.set_solver(std::make_unique<Nsgs>());
  for (int k = 0; k < 20; ++k) world.step(1e-4);
  AllocationCounter counter;
  for (int k = 0; k < 20; ++k) world.step(1e-4);
  const long allocations = counter.count();  // read first: doctest itself allocates
  if (AllocationCounter::available()) CHECK(allocations == 0);
}

TEST_CASE("islands are sets of coupled coordinates that contacts join") {
  BallChainParameters p;
  p.balls = 5;
  p.gap = {0, 1, 0, 0};
  p.velocity = {};
  LagrangianWorld chain(std::make_shared<BallChain>(p));
  CHECK(chain.step(1e-3).islands == 2);
  CHECK(chain.last_report().largest_island == 2);
  LagrangianWorld mechanism(
      std::make_shared<TripleContact>(TripleContactParameters{.arm_angle = 0, .arm_velocity = 0}));
  CHECK(mechanism.step(1e-4).islands == 1);
  CHECK(mechanism.last_report().contacts == 3);
}

TEST_CASE("bad input is an error, a state that is lost a status") {
  LagrangianWorld world(make_system("double_pendulum"));
  CHECK_THROWS_AS(world.step(0), InputError);
  CHECK_THROWS_AS(world.set_state(0, Vec3(0, 0, 0), Vec3(0, 0, 0)), InputError);
  CHECK_THROWS_AS(world.set_state(0, Vec2(0, NAN), Vec2(0, 0)), InputError);
  world.set_state(0, Vec2(0, 1), Vec2(1e200, -1e200));
  world.step(1e150);
  CHECK(world.step(1e150).status == SolveStatus::NumericalError);
}
