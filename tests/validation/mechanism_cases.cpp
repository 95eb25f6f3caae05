#include <algorithm>
#include <numbers>

#include "block_cases.h"
#include "jointed_worlds.h"

namespace carom::validation {

namespace {

// Two equal rods, hinged to each other and to the world, let go at rest along x.
struct DoublePendulum {
  World world = world_of_joints();
  BodyId one, two;
  double length = 1;

  DoublePendulum() {
    one = add_rod(world, Vec3::Zero(), Vec3(length, 0, 0), 1);
    two = add_rod(world, Vec3(length, 0, 0), Vec3(2 * length, 0, 0), 1);
    world.add_joint(hinge(one, {}, Vec3::Zero()));
    world.add_joint(hinge(two, one, Vec3(length, 0, 0)));
  }
};

// The same in the angles of the rods from the downward vertical, by the Runge-Kutta method of order 4.
Vec2 double_pendulum_angles(double t) {
  const double m = 1, L = 1, I = m * L * L / 12;
  Eigen::Vector4d y(std::numbers::pi / 2, std::numbers::pi / 2, 0, 0);
  const auto rate = [&](const Eigen::Vector4d& s) {
    const double difference = s[0] - s[1], c = std::cos(difference), sn = std::sin(difference);
    Mat2 M;
    M << I + m * L * L / 4 + m * L * L, 0.5 * m * L * L * c, 0.5 * m * L * L * c, I + m * L * L / 4;
    const Vec2 F(-0.5 * m * L * L * sn * s[3] * s[3] - 1.5 * m * kGravity * L * std::sin(s[0]),
                 0.5 * m * L * L * sn * s[2] * s[2] - 0.5 * m * kGravity * L * std::sin(s[1]));
    const Vec2 acceleration = M.inverse() * F;
    return Eigen::Vector4d(s[2], s[3], acceleration[0], acceleration[1]);
  };
  const int steps = 20000;
  const double h = t / steps;
  for (int i = 0; i < steps; ++i) {
    const Eigen::Vector4d k1 = rate(y), k2 = rate(y + 0.5 * h * k1), k3 = rate(y + 0.5 * h * k2), k4 = rate(y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return y.head<2>();
}

// One run of a mechanism that a motor drives.
template <class Place>
void drive(World& world, int steps, double h, const Place& place, ClosedLoop& loop) {
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = world.step(h);
    loop.failed_solves += report.status != SolveStatus::Solved;
    loop.worst_iterations = std::max(loop.worst_iterations, report.iterations);
    loop.open = std::max(loop.open, report.worst_joint_error);
    loop.place = std::max(loop.place, place());
  }
}

}  // namespace

PendulumConvergence double_pendulum_convergence() {
  const double t = 1.5;
  const Vec2 angles = double_pendulum_angles(t);
  const Vec3 exact(std::sin(angles[0]) + 0.5 * std::sin(angles[1]), 0,
                   -std::cos(angles[0]) - 0.5 * std::cos(angles[1]));
  PendulumConvergence result{.place = {"double pendulum: place after 1.5 s, over its rods' length", {}, {}},
                             .energy = {"double pendulum: energy, over that of the fall", {}, {}}};
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    DoublePendulum p;
    double worst = 0;
    for (int i = 0; i < std::lround(t / h); ++i)
      worst = std::max(worst, std::abs(total_energy(p.world.step(h).energy)));
    result.place.h.push_back(h);
    result.place.error.push_back((p.world.position(p.two) - exact).norm() / p.length);
    result.energy.h.push_back(h);
    result.energy.error.push_back(worst / (2 * kGravity * p.length));
  }
  return result;
}

double double_pendulum_drift(double h) {
  DoublePendulum p;
  double sum = 0;
  const int steps = static_cast<int>(std::lround(40 / h)), tail = steps / 4;
  for (int i = 0; i < steps; ++i) {
    const double energy = total_energy(p.world.step(h).energy);
    if (i >= steps - tail) sum += energy / tail;  // the mean leaves oscillations out
  }
  return std::abs(sum) / (2 * kGravity * p.length);
}

ClosedLoop four_bar(const std::string& solver) {
  const double ground = 1.0, crank = 0.3, coupler = 0.9, rocker = 0.7;
  const auto joint_point = [&](double theta) {  // end of the rocker by intersecting two circles
    const Vec3 p(crank * std::cos(theta), 0, crank * std::sin(theta)), centre(ground, 0, 0), between = centre - p;
    const double d = between.norm(), along = (d * d + coupler * coupler - rocker * rocker) / (2 * d);
    const Vec3 u = between / d, up(-u.z(), 0, u.x());
    return Vec3(p + along * u + std::sqrt(coupler * coupler - along * along) * up);
  };
  World world = world_of_joints(solver, {}, 1e-9);
  const Vec3 p(crank, 0, 0), q = joint_point(0), o(ground, 0, 0);
  const BodyId one = add_rod(world, Vec3::Zero(), p, 1), two = add_rod(world, p, q, 2),
               three = add_rod(world, o, q, 1.5);
  JointSpec driven = hinge(one, {}, Vec3::Zero());
  driven.turn.motor_speed = -3;  // about y: turns x towards z
  const JointId motor = world.add_joint(driven);
  world.add_joint(hinge(two, one, p));
  world.add_joint(hinge(two, three, q));
  world.add_joint(hinge(three, {}, o));
  ClosedLoop loop;
  loop.mechanism = "four-bar linkage";
  loop.solver = solver;
  const auto place = [&] {
    const double theta = -world.joint_record(motor).turn.position;
    const Vec3 end = world.position(three) + world.rotation(three) * Vec3(0.5 * rocker, 0, 0);
    return (end - joint_point(theta)).norm();
  };
  drive(world, 3000, 1e-3, place, loop);
  loop.motor_speed_error = std::abs(world.joint_record(motor).turn.velocity / -3 - 1);
  return loop;
}

ClosedLoop slider_crank(const std::string& solver) {
  const double crank = 0.25, rod = 0.7, rate = 10;
  World world = world_of_joints(solver, {}, 1e-9);
  const Vec3 p(crank, 0, 0), q(crank + rod, 0, 0);
  const BodyId one = add_rod(world, Vec3::Zero(), p, 1), two = add_rod(world, p, q, 1);
  const BodyId piston = add_mass(world, {.mass = 2, .moments = Vec3(0.01, 0.01, 0.01), .position = q});
  JointSpec driven = hinge(one, {}, Vec3::Zero());
  driven.turn.motor_speed = -rate;
  const JointId motor = world.add_joint(driven);
  world.add_joint(hinge(two, one, p));
  world.add_joint(hinge(piston, two, q));
  JointSpec guide = {.type = JointType::Prismatic, .a = piston, .anchor = q, .axis = Vec3::UnitX()};
  guide.slide.start = q.x();
  const JointId rail = world.add_joint(guide);
  ClosedLoop loop;
  loop.mechanism = "slider-crank";
  loop.solver = solver;
  const auto place = [&] {
    const double theta = -world.joint_record(motor).turn.position;
    const double exact = crank * std::cos(theta) + std::sqrt(rod * rod - std::pow(crank * std::sin(theta), 2));
    return std::abs(world.joint_record(rail).slide.position - exact);
  };
  drive(world, 2000, 5e-4, place, loop);
  loop.motor_speed_error = std::abs(world.joint_record(motor).turn.velocity / -rate - 1);
  return loop;
}

}  // namespace carom::validation
