#include <algorithm>
#include <cmath>
#include <numbers>

#include "block_cases.h"
#include "engine/interfaces.h"
#include "io/masonry.h"

namespace carom::validation {

namespace {

constexpr double kStep = 1e-3;  // s
constexpr double kDegree = std::numbers::pi / 180;

// ---- The line of thrust in half an arch of radius 1, joints at given angles from the crown ----

struct Joint {
  double angle = 0;   // rad, from the crown
  double weight = 0;  // of what lies between crown and joint, over density, depth and g
  double moment = 0;  // weight times the distance of its centroid from the crown's vertical
};

// A voussoir between two joints is a triangle less a smaller one with the same apex: area sin(d) (ro^2 - ri^2)/2, its
// centroid at 2/3 cos(d/2) (ro^3 - ri^3)/(ro^2 - ri^2) from the centre. An odd number has its keystone cut in half.
std::vector<Joint> joints_of(int voussoirs, double inner, double outer) {
  const double step = std::numbers::pi / voussoirs;
  const double first = voussoirs % 2 == 0 ? step : 0.5 * step;
  const double squares = outer * outer - inner * inner, cubes = std::pow(outer, 3) - std::pow(inner, 3);
  std::vector<Joint> joints;
  Joint joint;
  for (double angle = first, last = 0; angle < 0.5 * std::numbers::pi + 1e-9; angle += step) {
    const double d = angle - last, whole = joints.empty() ? 2 * first : step;
    const bool half = joints.empty() && voussoirs % 2 == 1;
    const double area = 0.5 * squares * std::sin(half ? whole : d) * (half ? 0.5 : 1);
    const double x = half ? (1.0 / 3) * cubes / squares * std::sin(d)  // half a symmetric trapezoid
                          : 2.0 / 3 * std::cos(d / 2) * cubes / squares * std::sin(0.5 * (angle + last));
    joint.angle = angle;
    joint.weight += area;
    joint.moment += area * x;
    joints.push_back(joint);
    last = angle;
  }
  return joints;
}

// With the thrust H at the crown, at height y, the line passes joint j at the radius
//     (H y + moment) / (weight sin + H cos),
// which is inside the joint where inner (...) <= H y + moment <= outer (...): an interval of H y. Returns the largest
// width over all H of what the intervals have in common (negative: no line of thrust fits).
double slack_at(const std::vector<Joint>& joints, bool crown_joint, double inner, double outer, double H, int* lowest) {
  double low = crown_joint ? inner * H : -1e9, high = crown_joint ? outer * H : 1e9;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const double reach = joints[j].weight * std::sin(joints[j].angle) + H * std::cos(joints[j].angle);
    if (inner * reach - joints[j].moment > low) {
      low = inner * reach - joints[j].moment;
      if (lowest != nullptr) *lowest = static_cast<int>(j);
    }
    high = std::min(high, outer * reach - joints[j].moment);
  }
  return high - low;
}

double widest(const std::vector<Joint>& joints, bool crown_joint, double inner, double outer, int* lowest) {
  double a = 0, b = 10 * joints.back().weight;  // concave in H
  for (int i = 0; i < 200; ++i) {
    const double p = a + (b - a) / 3, q = b - (b - a) / 3;
    const bool rising = slack_at(joints, crown_joint, inner, outer, p, nullptr) <
                        slack_at(joints, crown_joint, inner, outer, q, nullptr);
    (rising ? a : b) = rising ? p : q;
  }
  return slack_at(joints, crown_joint, inner, outer, 0.5 * (a + b), lowest);
}

// ---- The arch as blocks ----

constexpr double kRadius = 1;  // m

World arch_world(int voussoirs, double thickness) {
  World world = make_block_world();
  const MaterialId m = world.add_material({.name = "stone", .friction = 1.5});
  ArchSpec arch{.radius = kRadius, .thickness = thickness, .depth = 0.3, .voussoirs = voussoirs};
  for (const MasonryBlock& block : arch_blocks(arch)) {
    // A body's origin is its centre of mass.
    Vec3 centre = Vec3::Zero();
    std::vector<Vec3> corners = block.corners;
    centre = solid_properties(Shape::hull(corners)).centroid;
    for (Vec3& corner : corners) corner -= centre;
    BodySpec spec;
    spec.kind = block.support ? BodyKind::Fixed : BodyKind::Dynamic;
    spec.density = 2000;
    spec.pose.position = centre;
    spec.colliders = {{Shape::hull(corners), m, {}}};
    world.add_body(spec);
  }
  return world;
}

// Mean angle from the crown of the two joints, left and right, that opened most at the extrados.
double intrados_hinge(int voussoirs, double thickness) {
  World world = arch_world(voussoirs, thickness);
  InterfaceMonitor monitor;
  monitor.begin(world);
  for (int i = 0; i < 400; ++i) {
    world.step(kStep);
    monitor.update(world, kStep);
  }
  double opening[2] = {0, 0}, degrees[2] = {0, 0};
  for (const Interface& face : monitor.interfaces()) {
    const Vec3 x = face.thrust_point;
    if (std::hypot(x.x(), x.z()) > kRadius) continue;
    const std::size_t side = x.x() < 0 ? 0 : 1;
    if (face.opening <= opening[side]) continue;
    opening[side] = face.opening;
    degrees[side] = std::atan2(std::abs(x.x()), x.z()) / kDegree;
  }
  return 0.5 * (degrees[0] + degrees[1]);
}

}  // namespace

