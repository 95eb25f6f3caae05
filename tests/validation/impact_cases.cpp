#include <algorithm>
#include <cmath>

#include "validation_cases.h"

namespace carom::validation {

namespace {

// Drops over a factor of four, so that neither where in a step an impact falls nor where in the last bounce the
// step stops resolving them depends on luck.
std::vector<double> drops() {
  std::vector<double> list;
  for (int k = 0; k < 16; ++k) list.push_back(0.5 * std::pow(4.0, k / 16.0));
  return list;
}

std::vector<double> halved_steps(double first, int count) {
  std::vector<double> list;
  for (int k = 0; k < count; ++k) list.push_back(first / std::pow(2.0, k));
  return list;
}

}  // namespace

double BouncingBall::rest_time() const {
  return std::sqrt(2 * drop / kGravity) * (1 + restitution) / (1 - restitution);
}

double BouncingBall::path() const {
  const double e2 = restitution * restitution;
  return drop * (1 + e2) / (1 - e2);
}

double BouncingBall::height(double t) const {
  const double fall = std::sqrt(2 * drop / kGravity);
  if (t < fall) return drop - 0.5 * kGravity * t * t;
  if (t >= rest_time()) return 0;
  double start = fall, speed = kGravity * fall * restitution;
  while (t >= start + 2 * speed / kGravity) {
    start += 2 * speed / kGravity;
    speed *= restitution;
  }
  return speed * (t - start) - 0.5 * kGravity * (t - start) * (t - start);
}

BouncingBallRun run_bouncing_ball(const BouncingBall& ball, double h) {
  World world = make_world();
  const MaterialId m = world.add_material({.name = "ball", .friction = 0, .restitution = ball.restitution});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  const BodyId id = world.add_sphere(ball.radius, m, {.position = Vec3(0, 0, ball.radius + ball.drop)});

  BouncingBallRun run;
  double z = world.position(id).z(), error_sum = 0;
  int error_count = 0;
  // A flying ball changes its speed by g h in each step, so a slower one rests once it never gets faster again.
  while (world.time() < 1.5 * ball.rest_time()) {
    world.step(h);
    if (std::abs(world.velocity(id).z()) > 0.5 * kGravity * h) run.rest_time = world.time();
    const double next = world.position(id).z();
    run.path += std::abs(next - z);
    z = next;
    if (world.time() <= ball.rest_time()) {
      error_sum += std::abs(z - ball.radius - ball.height(world.time())) / ball.drop;
      ++error_count;
    }
  }
  run.position_error = error_sum / error_count;
  return run;
}

std::vector<Measurement> bouncing_ball(double restitution, double h) {
  const BouncingBall ball{.restitution = restitution};
  const BouncingBallRun run = run_bouncing_ball(ball, h);
  return {{"bouncing ball: time of rest, s", ball.rest_time(), run.rest_time, ball.rest_time(), h},
          {"bouncing ball: path until rest, m", ball.path(), run.path, ball.path(), h}};
}

BouncingBallConvergence bouncing_ball_convergence(double restitution) {
  BouncingBallConvergence c;
  c.position.law = "bouncing ball: height over time";
  c.rest_time.law = "bouncing ball: time of rest";
  c.position.h = c.rest_time.h = halved_steps(8e-3, 6);
  for (const double h : c.position.h) {
    double position = 0, rest_time = 0;
    for (const double drop : drops()) {
      const BouncingBall ball{.drop = drop, .restitution = restitution};
      const BouncingBallRun run = run_bouncing_ball(ball, h);
      position += run.position_error / 16;
      rest_time += std::abs(run.rest_time - ball.rest_time()) / ball.rest_time() / 16;
    }
    c.position.error.push_back(position);
    c.rest_time.error.push_back(rest_time);
  }
  return c;
}

Measurement oblique_impact(const ObliqueImpact& impact, double h) {
  World world = make_world();
  world.set_gravity({Vec3::Zero(), 0});
  const MaterialId m = world.add_material({.name = "ball",
                                           .friction = impact.friction,
                                           .restitution = impact.restitution,
                                           .tangential_restitution = impact.tangential_restitution});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  // 3-4-5: the tangential motion lies along neither tangent of the contact frame.
  const Vec3 along(0.6, 0.8, 0);
  const BodyId id = world.add_sphere(0.1, m,
                                     {.position = Vec3(0, 0, 0.1 + impact.gap),
                                      .velocity = impact.tangential * along - impact.normal * Vec3::UnitZ()});
  while (world.time() < 4 * impact.gap / impact.normal) world.step(h);

  // Contact point of a solid sphere: W_tt = 7/(2m). Stick takes (1 + e_t) v_t off it, at most mu (1 + e)|v_n| m.
  const double stick = 2.0 / 7.0 * (1 + impact.tangential_restitution) * impact.tangential;
  const double slip = impact.friction * (1 + impact.restitution) * impact.normal;
  const double exact = impact.tangential - std::min(stick, slip);
  return {stick <= slip ? "oblique impact, sticks: tangential speed after, m/s"
                        : "oblique impact, slips: tangential speed after, m/s",
          exact, world.velocity(id).dot(along), impact.tangential, h};
}

Convergence oblique_impact_convergence() {
  Convergence c{"oblique impact, sticks: tangential speed after", halved_steps(4e-3, 6), {}};
  for (const double h : c.h) {
    double sum = 0;
    for (int k = 0; k < 16; ++k) sum += oblique_impact({.gap = 0.011 + 0.0007 * k}, h).error() / 16;
    c.error.push_back(sum);
  }
  return c;
}

EnergyCreation rod_creates_energy(double restitution, double tangential_restitution) {
  // Rod of mass 1 and length 2a at 45 degrees, its lower end at (-s, -s) from the centre, s = a/sqrt 2.
  const double half_length = 0.5, mass = 1, friction = 0.8;
  const double s = half_length / std::sqrt(2.0), inertia = mass * half_length * half_length / 3;
  const double slide = 0.3, fall = -1;  // m/s: the normal impulse throws the tip back, against the slide

  StepOptions options;
  options.planar = Vec3::UnitY();
  World world = make_world(1e-13, options);
  world.set_gravity({Vec3::Zero(), 0});
  const MaterialId m = world.add_material({.name = "rod",
                                           .friction = friction,
                                           .restitution = restitution,
                                           .tangential_restitution = tangential_restitution});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  const double tip = 1e-6;  // m: a point, nearly
  BodySpec rod;
  rod.mass = mass;
  rod.inertia = (inertia * Mat3::Identity()).eval();
  rod.pose.position = Vec3(0, 0, s + tip);
  rod.velocity = Vec3(slide, 0, fall);
  rod.colliders = {{Shape::sphere(tip), m, {Vec3(-s, 0, -s), Quat::Identity()}}};
  world.add_body(rod);

  EnergyCreation result;
  result.before = world.energies().kinetic;
  // The first step finds the tip below the floor at its middle: the impact falls into it, at the start's posture.
  const StepReport& report = world.step(1e-9);
  result.measured = report.energy.kinetic - result.before;
  result.contact_work = report.energy.contact_work;
  result.balance_error = report.energy.balance_error;

  // Contact point x = -s, z = -s: u_n = v_z + s w, u_t = v_x - s w for the rotation w that lifts it.
  const double W_nn = 1 / mass + s * s / inertia, W_tt = W_nn, W_nt = -s * s / inertia;
  const double b_n = (1 + restitution) * fall, b_t = (1 + tangential_restitution) * slide;
  // Stick: W r = -(1 + e) u
  const double det = W_nn * W_tt - W_nt * W_nt;
  double r_n = (-W_tt * b_n + W_nt * b_t) / det, r_t = (W_nt * b_n - W_nn * b_t) / det;
  if (std::abs(r_t) > friction * r_n) {
    // Slip: r_t = sign mu r_n, W_nn r_n + W_nt r_t = -b_n
    const double sign = r_t > 0 ? 1 : -1;
    r_n = -b_n / (W_nn + sign * friction * W_nt);
    r_t = sign * friction * r_n;
  }
  result.exact = r_n * fall + r_t * slide + 0.5 * (W_nn * r_n * r_n + 2 * W_nt * r_n * r_t + W_tt * r_t * r_t);
  return result;
}

}  // namespace carom::validation
