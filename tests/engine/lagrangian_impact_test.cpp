// Multiple impacts of systems in generalized coordinates under lzb: single ones, in the time-stepper, event-driven.
#include <doctest/doctest.h>

#include <cmath>

#include "engine/event_driven.h"
#include "engine/impact/lzb.h"
#include "engine/lagrangian_world.h"
#include "engine/systems/bead_column.h"
#include "engine/systems/triple_contact.h"

using namespace carom;

namespace {

struct TripleImpact {
  VectorXd u_plus, p;  // of A, B, C
  ImpactReport report;
  std::array<double, 3> penetration{};  // m
  std::array<double, 3> duration{};     // s
};

// The arm's tip strikes the floor at 20 rad/s with the body at rest on both supports.
TripleImpact strike(double c_A, double c_C, double e) {
  const std::array<double, 3> stiffness = {c_A, c_A, c_C};
  const TripleContact system({.restitution = {e}, .stiffness = {c_A, c_A, c_C}, .arm_angle = 0, .arm_velocity = -20});
  const LagrangianState start = system.initial_state();
  const std::array<int, 3> all = {0, 1, 2};
  const ImpactProblem problem = impact_of(system, 0, start.q, start.v, all);
  TripleImpact result;
  Lzb law;
  result.report = law.apply(problem, result.p);
  result.u_plus = velocity_after(problem, result.p);
  for (std::size_t i = 0; i < 3; ++i) {
    const LzbRecord& record = law.record(static_cast<int>(i));
    if (record.first_touch < 0) continue;
    result.penetration[i] = record.peak_force / stiffness[i];
    result.duration[i] = record.last_separation - record.first_touch;
  }
  return result;
}

// Mean distance of the stepper's positions to the event-driven ones at time T over steps of about T / n.
double mean_error(const std::shared_ptr<const LagrangianSystem>& system, const VectorXd& reference, double T, int n) {
  double mean = 0;
  for (int k = 0; k < 8; ++k) {
    const int steps = n + k * n / 60;
    LagrangianWorld world(system);
    world.set_impact_law(std::make_unique<Lzb>());
    for (int j = 0; j < steps; ++j) REQUIRE(world.step(T / steps).status == SolveStatus::Solved);
    mean += (world.q() - reference).norm() / 8;
  }
  return mean;
}

}  // namespace

TEST_CASE("triple contact: B lifts off without impulse, A is struck along with C") {
  for (double e : {1.0, std::sqrt(0.8)}) {
    for (double ratio : {1.0, 4.0, 16.0}) {
      const TripleImpact impact = strike(ratio * 1e6, 1e6, e);
      CHECK(impact.report.status == ImpactStatus::Done);
      CHECK(impact.p[1] == 0);
      CHECK(impact.u_plus[1] > 0.1);
      CHECK(impact.p[0] > 1);
      CHECK(impact.p[2] > 10);
      CHECK(impact.u_plus.minCoeff() > 0);
      CHECK(impact.report.ker == doctest::Approx(e == 1 ? 1 : 0.804).epsilon(e == 1 ? 1e-7 : 5e-3));
    }
  }
}

TEST_CASE("triple contact: C is pressed deeper than A and for half as long") {
  // The publication says three times as deep; its figure with the place of the supports is lost. Where we put them it
  // is 5.9 times, and no place of A along the base makes it less than 5.4.
  const TripleImpact impact = strike(1e6, 1e6, 1);
  CHECK(impact.penetration[2] / impact.penetration[0] == doctest::Approx(5.92).epsilon(0.01));
  CHECK(impact.duration[2] / impact.duration[0] == doctest::Approx(0.5).epsilon(0.05));
}

TEST_CASE("triple contact: the velocity after at A depends on the stiffness ratio, at C it hardly does") {
  const TripleImpact soft = strike(1e6, 1e6, 1), middle = strike(4e6, 1e6, 1), stiff = strike(16e6, 1e6, 1);
  CHECK(soft.u_plus[0] > 1.3 * middle.u_plus[0]);
  CHECK(middle.u_plus[0] > 5 * stiff.u_plus[0]);
  CHECK(std::abs(stiff.u_plus[2] / soft.u_plus[2] - 1) < 0.03);
}