double arch_limit_of_statics(int voussoirs, double* hinge_degrees) {
  int lowest = 0;
  const auto fits = [&](double t) {
    const double inner = 1 - t / 2, outer = 1 + t / 2;
    return widest(joints_of(voussoirs, inner, outer), voussoirs % 2 == 0, inner, outer, &lowest) >= 0;
  };
  const double limit = threshold(0.02, 0.3, fits);
  if (hinge_degrees != nullptr) {
    fits(limit);
    const double step = 180.0 / voussoirs;
    *hinge_degrees = (voussoirs % 2 == 0 ? step : 0.5 * step) + lowest * step;
  }
  return limit;
}

bool arch_stands(int voussoirs, double thickness, double seconds) {
  World world = arch_world(voussoirs, thickness);
  return stays(world, static_cast<int>(std::lround(seconds / kStep)), kStep, 1e-6 * kRadius);
}

ArchLimit arch_limit(int voussoirs) {
  ArchLimit result{.voussoirs = voussoirs};
  result.line_of_thrust = arch_limit_of_statics(voussoirs, &result.hinge_expected);
  double low = 0.09, high = 0.13;
  while (high - low > 1e-4) {
    const double middle = 0.5 * (low + high);
    (arch_stands(voussoirs, middle, 0.15) ? high : low) = middle;
  }
  result.ours = 0.5 * (low + high);
  result.hinge_degrees = intrados_hinge(voussoirs, 0.99 * result.ours);
  return result;
}

Measurement tilted_column(int blocks, double width_over_height, double friction) {
  const double height = 1, width = width_over_height * height;
  const auto moves = [&](double degrees) {
    World world = make_block_world();
    world.set_gravity({kGravity * Vec3(std::sin(degrees * kDegree), 0, -std::cos(degrees * kDegree)), 0});
    const MaterialId m = world.add_material({.name = "stone", .friction = friction});
    world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
    for (int k = 0; k < blocks; ++k)
      world.add_box(Vec3(width, 0.3, height / blocks), m, {.position = Vec3(0, 0, (k + 0.5) * height / blocks)});
    return !stays(world, 100, kStep, 1e-8);
  };
  const double exact = std::atan(std::min(friction, width_over_height)) / kDegree;
  return {friction < width_over_height ? "tilted column: slides at, degrees" : "tilted column: overturns at, degrees",
          exact, threshold(0.5 * exact, 1.5 * exact, moves), exact, kStep};
}

Measurement newmark_slip(double friction, double acceleration_over_g, double seconds, double h) {
  const double A = acceleration_over_g * kGravity, V = A * seconds;
  World world = make_block_world();
  const MaterialId m = world.add_material({.name = "stone", .friction = friction});
  BodySpec base;
  base.kind = BodyKind::Kinematic;
  base.colliders = {{Shape::box(Vec3(5, 1, 0.1)), m, {}}};
  base.pose.position = Vec3(0, 0, -0.1);
  base.motion = [=](const Pose& initial, double t) {
    const double pushed = std::min(t, seconds), x = 0.5 * A * pushed * pushed + V * (t - pushed);
    return MotionSample{
        {initial.position + x * Vec3::UnitX(), initial.rotation}, A * pushed * Vec3::UnitX(), Vec3::Zero()};
  };
  const BodyId table = world.add_body(base);
  const BodyId block = world.add_box(Vec3(0.4, 0.4, 0.2), m, {.position = Vec3(0, 0, 0.1)});
  while (world.time() < 1.2 * V / (friction * kGravity)) world.step(h);
  const double slip = (world.position(table) - world.position(block)).x();
  const double exact = V * V / (2 * friction * kGravity) * (1 - friction / acceleration_over_g);
  return {"sliding block on a base that is pushed (Newmark): slip, m", exact, slip, exact, h};
}

}  // namespace carom::validation
