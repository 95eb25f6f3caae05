#include <algorithm>
#include <cmath>

#include "engine/event_driven.h"
#include "engine/impact/lzb.h"
#include "engine/impact/newton.h"
#include "engine/lagrangian_world.h"
#include "engine/systems/ball_chain.h"
#include "engine/systems/bead_column.h"
#include "engine/systems/painleve_rod.h"
#include "engine/systems/rocking_block.h"
#include "system_validation_cases.h"

namespace carom::validation {

namespace {

using SystemPtr = std::shared_ptr<const LagrangianSystem>;

// Errors that are NaN fail every comparison: what went wrong on the way is not averaged away.
double nan_unless(bool good) { return good ? 0 : std::numeric_limits<double>::quiet_NaN(); }

double lzb_error(const SystemPtr& system, const VectorXd& reference, double T, int n) {
  double mean = 0;
  for (int k = 0; k < 8; ++k) {
    const int steps = n + k * n / 60;
    LagrangianWorld world(system);
    world.set_impact_law(std::make_unique<Lzb>());
    for (int j = 0; j < steps; ++j) mean += nan_unless(world.step(T / steps).status == SolveStatus::Solved);
    mean += (world.q() - reference).norm() / 8;
  }
  return mean;
}

Convergence lzb_convergence(std::string law, const SystemPtr& system, double T, double length) {
  Lzb reference_law;
  EventDriven reference(*system, reference_law);
  const double good = nan_unless(reference.run(T) == EventDrivenStatus::Done);
  Convergence c{.law = std::move(law), .h = {}, .error = {}};
  for (const int n : {350, 1400, 5600}) {
    c.h.push_back(T / n);
    c.error.push_back(good + lzb_error(system, reference.q(), T, n) / length);
  }
  return c;
}

struct Housner {
  double height = 1, width = 0.1, alpha = std::atan(0.1), start = 0.4 * std::atan(0.1);
  double p = std::sqrt(3 * kGravity / (2 * std::hypot(1, 0.1)));  // sqrt(3 g / (4 R)), R = half a diagonal

