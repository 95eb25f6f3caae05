#include <algorithm>
#include <cmath>
#include <numbers>

#include "validation_cases.h"

namespace carom::validation {

namespace {

constexpr double kRadius = 0.1;  // m

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

BodySpec roller_spec(const Roller& roller, MaterialId material) {
  BodySpec spec;
  spec.mass = 2;
  spec.inertia = (roller.inertia_ratio * 2 * kRadius * kRadius * Mat3::Identity()).eval();
  spec.colliders = {{Shape::sphere(kRadius), material, {}}};
  return spec;
}

World roller_world(const Roller& roller) {
  StepOptions options;
  if (roller.planar) options.planar = Vec3::UnitY();
  return make_world(1e-10, options);
}

}  // namespace

Roller solid_sphere() { return {"sphere", 0.4, false}; }
Roller cylinder() { return {"cylinder", 0.5, true}; }
Roller hoop() { return {"hoop", 1.0, true}; }

std::vector<Measurement> slip_to_roll(const Roller& roller, double speed, double friction, double h) {
  World world = roller_world(roller);
  const MaterialId m = world.add_material({.name = "roller", .friction = friction});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  BodySpec spec = roller_spec(roller, m);
  spec.pose.position = Vec3(0, 0, kRadius);
  spec.velocity = Vec3(speed, 0, 0);
  const BodyId body = world.add_body(spec);

  // Friction mu m g acts until v = w r: k = inertia/(m r^2) gives v = v0/(1 + k) after k/(1 + k) v0/(mu g).
  const double k = roller.inertia_ratio;
  const double exact_time = k / (1 + k) * speed / (friction * kGravity), exact_speed = speed / (1 + k);
  double time = 0;
  while (world.time() < 2 * exact_time) {
    world.step(h);
    const double slip = world.velocity(body).x() - kRadius * world.angular_velocity(body).y();
    if (slip > 1e-6 * speed) time = world.time();
  }
  return {{"slipping " + roller.name + ": rolls after, s", exact_time, time, exact_time, h},
          {"slipping " + roller.name + ": rolls at, m/s", exact_speed, world.velocity(body).x(), exact_speed, h}};
}

Measurement rolling_down(const Roller& roller, double angle_degrees, double friction, double h) {
  const Ramp ramp{radians(angle_degrees)};
  World world = roller_world(roller);
  const MaterialId m = world.add_material({.name = "roller", .friction = friction});
  world.add_half_space(ramp.normal(), Vec3::Zero(), m);
  BodySpec spec = roller_spec(roller, m);
  spec.pose.position = (kRadius - 1e-8) * ramp.normal();
  const BodyId body = world.add_body(spec);
  const int steps = static_cast<int>(std::lround(0.5 / h));
  for (int i = 0; i < steps; ++i) world.step(h);

  // Rolls with a = g sin/(1 + k) iff the friction that takes, m g sin k/(1 + k), is at most mu m g cos.
  const double k = roller.inertia_ratio;
  const bool rolls = std::tan(ramp.angle) * k / (1 + k) <= friction;
  const double exact = rolls ? kGravity * std::sin(ramp.angle) / (1 + k)
                             : kGravity * (std::sin(ramp.angle) - friction * std::cos(ramp.angle));
  const double ours = world.velocity(body).dot(ramp.downhill()) / world.time();
  return {roller.name + (rolls ? " rolls down: acceleration, m/s^2" : " slips down: acceleration, m/s^2"), exact, ours,
          exact, h};
}

Measurement rolling_down_resisted(const Roller& roller, double rolling_friction, double h) {
  const Ramp ramp{radians(20)};
  World world = roller_world(roller);
  const MaterialId m = world.add_material({.name = "roller", .friction = 0.5, .rolling_friction = rolling_friction});
  world.add_half_space(ramp.normal(), Vec3::Zero(), m);
  BodySpec spec = roller_spec(roller, m);
  spec.pose.position = (kRadius - 1e-8) * ramp.normal();
  const BodyId body = world.add_body(spec);
  const int steps = static_cast<int>(std::lround(0.5 / h));
  for (int i = 0; i < steps; ++i) world.step(h);
  // About the contact: (1 + k) m r^2 a/r = m g sin r - mu_r r m g cos
  const double exact = kGravity * std::max(0.0, std::sin(ramp.angle) - rolling_friction * std::cos(ramp.angle)) /
                       (1 + roller.inertia_ratio);
  return {roller.name + " rolls down against rolling friction: acceleration, m/s^2", exact,
          world.velocity(body).dot(ramp.downhill()) / world.time(), exact, h};
}

Measurement rolling_to_rest(const Roller& roller, double speed, double rolling_friction, double h) {
  World world = roller_world(roller);
  const MaterialId m = world.add_material({.name = "roller", .friction = 0.5, .rolling_friction = rolling_friction});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  BodySpec spec = roller_spec(roller, m);
  spec.pose.position = Vec3(0, 0, kRadius);
  spec.velocity = Vec3(speed, 0, 0);
  spec.angular_velocity = Vec3(0, speed / kRadius, 0);
  const BodyId body = world.add_body(spec);
  // Kinetic energy (1 + k) m v^2/2 is spent on the moment mu_r r m g over the angle x/r.
  const double exact = (1 + roller.inertia_ratio) * speed * speed / (2 * rolling_friction * kGravity);
  const double twice_the_time = 2 * 2 * exact / speed;
  while (world.time() < twice_the_time) world.step(h);
  return {roller.name + " rolls to rest against rolling friction: distance, m", exact, world.position(body).x(), exact,
          h};
}

LeavingSphere leaving_a_sphere(bool rolls, double start, double h) {
  const double big = 1, small = 0.1, distance = big + small;
  World world = make_world();
  // N = 0 ends both sliding and rolling; with much friction rolling lasts until there.
  const MaterialId m = world.add_material({.name = "ball", .friction = rolls ? 1000.0 : 0.0});
  world.add_fixed(Shape::sphere(big), m, {});
  const BodyId ball = world.add_sphere(small, m, {.position = distance * Vec3(std::sin(start), 0, std::cos(start))});
  double last_cosine = 1;
  while (world.position(ball).z() > 0) {
    if (world.step(h).contacts > 0) last_cosine = world.position(ball).normalized().z();
  }
  const double speed = world.velocity(ball).x();
  const double cosine = std::cbrt(speed * speed / (kGravity * distance));
  const std::string name = rolls ? "ball rolls off a sphere: cosine " : "point slides off a sphere: cosine ";
  const double exact = rolls ? 10.0 / 17.0 : 2.0 / 3.0;
  return {{name + "where it leaves, from its flight", exact, cosine / std::cos(start), exact, h},
          {name + "of its last contact", exact, last_cosine / std::cos(start), exact, h}};
}

LeavingSphereConvergence leaving_a_sphere_convergence(bool rolls) {
  LeavingSphereConvergence c;
  for (int k = 0; k < 5; ++k) {
    const double h = 1e-3 / std::pow(2.0, k);
    double flight = 0, last_contact = 0;
    for (int i = 0; i < 8; ++i) {
      const LeavingSphere run = leaving_a_sphere(rolls, radians(10 + 1.3 * i), h);
      c.flight.law = run.flight.law;
      c.last_contact.law = run.last_contact.law;
      flight += run.flight.error() / 8;
      last_contact += run.last_contact.error() / 8;
    }
    c.flight.h.push_back(h);
    c.last_contact.h.push_back(h);
    c.flight.error.push_back(flight);
    c.last_contact.error.push_back(last_contact);
  }
  return c;
}

std::vector<Measurement> turntable(double rate, double h) {
  World world = make_world(1e-10);
  const MaterialId m = world.add_material({.name = "ball", .friction = 1});
  BodySpec table;
  table.kind = BodyKind::Kinematic;
  table.colliders = {{Shape::half_space(), m, {}}};
  table.motion = constant_velocity(Vec3::Zero(), Vec3(0, 0, rate));
  world.add_body(table);

  // No slip at the start: v - w_b r x z = rate z x x, so w = z x (v - rate z x x)/r.
  const Vec3 start(0.3, 0, kRadius), velocity(0.1, 0.2, 0), up = Vec3::UnitZ();
  const Vec3 spin = up.cross(velocity - rate * up.cross(start)) / kRadius;
  const BodyId ball = world.add_sphere(kRadius, m, {.position = start, .velocity = velocity, .angular_velocity = spin});

  const double period = 2 * std::numbers::pi / (2.0 / 7.0 * rate);
  const int steps = static_cast<int>(std::lround(period / h));
  const double step = period / steps;
  double angle = 0;
  Vec3 last = velocity;
  for (int i = 0; i < steps; ++i) {
    world.step(step);
    const Vec3 now = world.velocity(ball);
    angle += std::atan2(last.cross(now).z(), last.dot(now));
    last = now;
  }
  const double radius = velocity.norm() / (2.0 / 7.0 * rate);
  return {{"ball on a turntable: turns of the velocity over those of the table", 2.0 / 7.0, angle / (rate * period),
           2.0 / 7.0, step},
          {"ball on a turntable: off its starting point after one circle, over the radius", 0,
           (world.position(ball) - start).norm() / radius, 1, step}};
}

Convergence turntable_convergence() {
  Convergence c{"ball on a turntable: off its starting point after one circle", {}, {}};
  for (int k = 0; k < 5; ++k) {
    c.h.push_back(2e-2 / std::pow(2.0, k));
    c.error.push_back(turntable(3, c.h.back()).back().error());
  }
  return c;
}

}  // namespace carom::validation
