#include "engine/event_driven.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "base/error.h"
#include "engine/systems/ball_chain.h"
#include "engine/systems/double_pendulum.h"
#include "engine/systems/painleve_rod.h"
#include "engine/systems/rocking_block.h"
#include "plain_newton.h"

using namespace carom;

namespace {

constexpr double kG = 9.81;

// One ball above a floor.
BallChain dropped_ball(double height, double e) {
  BallChainParameters p;
  p.balls = 1;
  p.gap = {height};
  p.velocity = {0};
  p.left_wall = true;
  p.gravity = kG;
  p.restitution = {e};
  return BallChain(p);
}

const Event* last(const EventDriven& run, EventKind kind) {
  const Event* found = nullptr;
  for (const Event& event : run.events())
    if (event.kind == kind) found = &event;
  return found;
}

}  // namespace

TEST_CASE("the integrator has order 5, and its continuous output order 4") {
  // dy/dt = y cos t, y = exp(sin t)
  const auto rate = [](double t, VectorIn y, VectorOut dy) {
    dy = y * std::cos(t);
    return true;
  };
  const auto errors = [&](int steps) {
    DormandPrince method;
    VectorXd y = VectorXd::Ones(1), between;
    const double h = 2.0 / steps;
    double worst = 0;
    for (int k = 0; k < steps; ++k) {
      REQUIRE(method.step(rate, k * h, h, y));
      for (double s : {0.25, 0.5, 0.9}) {
        method.at((k + s) * h, between);
        worst = std::max(worst, std::abs(between[0] - std::exp(std::sin((k + s) * h))));
      }
      y = method.end();
    }
    return std::array<double, 2>{std::abs(y[0] - std::exp(std::sin(2.0))), worst};
  };
  const auto coarse = errors(20), fine = errors(40);
  CHECK(std::log2(coarse[0] / fine[0]) > 4.8);
  CHECK(std::log2(coarse[1] / fine[1]) > 3.8);
}

TEST_CASE("a bouncing ball comes to rest at the time and after the path of the closed form") {
  for (double e : {0.3, 0.5, 0.9}) {
    CAPTURE(e);
    const double drop = 1.0;
    const BallChain ball = dropped_ball(drop, e);
    PlainNewton law;
    EventDriven run(ball, law);
    const double rest = std::sqrt(2 * drop / kG) * (1 + e) / (1 - e);
    REQUIRE(run.run(rest + 1) == EventDrivenStatus::Done);
    REQUIRE(run.count(EventKind::Closing) == 1);
    CHECK(std::abs(last(run, EventKind::Closing)->time - rest) < 1e-10 * rest);
    double path = drop;
    for (const Event& event : run.events())
      if (event.kind == EventKind::Impact) path += event.u_plus[0] * event.u_plus[0] / kG;
    CHECK(std::abs(path - drop * (1 + e * e) / (1 - e * e)) < 1e-10 * path);
    CHECK(std::abs(run.q()[0] - 0.05) < 1e-15);
    CHECK(run.v()[0] == 0);
    // k-th impact: sqrt(2 drop / g) (1 + 2 (e + ... + e^(k-1)))
    int k = 0;
    for (const Event& event : run.events()) {
      if (event.kind != EventKind::Impact || ++k > 12) continue;
      const double exact = std::sqrt(2 * drop / kG) * (1 + 2 * e * (1 - std::pow(e, k - 1)) / (1 - e));
      CHECK(std::abs(event.time - exact) < 1e-12 * exact);
    }
  }
}

TEST_CASE("an elastic ball bounces for ever to the same height") {
  const BallChain ball = dropped_ball(0.2, 1);
  PlainNewton law;
  EventDriven run(ball, law);
  const double period = 2 * std::sqrt(2 * 0.2 / kG);
  REQUIRE(run.run(100 * period) == EventDrivenStatus::Done);
  CHECK(run.count(EventKind::Impact) == 100);
  CHECK(std::abs(run.q()[0] - 0.25) < 1e-10);
}

