// Makes joints from what a user wrote, or says what is wrong with it.
#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "engine/joint.h"

namespace carom {

namespace {

using Axes = std::array<bool, 3>;
constexpr Axes kNone = {false, false, false}, kAll = {true, true, true}, kXY = {true, true, false},
               kZ = {false, false, true};

[[noreturn]] void reject(const std::string& whose, const std::string& problem, const std::string& value = {}) {
  throw InputError({"", 0, 0, whose}, problem, value);
}

void demand(bool holds, const std::string& whose, const std::string& problem, double value) {
  if (!holds) reject(whose, problem, fmt::format("{}", value));
}

std::string text(const Vec3& v) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", v.x(), v.y(), v.z()); }

void check_axis(const AxisSpec& axis, bool turn, const std::string& whose) {
  const auto range = [&](double value, const char* what, bool may_vanish = true) {
    demand(std::isfinite(value) && (may_vanish ? value >= 0 : value > 0), whose,
           fmt::format("{} must be finite and {} 0", what, may_vanish ? ">=" : ">"), value);
  };
  for (const std::optional<double>& limit : {axis.lower, axis.upper})
    if (limit) demand(std::isfinite(*limit), whose, "a limit must be finite", *limit);
  if (axis.lower && axis.upper && !(*axis.lower < *axis.upper))
    reject(whose, "the lower limit must be below the upper one", fmt::format("{} and {}", *axis.lower, *axis.upper));
  demand(axis.restitution >= 0 && axis.restitution <= 1, whose, "restitution must be in [0, 1]", axis.restitution);
  range(axis.stiffness, "stiffness");
  range(axis.damping, "damping");
  if (axis.rest) demand(std::isfinite(*axis.rest), whose, "rest must be finite", *axis.rest);
  range(axis.friction, "friction");
  range(axis.friction_coefficient, "friction_coefficient");
  if (turn && axis.friction_coefficient > 0)
    range(axis.friction_radius, "friction_radius of a turn with a friction_coefficient", false);
  if (axis.motor_speed)
    demand(std::isfinite(*axis.motor_speed), whose, "motor speed must be finite", *axis.motor_speed);
  demand(axis.motor_limit > 0, whose, "motor limit must be > 0", axis.motor_limit);
  if (axis.motor_speed && axis.limited() && std::isinf(axis.motor_limit))
    reject(whose, "a motor of unlimited strength would break through the limits: give it a limit");
  demand(std::isfinite(axis.start), whose, "start must be finite", axis.start);
}

bool is_default(const AxisSpec& axis) {
  return !axis.limited() && !axis.sprung() && !axis.rubs() && !axis.motor_speed && axis.start == 0 && !axis.rest;
}

void set_kind(const JointSpec& spec, Joint& joint, const std::string& whose) {
  switch (spec.type) {
    case JointType::Ball:
      joint.holds_linear = kAll;
      break;
    case JointType::Revolute:
      joint.holds_linear = kAll, joint.holds_angular = kXY, joint.has_axis = {false, true};
      break;
    case JointType::Prismatic:
      joint.holds_linear = kXY, joint.holds_angular = kAll, joint.has_axis = {true, false};
      break;
    case JointType::Cylindrical:
      joint.holds_linear = kXY, joint.holds_angular = kXY, joint.has_axis = {true, true};
      break;
    case JointType::Fixed:
      joint.holds_linear = kAll, joint.holds_angular = kAll;
      break;
    case JointType::Planar:
      joint.holds_linear = kZ, joint.holds_angular = kXY;
      break;
    case JointType::Distance:
      joint.holds_length = !spec.slide.limited(), joint.has_axis = {!joint.holds_length, false};
      break;
    case JointType::Spring:
      joint.has_axis = {true, false};
      if (!spec.slide.sprung()) reject(whose, "a spring needs stiffness or damping");
      break;
  }
  const std::array<const AxisSpec*, 2> axes = {&spec.slide, &spec.turn};
  for (int axis : {kSlide, kTurn}) {
    const auto k = static_cast<std::size_t>(axis);
    if (!joint.has_axis[k] && !is_default(*axes[k]))
      reject(whose, fmt::format("a {} joint leaves no {} free on which limits, springs, friction or motors could act",
                                name_of(spec.type), axis == kSlide ? "slide" : "turn"));
    check_axis(*axes[k], axis == kTurn, whose);
    joint.axis[k] = *axes[k];
  }
}

// In planar motion along k, turns about k and motion across it are all there is.
void leave_out_planar(const Vec3& k, const Mat3& B, Joint& joint, const std::string& whose) {
  if (joint.along_line()) return;
  for (int i = 0; i < 3; ++i) {
    const bool along_k = std::abs(B.col(i).dot(k)) > 0.5;
    auto& linear = joint.holds_linear[static_cast<std::size_t>(i)];
    auto& angular = joint.holds_angular[static_cast<std::size_t>(i)];
    linear = linear && !along_k;
    angular = angular && along_k;
  }
  if (joint.type == JointType::Cylindrical) {
    if (!is_default(joint.axis[kTurn])) reject(whose, "in planar motion a cylindrical joint does not turn");
    joint.has_axis[kTurn] = false;
  }
  if (joint.held() == 0) reject(whose, "the joint holds nothing that planar motion would not hold already");
}

// Axes of the joint as columns, z along its own; in planar motion one of them is k.
Mat3 joint_axes(const JointSpec& spec, const std::optional<Vec3>& planar, const std::string& whose) {
  const bool by_axis = spec.type == JointType::Revolute || spec.type == JointType::Prismatic ||
                       spec.type == JointType::Cylindrical || spec.type == JointType::Planar;
  if (!by_axis) return Quat::FromTwoVectors(Vec3::UnitZ(), planar.value_or(Vec3::UnitZ())).toRotationMatrix();
  if (!spec.axis.allFinite() || !(spec.axis.norm() > 0))
    reject(whose, "axis must be finite and not zero", text(spec.axis));
  const Vec3 z = spec.axis.normalized();
  if (!planar) return Quat::FromTwoVectors(Vec3::UnitZ(), z).toRotationMatrix();
  const double across = std::abs(z.dot(*planar));
  if (spec.type == JointType::Revolute && across < 1 - 1e-9)
    reject(whose, "in planar motion the axis of a revolute joint is the normal of the plane", text(spec.axis));
  if (spec.type != JointType::Revolute && across > 1e-9)
    reject(whose, fmt::format("in planar motion the axis of a {} joint lies in the plane", name_of(spec.type)),
           text(spec.axis));
  if (spec.type == JointType::Revolute) return Quat::FromTwoVectors(Vec3::UnitZ(), z).toRotationMatrix();
  Mat3 axes;
  axes.col(2) = z;
  axes.col(0) = *planar;
  axes.col(1) = z.cross(*planar);
  return axes;
}

void place_anchors(const JointSpec& spec, const std::array<Pose, 2>& at, const Mat3& axes, Joint& joint,
                   const std::string& whose) {
  const std::array<const std::optional<Vec3>*, 2> given = {&spec.anchor_a, &spec.anchor_b};
  const std::array<Pose*, 2> local = {&joint.local_a, &joint.local_b};
  for (std::size_t side = 0; side < 2; ++side) {
    const Vec3 anchor = *given[side] ? **given[side] : at[side].to_local(spec.anchor);
    if (!anchor.allFinite()) reject(whose, "anchors must be finite", text(anchor));
    *local[side] = {anchor, (at[side].rotation.conjugate() * Quat(axes)).normalized()};
  }
}

void check_start(const JointSpec& spec, const BodyState& state, Joint& joint, const std::string& whose) {
  const JointFrames frames = frames_of(joint, state);
  const double between = (frames.p_a - frames.p_b).norm();
  if (joint.along_line()) {
    joint.length = spec.length.value_or(between);
    demand(std::isfinite(joint.length) && (joint.length > 0 || !joint.holds_length), whose,
           "its length must be finite and > 0: anchors that coincide want a ball joint", joint.length);
    if (joint.has_axis[kSlide] && spec.length)
      reject(whose, "a length that is held and limits of it exclude each other");
    if (!(between > 0) && joint.axis[kSlide].lower.value_or(-1) > 0)
      reject(whose, "its anchors coincide, which the lower limit forbids");
  }
  std::array<double, 6> error = {};
  held_error(joint, frames, error.data());
  double squares = 0;
  for (double e : error) squares += e * e;
  if (std::sqrt(squares) > spec.tolerance)
    reject(whose, joint.holds_length
                      ? fmt::format("its anchors, at {} and {}, are {:.6g} m apart, but its length is {:.6g} m",
                                    text(frames.p_a), text(frames.p_b), between, joint.length)
                      : fmt::format("its anchors are apart by more than its tolerance of {:.3g} m: {} and {}",
                                    spec.tolerance, text(frames.p_a), text(frames.p_b)));
  for (int axis : {kSlide, kTurn}) {
    AxisSpec& a = joint.axis[static_cast<std::size_t>(axis)];
    if (!joint.has_axis[static_cast<std::size_t>(axis)]) continue;
    const double reading = axis_reading(joint, frames, axis, a.start);
    if (!a.rest) a.rest = reading;
    const double slack = joint.along_line() || axis == kSlide ? spec.tolerance : 1e-6;
    if ((a.lower && reading < *a.lower - slack) || (a.upper && reading > *a.upper + slack))
      reject(whose, "it is beyond its limits at the start", fmt::format("{:.6g}", reading));
  }
}

}  // namespace

Joint make_joint(const JointSpec& spec, const std::array<int, 2>& bodies, const BodyProperties& properties,
                 const BodyState& state, const std::optional<Vec3>& planar, const std::string& whose) {
  if (bodies[0] < 0 && bodies[1] < 0) reject(whose, "a joint needs a body: both its ends are the world");
  if (bodies[0] == bodies[1]) reject(whose, "a joint cannot connect a body to itself");
  Joint joint;
  joint.type = spec.type;
  joint.bodies = bodies;
  joint.collide = spec.collide;
  joint.name = spec.name;
  std::array<Pose, 2> at;
  for (std::size_t side = 0; side < 2; ++side) {
    if (bodies[side] < 0) continue;
    at[side] = pose_of(state, bodies[side]);
    if (properties.kind[static_cast<std::size_t>(bodies[side])] == BodyKind::Dynamic)
      joint.movable[side] = bodies[side];
  }
  if (joint.movable[0] < 0 && joint.movable[1] < 0)
    reject(whose, "a joint needs a body that can move: neither of its two is dynamic");
  if (!(spec.tolerance >= 0)) reject(whose, "tolerance must be >= 0", fmt::format("{}", spec.tolerance));
  if (spec.length && spec.type != JointType::Distance) reject(whose, "only a distance joint has a length");

  set_kind(spec, joint, whose);
  const Mat3 axes = joint_axes(spec, planar, whose);
  if (planar) leave_out_planar(*planar, axes, joint, whose);
  place_anchors(spec, at, axes, joint, whose);
  check_start(spec, state, joint, whose);
  return joint;
}

}  // namespace carom
