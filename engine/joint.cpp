#include "engine/joint.h"

#include <cmath>
#include <numbers>

namespace carom {

namespace {

const Pose kWorld;

Pose pose_at(const BodyState& state, int body) { return body < 0 ? kWorld : pose_of(state, body); }

// A row of relative motion along d at b's anchor: both bodies feel it at the same point.
FactorRow linear_row(const JointFrames& f, const Vec3& d) {
  return {d, (f.p_b - f.centre_a).cross(d), d.cross(f.p_b - f.centre_b)};
}
FactorRow angular_row(const Vec3& d) { return {Vec3::Zero(), d, -d}; }

// The unit vector from b's anchor to a's.
Vec3 line(const JointFrames& f) {
  const Vec3 between = f.p_a - f.p_b;
  const double length = between.norm();
  return length > 0 ? Vec3(between / length) : Vec3(f.B.col(2));
}

// The rotation vector phi of A = exp(phi) B, in B's axes.
Vec3 turned_by(const JointFrames& f) {
  const Quat q(Mat3(f.B.transpose() * f.A));
  const double sine = q.vec().norm();
  if (sine == 0) return Vec3::Zero();
  const double angle = 2 * std::atan2(sine, std::abs(q.w()));
  return std::copysign(angle / sine, q.w()) * q.vec();
}

}  // namespace

std::string_view name_of(JointType type) {
  switch (type) {
    case JointType::Ball:
      return "ball";
    case JointType::Revolute:
      return "revolute";
    case JointType::Prismatic:
      return "prismatic";
    case JointType::Cylindrical:
      return "cylindrical";
    case JointType::Fixed:
      return "fixed";
    case JointType::Planar:
      return "planar";
    case JointType::Distance:
      return "distance";
    case JointType::Spring:
      return "spring";
  }
  return "unknown";
}

int Joint::held() const {
  int rows = holds_length ? 1 : 0;
  for (int k = 0; k < 3; ++k) rows += (holds_linear[std::size_t(k)] ? 1 : 0) + (holds_angular[std::size_t(k)] ? 1 : 0);
  return rows;
}

JointFrames frames_of(const Joint& joint, const BodyState& state) {
  const Pose a = pose_at(state, joint.bodies[0]), b = pose_at(state, joint.bodies[1]);
  const Pose frame_a = a * joint.local_a, frame_b = b * joint.local_b;
  return {frame_a.position, frame_b.position, frame_a.rotation.toRotationMatrix(), frame_b.rotation.toRotationMatrix(),
          a.position,       b.position};
}

void held_rows(const Joint& joint, const JointFrames& f, FactorRow* rows) {
  if (joint.holds_length) {
    *rows = axis_row(joint, f, kSlide);
    return;
  }
  for (int k = 0; k < 3; ++k)
    if (joint.holds_linear[std::size_t(k)]) *rows++ = linear_row(f, f.B.col(k));
  for (int k = 0; k < 3; ++k)
    if (joint.holds_angular[std::size_t(k)]) *rows++ = angular_row(f.B.col(k));
}

FactorRow axis_row(const Joint& joint, const JointFrames& f, int axis) {
  if (axis == kTurn) return angular_row(f.B.col(2));
  return linear_row(f, joint.along_line() ? line(f) : Vec3(f.B.col(2)));
}

void held_error(const Joint& joint, const JointFrames& f, double* error) {
  if (joint.holds_length) {
    *error = (f.p_a - f.p_b).norm() - joint.length;
    return;
  }
  // Seen at b's anchor, where the rows act: A's axis or plane itself, not the anchor that may have slid along it.
  Vec3 point = f.p_a;
  const double along = f.A.col(2).dot(f.B.col(2));
  if (joint.type == JointType::Prismatic || joint.type == JointType::Cylindrical)
    point -= f.B.col(2).dot(f.p_a - f.p_b) / along * f.A.col(2);
  if (joint.type == JointType::Planar) point = f.p_b + f.A.col(2).dot(f.p_a - f.p_b) / along * f.B.col(2);
  const Vec3 apart = f.B.transpose() * (point - f.p_b);
  for (int k = 0; k < 3; ++k)
    if (joint.holds_linear[std::size_t(k)]) *error++ = apart[k];

  // All three: the whole turn. Two: the tilt of the axes, z_b x z_a.
  const bool whole = joint.type == JointType::Fixed || joint.type == JointType::Prismatic;
  const Vec3 turn = whole ? turned_by(f) : Vec3(f.B.transpose() * f.B.col(2).cross(f.A.col(2)));
  for (int k = 0; k < 3; ++k)
    if (joint.holds_angular[std::size_t(k)]) *error++ = turn[k];
}

double axis_reading(const Joint& joint, const JointFrames& f, int axis, double near) {
  if (joint.along_line()) return (f.p_a - f.p_b).norm();
  const double start = joint.axis[std::size_t(axis)].start;
  if (axis == kSlide) return start + f.B.col(2).dot(f.p_a - f.p_b);
  const double angle = start + std::atan2(f.B.col(1).dot(f.A.col(0)), f.B.col(0).dot(f.A.col(0)));
  return angle + 2 * std::numbers::pi * std::round((near - angle) / (2 * std::numbers::pi));
}

double row_velocity(const FactorRow& row, const std::array<int, 2>& bodies, const BodyState& velocities,
                    const std::vector<Quat>& rotation) {
  double u = 0;
  if (bodies[0] >= 0) {
    const auto a = static_cast<std::size_t>(bodies[0]);
    u += row.linear.dot(velocities.velocity[a]) + row.angular_a.dot(rotation[a] * velocities.spin[a]);
  }
  if (bodies[1] >= 0) {
    const auto b = static_cast<std::size_t>(bodies[1]);
    u += -row.linear.dot(velocities.velocity[b]) + row.angular_b.dot(rotation[b] * velocities.spin[b]);
  }
  return u;
}

}  // namespace carom