TEST_CASE("a double pendulum keeps its energy in flight and through elastic impacts") {
  DoublePendulumParameters p;
  p.angle = {-1.5, -2.0};
  p.restitution = 1;
  p.wall = 0.3;
  const DoublePendulum pendulum(p);
  PlainNewton law;
  EventDriven run(pendulum, law);
  const double before = run.kinetic_energy() + run.potential_energy();
  REQUIRE(run.run(10) == EventDrivenStatus::Done);
  CHECK(run.count(EventKind::Impact) > 5);
  MESSAGE("impacts ", run.count(EventKind::Impact), ", steps ", run.steps(), ", drift ",
          run.kinetic_energy() + run.potential_energy() - before);
  CHECK(std::abs(run.kinetic_energy() + run.potential_energy() - before) < 1e-9 * std::abs(before));
}

TEST_CASE("a block rocks with Housner's period and loses Housner's share at each impact") {
  // p = sqrt(3 g / (4 R)), sin(alpha) = L / (2 R). With sin and cos of the angles left in, the quarter period is an
  // elliptic integral; slender blocks approach T = (4/p) acosh(1/(1 - th0/alpha)).
  const double l = 1.0, L = 0.1, R = 0.5 * std::hypot(l, L), alpha = std::atan(L / l);
  const double p = std::sqrt(3 * kG / (4 * R)), start = 0.3 * alpha;
  const RockingBlock block({.height = l, .width = L, .friction = 2, .angle = start});
  PlainNewton law;
  EventDriven run(block, law);
  REQUIRE(run.run(3) == EventDrivenStatus::Done);
  const double ratio = 1 - 1.5 * std::sin(alpha) * std::sin(alpha);
  std::vector<const Event*> impacts;
  for (const Event& event : run.events())
    if (event.kind == EventKind::Impact) impacts.push_back(&event);
  REQUIRE(impacts.size() >= 4);

  // Quarter period by the energy integral: theta'^2 = 2 p^2 (cos(alpha - th0) - cos(alpha - th)), substitution
  // th = th0 (1 - s^2) takes the square root out.
  double quarter = 0;
  const int n = 2000;
  for (int k = 0; k < n; ++k) {
    const double s = (k + 0.5) / n, th = start * (1 - s * s);
    quarter += 2 * start * s / std::sqrt(2 * p * p * (std::cos(alpha - start) - std::cos(alpha - th))) / n;
  }
  CHECK(impacts[0]->time == doctest::Approx(quarter).epsilon(1e-6));
  CHECK(impacts[0]->time == doctest::Approx(std::acosh(1 / (1 - start / alpha)) / p).epsilon(2e-3));
  // Rotation about A before and about B after: the speed of the corner that strikes is L theta'.
  for (std::size_t k = 0; k < 4; ++k) {
    const double before = impacts[k]->u_minus.minCoeff(), after = impacts[k]->u_plus.head(3).maxCoeff();
    CHECK(-after / before == doctest::Approx(ratio).epsilon(1e-9));
    CHECK(impacts[k]->report.energy_change < 0);
  }
}

TEST_CASE("rocking dies out in finite time: infinitely many impacts, then both corners are held") {
  const RockingBlock block({.height = 1.0, .width = 0.5, .friction = 2, .angle = 0.1});
  PlainNewton law;
  EventDriven run(block, law);
  REQUIRE(run.run(6) == EventDrivenStatus::Done);
  CHECK(run.count(EventKind::Impact) > 20);
  REQUIRE(run.held().size() == 2);
  CHECK(run.held()[0] == HeldContact{0, true});
  CHECK(run.held()[1] == HeldContact{1, true});
  CHECK(std::abs(run.q()[2]) < 1e-15);
  CHECK(run.kinetic_energy() < 1e-28);
  // Half periods shrink with the ratio of speeds once they are short: the last ones measured give it.
  std::vector<double> times;
  for (const Event& event : run.events())
    if (event.kind == EventKind::Impact) times.push_back(event.time);
  const std::size_t n = times.size();
  const double alpha = std::atan(0.5), ratio = 1 - 1.5 * std::sin(alpha) * std::sin(alpha);
  CHECK((times[n - 4] - times[n - 5]) / (times[n - 5] - times[n - 6]) == doctest::Approx(ratio).epsilon(1e-3));
}