  SystemPtr block() const {
    return std::make_shared<RockingBlock>(
        RockingBlockParameters{.height = height, .width = width, .friction = 1, .angle = start});
  }
  // theta'^2 = 2 p^2 (cos(alpha - start) - cos(alpha - theta)); theta = start (1 - s^2) takes the root out
  double quarter_period() const {
    double quarter = 0;
    const int n = 4000;
    for (int k = 0; k < n; ++k) {
      const double s = (k + 0.5) / n, theta = start * (1 - s * s);
      quarter += 2 * start * s / std::sqrt(2 * p * p * (std::cos(alpha - start) - std::cos(alpha - theta))) / n;
    }
    return quarter;
  }
};

SystemPtr painleve_rod() {
  return std::make_shared<PainleveRod>(
      PainleveRodParameters{.friction = 2, .angle = std::atan(2.0), .sliding_speed = -1});
}

// The impulse that stops the sliding end at once.
VectorXd stopping_impulse(const LagrangianSystem& rod, const LagrangianState& start, VectorXd& v_plus) {
  const std::array<int, 1> end = {0};
  const ImpactProblem impact = impact_of(rod, 0, start.q, start.v, end);
  const VectorXd p = -to_dense({{}, impact.W}, impact.cones).inverse() * impact.u_minus;
  v_plus = velocity_after(rod, 0, start.q, start.v, end, p);
  return p;
}

VectorXd one_step(const BallChainParameters& balls, std::unique_ptr<ImpactLaw> law) {
  LagrangianWorld world(std::make_shared<BallChain>(balls));
  world.set_impact_law(std::move(law));
  world.step(1e-4);
  return world.v();
}

}  // namespace

Convergence cradle_under_lzb_convergence() {
  BallChainParameters p;
  p.balls = 5;
  p.velocity = {1};
  p.left_wall = p.right_wall = true;
  p.gap = {0.1, 0.02, 0, 0, 0, 0.1};
  return lzb_convergence("`lzb`: five balls between walls, to the event-driven result", std::make_shared<BallChain>(p),
                         0.35, 0.1);
}

Convergence column_under_lzb_convergence() {
  return lzb_convergence("`lzb`: falling column of five beads, to the event-driven result",
                         std::make_shared<BeadColumn>(BeadColumnParameters{.beads = 5, .falling = true}), 0.035, 0.008);
}

std::vector<Measurement> rocking_block(double h) {
  const Housner housner;
  LagrangianWorld world(housner.block());
  const double quarter = housner.quarter_period();
  double before = 0;
  while (world.time() < 2 * quarter && world.q()[2] > 0) {
    before = world.v()[2];
    world.step(h);
  }
  const double landed = world.time();
  for (int k = 0; k < 2; ++k) world.step(h);
  const double ratio = 1 - 1.5 * std::pow(std::sin(housner.alpha), 2);
  const double small = std::acosh(1 / (1 - housner.start / housner.alpha)) / housner.p;
  return {{"rocking block: quarter period, energy integral, s", quarter, landed, quarter, h},
          {"rocking block: quarter period acosh(1/(1 - th0/alpha))/p of small angles, s", small, landed, small, h},
          {"rocking block: Housner's ratio 1 - 3/2 sin^2 alpha", ratio, world.v()[2] / before, ratio, h}};
}

Measurement rocking_uplift(double h) {
  const double height = 1, width = 0.4, rise = 5;  // base acceleration: rise t
  RockingBlockParameters p{.height = height, .width = width, .friction = 0.6, .base = BaseKind::Table};
  p.base_time = {0, 2};
  p.base_acceleration = {0, 2 * rise};
  LagrangianWorld world(std::make_shared<RockingBlock>(p));
  while (world.time() < 1.5 && std::abs(world.v()[2]) < 1e-9) world.step(h);
  const double exact = kGravity * width / height;
  return {"rocking block: base acceleration at uplift, g tan alpha, m/s^2", exact, rise * world.time(), exact, h};
}

std::vector<Measurement> three_ball_cradle(double e) {
  const BallChainParameters balls{.balls = 3, .velocity = {1}, .restitution = {e}};
  const VectorXd v = one_step(balls, std::make_unique<NewtonLaw>());
  return {{"three balls under `newton`: v1 = (1 - 2e)/3, m/s", (1 - 2 * e) / 3, v[0], 1, 1e-4},
          {"three balls under `newton`: v3 = (1 + e)/3, m/s", (1 + e) / 3, v[2], 1, 1e-4}};
}

std::vector<Measurement> three_ball_cradle_lzb() {
  const BallChainParameters balls{.balls = 3, .velocity = {1}, .restitution = {1}, .exponent = {1}};
  const VectorXd v = one_step(balls, std::make_unique<Lzb>());
  return {{"three balls under `lzb`, linear springs: v1, m/s", -0.1303, v[0], 1, 1e-4},
          {"three balls under `lzb`, linear springs: v2, m/s", 0.1502, v[1], 1, 1e-4},
          {"three balls under `lzb`, linear springs: v3, m/s", 0.9801, v[2], 1, 1e-4}};
}

std::vector<Measurement> painleve_jump(double h) {
  const SystemPtr rod = painleve_rod();
  VectorXd v_plus;
  const VectorXd jump = stopping_impulse(*rod, rod->initial_state(), v_plus);
  LagrangianWorld world(rod);
  world.step(h);
  const auto records = world.contact_records();
  const Vec3 impulse = records.size() == 1 ? records[0].impulse : Vec3::Zero();
  const double slip = records.size() == 1 ? records[0].velocity[1] : -1;
  return {{"Painleve's rod: normal impulse without collision, N s", jump[0], impulse[0], jump[0], h},
          {"Painleve's rod: sliding speed after it, of 1 m/s before", 0, slip, 1, h}};
}

Convergence painleve_convergence() {
  const SystemPtr rod = painleve_rod();
  const LagrangianState start = rod->initial_state();
  VectorXd v_plus;
  stopping_impulse(*rod, start, v_plus);
  NewtonLaw law;
  EventDriven reference(*rod, law);
  reference.set_state(0, start.q, v_plus);
  const double T = 0.2, good = nan_unless(reference.run(T) == EventDrivenStatus::Done);
  Convergence c{.law = "Painleve's rod: position behind the paradox", .h = {}, .error = {}};
  for (const int n : {200, 400, 800, 1600}) {
    LagrangianWorld world(rod);
    for (int k = 0; k < n; ++k) world.step(T / n);
    c.h.push_back(T / n);
    c.error.push_back(good + (world.q() - reference.q()).norm());
  }
  return c;
}

}  // namespace carom::validation