TEST_CASE("triple contact: scaling all stiffnesses changes durations and nothing else") {
  const TripleImpact soft = strike(4e6, 1e6, 1), stiff = strike(4e8, 1e8, 1);
  CHECK((soft.u_plus - stiff.u_plus).norm() < 1e-10 * soft.u_plus.norm());
  CHECK((soft.p - stiff.p).norm() < 1e-10 * soft.p.norm());
  CHECK(soft.duration[2] / stiff.duration[2] == doctest::Approx(10).epsilon(1e-6));
}

TEST_CASE("triple contact set in motion as published: the arm throws the body off its supports and lands at 0.1 s") {
  // The centrifugal force m r w^2 = 172 N exceeds the weight of 118 N.
  const TripleContact system({.restitution = {0.9}});
  Lzb law;
  EventDriven run(system, law);
  REQUIRE(run.run(0.11) == EventDrivenStatus::Done);
  const Event* landing = nullptr;
  for (const Event& event : run.events())
    if (landing == nullptr && event.kind == EventKind::Impact) landing = &event;
  REQUIRE(landing != nullptr);
  CHECK(landing->time == doctest::Approx(0.1).epsilon(0.05));
  CHECK(landing->contacts == std::vector<int>{2});
}

TEST_CASE("a Newton's cradle between walls under lzb: the step converges to the event-driven result") {
  BallChainParameters p;
  p.balls = 5;
  p.velocity = {1};
  p.left_wall = p.right_wall = true;
  p.gap = {0.1, 0.02, 0, 0, 0, 0.1};
  const auto cradle = std::make_shared<BallChain>(p);
  Lzb law;
  EventDriven reference(*cradle, law);
  const double T = 0.35;
  REQUIRE(reference.run(T) == EventDrivenStatus::Done);
  CHECK(reference.count(EventKind::Impact) == 7);  // one of all five balls, the others of two
  CHECK(reference.events()[0].contacts == std::vector<int>{1, 2, 3, 4});
  CHECK(reference.kinetic_energy() == doctest::Approx(0.5).epsilon(1e-8));
  const double coarse = mean_error(cradle, reference.q(), T, 350), fine = mean_error(cradle, reference.q(), T, 5600);
  CHECK(fine < 5e-4);
  CHECK(std::log(coarse / fine) / std::log(16) > 0.9);
}

TEST_CASE("a column of beads falls on a wall under lzb: the step converges to the event-driven result") {
  const auto column = std::make_shared<BeadColumn>(BeadColumnParameters{.beads = 5, .falling = true});
  Lzb law;
  EventDriven reference(*column, law);
  const double T = 0.035;
  REQUIRE(reference.run(T) == EventDrivenStatus::Done);
  REQUIRE(reference.count(EventKind::Impact) >= 1);
  CHECK(reference.events()[0].time == doctest::Approx(std::sqrt(2 * 3.1e-3 / 9.81)).epsilon(1e-10));
  CHECK(reference.events()[0].contacts.size() == 5);
  const double coarse = mean_error(column, reference.q(), T, 350), fine = mean_error(column, reference.q(), T, 5600);
  CHECK(fine < 1e-5);
  CHECK(std::log(coarse / fine) / std::log(16) > 0.9);
}

TEST_CASE("beads under lzb come to rest on the wall, event-driven") {
  const BeadColumn column({.beads = 3, .restitution = 0.6, .wall_restitution = 0.5, .falling = true});
  Lzb law;
  EventDriven run(column, law);
  REQUIRE(run.run(0.3) == EventDrivenStatus::Done);
  CHECK(run.held().size() == 3);
  CHECK(run.v().norm() < 1e-14);
}

TEST_CASE("forces of held contacts reach the law as preloads where asked for") {
  // A bead falls on two that rest on the wall: their weight hardly matters beside the force of the impact.
  BallChainParameters p;
  p.mass = {2.05e-3};
  p.radius = {4e-3};
  p.gap = {0, 0, 5e-3};
  p.velocity = {};
  p.left_wall = true;
  p.gravity = 9.81;
  p.restitution = {0.95};
  p.stiffness = {7e9};
  const BallChain chain(p);
  Lzb law;
  VectorXd without, with;
  for (bool preload : {false, true}) {
    EventDriven run(chain, law, {.preload = preload});
    REQUIRE(run.run(0.032) == EventDrivenStatus::Done);
    (preload ? with : without) = run.events()[2].u_plus;
    CHECK(run.events()[2].kind == EventKind::Impact);
    CHECK(run.events()[2].contacts.size() == 3);
  }
  CHECK((with - without).norm() > 1e-6);
  CHECK((with - without).norm() < 0.1);
}