TEST_CASE("a block on the flat slides, stops after v^2 / (2 mu g) and stays, its friction shared by both corners") {
  const double mu = 0.3, v0 = 1.2;
  const RockingBlock block({.height = 0.5, .width = 1.0, .friction = mu});
  PlainNewton law;
  EventDriven run(block, law);
  run.set_state(0, Vec3(0, 0.25, 0), Vec3(v0, 0, 0));
  REQUIRE(run.run(2) == EventDrivenStatus::Done);
  REQUIRE(run.count(EventKind::Sticking) == 2);
  CHECK(std::abs(last(run, EventKind::Sticking)->time - v0 / (mu * kG)) < 1e-12);
  CHECK(std::abs(run.q()[0] - v0 * v0 / (2 * mu * kG)) < 1e-12);
  CHECK(run.v().norm() < 1e-15);
}

TEST_CASE("a shaken block starts to rock when the base reaches g L/l, and slides at mu g if that is first") {
  const double l = 1.0, L = 0.4, rise = 5.0;  // base acceleration rise * t
  for (double mu : {0.6, 0.25}) {
    RockingBlockParameters p{.height = l, .width = L, .friction = mu, .base = BaseKind::Table};
    p.base_time = {0, 2};
    p.base_acceleration = {0, 2 * rise};
    const RockingBlock block(p);
    PlainNewton law;
    EventDriven run(block, law);
    REQUIRE(run.run(1.0) == EventDrivenStatus::Done);
    const Event* event = last(run, mu > L / l ? EventKind::Opening : EventKind::Sliding);
    REQUIRE(event != nullptr);
    CHECK(std::abs(event->time - std::min(mu, L / l) * kG / rise) < 1e-10);
    if (mu > L / l) {
      CHECK(event->contacts == std::vector<int>{1});  // the base goes right, the block leans left on A
      CHECK(run.q()[2] < -1e-4);
    } else {
      CHECK(std::abs(run.q()[2]) < 1e-15);
    }
  }
}

TEST_CASE("a block under a rectangular pulse of the base slips by Newmark's length") {
  const double A = 6.0, duration = 0.3, mu = 0.25, V = A * duration;
  const BaseMotion pulse = {[=](double t) {
                              const double s = std::min(t, duration);
                              return BaseSample{{A * s * s / 2 + V * std::max(0.0, t - duration), 0},
                                                {A * s, 0},
                                                {t < duration ? A : 0.0, 0}};
                            },
                            [=](double t) { return t < duration ? duration : 1e300; }};
  const RockingBlock block({.height = 0.3, .width = 0.6, .friction = mu}, pulse);
  PlainNewton law;
  EventDriven run(block, law);
  REQUIRE(run.run(2.0) == EventDrivenStatus::Done);
  const double slip = pulse.at(2.0).displacement.x() - run.q()[0];
  CHECK(std::abs(slip - V * V / (2 * mu * kG) * (1 - mu * kG / A)) < 1e-11);
  CHECK(std::abs(last(run, EventKind::Sticking)->time - V / (mu * kG)) < 1e-11);
}

TEST_CASE("a column of balls comes to rest, and energy never grows on the way") {
  BallChainParameters p;
  p.balls = 4;
  p.mass = {1, 2, 0.5, 1};
  p.left_wall = true;
  p.gap = {0.3, 0.05, 0.1, 0.02};
  p.velocity = {};
  p.gravity = kG;
  p.restitution = {0.4};
  const BallChain column(p);
  PlainNewton law;
  EventDriven run(column, law);
  double energy = run.kinetic_energy() + run.potential_energy();
  for (int k = 1; k <= 40; ++k) {
    REQUIRE(run.run(0.05 * k) == EventDrivenStatus::Done);
    const double now = run.kinetic_energy() + run.potential_energy();
    CHECK(now <= energy * (1 + 1e-12));
    energy = now;
  }
  CHECK(run.held().size() == 4);
  CHECK(run.v().norm() < 1e-14);
  VectorXd g(4);
  column.gaps(0, run.q(), g);
  CHECK(g.cwiseAbs().maxCoeff() < 1e-14);
}

TEST_CASE("Painleve's paradox ends a run with a status, not with a number") {
  // Uniform rod, tan(theta) = 2, mu > 4/3, sliding so that friction presses the end into the floor.
  PainleveRodParameters p{.friction = 2, .angle = std::atan(2.0), .sliding_speed = -1};
  PlainNewton law;
  const PainleveRod jammed(p);
  EventDriven run(jammed, law);
  CHECK(run.run(0.1) == EventDrivenStatus::NoContactForce);
  CHECK(run.time() == 0);
  CHECK(!run.message().empty());
  p.sliding_speed = 1;
  const PainleveRod sliding(p);
  EventDriven free(sliding, law);
  CHECK(free.run(0.05) == EventDrivenStatus::Done);
  p.friction = 1.2;
  p.sliding_speed = -1;
  const PainleveRod mild(p);
  EventDriven regular(mild, law);
  CHECK(regular.run(0.05) == EventDrivenStatus::Done);
}

namespace {

// A point on a rough plane in space, thrown along it: nothing but what the interface demands.
class PointOnPlane : public LagrangianSystem {
 public:
  std::string_view name() const override { return "point on a plane"; }
  int coordinates() const override { return 3; }
  int contacts() const override { return 1; }
  std::string coordinate_name(int i) const override { return std::string(1, static_cast<char>('x' + i)); }
  std::string contact_name(int) const override { return "plane"; }
  PairLaw contact_law(int) const override { return {.friction = 0.5}; }
  int contact_dim(int) const override { return 3; }
  LagrangianState initial_state() const override { return {Vec3(0, 0, 0), Vec3(0.8, -0.6, 0)}; }
  void mass_matrix(VectorIn, SparseMatrix& M) const override { set_diagonal(Vec3(2, 2, 2), M); }
  void force(double, VectorIn, VectorIn, VectorOut F) const override { F = 2 * Vec3(kG * slope, 0, -kG); }
  double potential_energy(double, VectorIn q) const override { return 2 * kG * (q[2] - slope * q[0]); }
  void gaps(double, VectorIn q, VectorOut g) const override { g[0] = q[2]; }
  void contact_rows(double, VectorIn, int, ContactRows& rows) const override {
    rows.coordinate = {0, 1, 2};
    rows.direction = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
  }
  std::vector<double> body_energies(VectorIn, VectorIn v) const override { return {v.squaredNorm()}; }

  double slope = 0;  // horizontal over vertical force
};

}  // namespace

TEST_CASE("in space a point slides straight to rest, or turns downhill") {
  PointOnPlane point;
  PlainNewton law;
  EventDriven run(point, law);
  REQUIRE(run.run(1) == EventDrivenStatus::Done);
  const double distance = 1 / (2 * 0.5 * kG);
  CHECK((run.q() - Vec3(0.8, -0.6, 0) * distance).norm() < 1e-9);
  CHECK(run.held() == ContactMode{{0, true}});

  // Downhill pull of mu times the weight: the speed plus its downhill part is conserved (a classic), so that in the end
  // v_x = (|v| + v_x)/2.
  point.slope = 0.5;
  EventDriven turning(point, law);
  REQUIRE(turning.run(5) == EventDrivenStatus::Done);
  CHECK(turning.v().head<2>().norm() + turning.v()[0] == doctest::Approx(1.8).epsilon(1e-9));
  CHECK(turning.v()[0] == doctest::Approx(0.9).epsilon(1e-3));
}

TEST_CASE("limits are statuses: events, chattering laws, laws that fail") {
  const BallChain ball = dropped_ball(1, 0.9);
  PlainNewton law;
  EventDriven few(ball, law, {.max_events = 5});
  CHECK(few.run(10) == EventDrivenStatus::EventLimit);

  struct Idle : ImpactLaw {
    std::string_view name() const override { return "idle"; }
    ImpactReport apply(const ImpactProblem& problem, VectorXd& p) override {
      p = VectorXd::Zero(problem.cones.rows());
      ImpactReport report;
      report.status = status;
      return report;
    }
    ImpactStatus status = ImpactStatus::Done;
  } idle;
  EventDriven through(ball, idle);
  CHECK(through.run(10) == EventDrivenStatus::Chattering);
  idle.status = ImpactStatus::EventLimit;
  EventDriven failing(ball, idle);
  CHECK(failing.run(10) == EventDrivenStatus::ImpactFailed);
  CHECK(failing.message().find("event limit") != std::string::npos);
  CHECK_THROWS_AS(EventDriven(ball, law, {.relative_tolerance = 0}), InputError);
  CHECK_THROWS_AS(failing.set_state(0, Vec3(0, 0, 0), Vec3(0, 0, 0)), InputError);
}
