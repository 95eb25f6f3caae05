#include "engine/joint_step.h"

#include <cmath>

#include "engine/step_context.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }
std::size_t at(JointPart part) { return static_cast<std::size_t>(part) - 1; }  // in JointMemory::axis

const AxisSpec& axis_of(const Joint& joint, const JointBlock& block) { return joint.axis[at(block.axis)]; }

// Two rows, the first of compliance alone: its impulse bounds that of the second.
bool is_bounded(const Joint& joint, const JointBlock& block) {
  return block.part == JointPart::Friction ||
         (block.part == JointPart::Motor && std::isfinite(axis_of(joint, block).motor_limit));
}

Cone cone_of(const Joint& joint, const JointBlock& block) {
  if (block.part == JointPart::Held) return {ConeKind::Free, joint.held(), 0};
  if (block.part == JointPart::Lower || block.part == JointPart::Upper) return {ConeKind::Orthant, 1, 0};
  if (is_bounded(joint, block)) return {ConeKind::Coulomb, 2, 1};
  return {ConeKind::Free, 1, 0};
}

BlockRole role_of(const Joint& joint, const JointBlock& block) {
  switch (block.part) {
    case JointPart::Held:
      return BlockRole::Rigid;
    case JointPart::Lower:
    case JointPart::Upper:
      return BlockRole::Contact;
    case JointPart::Motor:
      return is_bounded(joint, block) ? BlockRole::Finite : BlockRole::Rigid;
    case JointPart::Spring:
    case JointPart::Friction:
      break;
  }
  return BlockRole::Finite;
}

// The largest generalized force of a bounded block, N or N m, by what the joint held in the last step of length h.
double bound_of(const Joint& joint, const JointBlock& block, const JointMemory& memory, double h) {
  const AxisSpec& axis = axis_of(joint, block);
  if (block.part == JointPart::Motor) return axis.motor_limit;
  double squares = 0;
  int row = 0;
  for (bool holds : joint.holds_linear)
    if (holds) squares += memory.held[at(row)] * memory.held[at(row)], ++row;
  const double force = h > 0 ? std::sqrt(squares) / h : 0.0;
  return axis.friction + axis.friction_coefficient * (block.axis == kTurn ? axis.friction_radius : 1.0) * force;
}

// h M^-1 h^T of one row
double mobility(const DelassusFactors& factors, const std::array<int, 2>& movable, const FactorRow& row) {
  double sum = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    if (movable[side] < 0) continue;
    const InverseMass& m = factors.inverse_mass[at(movable[side])];
    const Vec3& angular = side == 0 ? row.angular_a : row.angular_b;
    sum += m.linear * row.linear.squaredNorm() + angular.dot(m.angular * angular);
  }
  return sum;
}

double* remembered(const JointBlock& block, JointMemory& memory) {
  return block.part == JointPart::Held ? memory.held.data() : &memory.axis[at(block.axis)][at(block.part)];
}

}  // namespace

void block_rows(const Joint& joint, const JointBlock& block, const JointFrames& frames, FactorRow* rows) {
  if (block.part == JointPart::Held) return held_rows(joint, frames, rows);
  if (is_bounded(joint, block)) *rows++ = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  *rows = axis_row(joint, frames, block.axis);
  if (block.part == JointPart::Upper) *rows = {-rows->linear, -rows->angular_a, -rows->angular_b};
}

void start_joints(const Model& model, const BodyState& state, ActiveJoints& joints) {
  joints.start.resize(model.joints.size());
  joints.start_reading.resize(model.joints.size());
  joints.memory.resize(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (!joint.alive) continue;
    const JointFrames frames = frames_of(joint, state);
    std::array<FactorRow, 6> rows;
    held_rows(joint, frames, rows.data());
    for (int k = 0; k < joint.held(); ++k)
      joints.start[j][at(k)] = row_velocity(rows[at(k)], joint.bodies, state, state.rotation);
    for (int axis : {kSlide, kTurn}) {
      if (!joint.has_axis[at(axis)]) continue;
      joints.start[j][at(6 + axis)] = row_velocity(axis_row(joint, frames, axis), joint.bodies, state, state.rotation);
      joints.start_reading[j][at(axis)] = axis_reading(joint, frames, axis, joints.memory[j].reading[at(axis)]);
    }
  }
}

void match_joints(const Model& model, const StepOptions& options, double h, StepContext& c) {
  ActiveJoints& joints = c.joints;
  joints.h = h;
  joints.blocks.clear();
  joints.frames.resize(model.joints.size());
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[at(j)];
    if (!joint.alive) continue;
    joints.frames[at(j)] = frames_of(joint, c.mid);
    if (joint.held() > 0) joints.blocks.push_back({j, JointPart::Held, 0});
    for (int axis : {kSlide, kTurn}) {
      if (!joint.has_axis[at(axis)]) continue;
      const AxisSpec& spec = joint.axis[at(axis)];
      // Limits act like contacts: when the predicted reading is beyond them.
      const double near = joints.start_reading[at(j)][at(axis)] + 0.5 * h * joints.start[at(j)][at(6 + axis)];
      const double reading = axis_reading(joint, joints.frames[at(j)], axis, near);
      const double margin = axis == kSlide ? options.activation_margin : 0.0;
      if (spec.lower && reading - *spec.lower <= margin) joints.blocks.push_back({j, JointPart::Lower, axis});
      if (spec.upper && *spec.upper - reading <= margin) joints.blocks.push_back({j, JointPart::Upper, axis});
      if (spec.sprung()) joints.blocks.push_back({j, JointPart::Spring, axis});
      if (spec.motor_speed) joints.blocks.push_back({j, JointPart::Motor, axis});
      if (spec.rubs()) joints.blocks.push_back({j, JointPart::Friction, axis});
    }
  }
  c.joint_blocks = static_cast<int>(joints.blocks.size());
  c.role.clear();
  if (c.joint_blocks == 0) return;
  c.role.resize(c.law.size(), BlockRole::Contact);
  for (const JointBlock& block : joints.blocks) {
    const Joint& joint = model.joints[at(block.joint)];
    c.problem.cones.add(cone_of(joint, block));
    const BlockRole role = role_of(joint, block);
    c.role.push_back(role);
    c.support.push_back(joint.movable[0] < 0 || joint.movable[1] < 0);
    c.law.push_back({.restitution = role == BlockRole::Contact ? axis_of(joint, block).restitution : 0.0});
  }
}

void warm_start_joints(const Model& model, double scale, StepContext& c) {
  const Cones& cones = c.problem.cones;
  for (int b = 0; b < c.joint_blocks; ++b) {
    const JointBlock& block = c.joints.blocks[at(b)];
    const int i = c.found.size() + b, offset = cones.offset(i), dim = cones.dim(i);
    JointMemory& memory = c.joints.memory[at(block.joint)];
    const Joint& joint = model.joints[at(block.joint)];
    const double* last = remembered(block, memory);
    if (is_bounded(joint, block)) {
      c.r[offset] = c.joints.h * bound_of(joint, block, memory, c.warm.h);
      c.r[offset + 1] = scale * last[0];
    } else {
      for (int k = 0; k < dim; ++k) c.r[offset + k] = scale * last[k];
    }
  }
}

void assemble_joints(const Model& model, const StepOptions& options, StepContext& c) {
  ActiveJoints& joints = c.joints;
  DelassusFactors& factors = *c.problem.W.factors;
  const Cones& cones = c.problem.cones;
  if (c.joint_blocks == 0) return factors.compliance.clear();
  const int contacts = c.found.size(), first_row = cones.offset(contacts);
  const double h = joints.h, theta = options.theta;
  factors.compliance.assign(at(cones.rows()), 0.0);
  joints.drift.assign(at(cones.rows() - first_row), 0.0);
  parallel_for(options.threads, c.joint_blocks, [&](std::ptrdiff_t index) {
    const int b = static_cast<int>(index), i = contacts + b, offset = cones.offset(i), dim = cones.dim(i);
    const JointBlock& block = joints.blocks[at(b)];
    const Joint& joint = model.joints[at(block.joint)];
    const std::array<double, 8>& start = joints.start[at(block.joint)];
    factors.bodies[at(i)] = joint.movable;
    FactorRow* rows = &factors.rows[at(offset)];
    block_rows(joint, block, joints.frames[at(block.joint)], rows);
    const int skipped = is_bounded(joint, block) ? 1 : 0;
    c.u_minus[offset] = c.problem.q[offset] = 0;

    // q = H v_free + (u_mid - u_n)
    for (int k = skipped; k < dim; ++k) {
      const double sign = block.part == JointPart::Upper ? -1.0 : 1.0;
      const double u_n = sign * start[at(block.part == JointPart::Held ? k : 6 + block.axis)];
      const double u_mid = row_velocity(rows[k], joint.bodies, c.mid, c.mid.rotation);
      joints.drift[at(offset + k - first_row)] = u_mid - u_n;
      c.u_minus[offset + k] = u_n;
      c.problem.q[offset + k] = row_velocity(rows[k], joint.bodies, c.free, c.mid.rotation) + (u_mid - u_n);
    }
    if (block.part == JointPart::Held) return;
    const AxisSpec& axis = axis_of(joint, block);
    double& q = c.problem.q[offset + dim - 1];
    if (block.part == JointPart::Motor) q -= *axis.motor_speed;
    if (block.part == JointPart::Spring) {
      // r = -h (k (x - rest) + (k h theta + c) u_theta),  u_theta = (1 - theta) u_mid + theta u_plus, solved for u_plus
      const double weight = theta * (axis.stiffness * h * theta + axis.damping);
      const double u_mid = c.u_minus[offset] + joints.drift[at(offset - first_row)];
      const double stretch = joints.start_reading[at(block.joint)][at(block.axis)] - *axis.rest;
      q = row_velocity(rows[0], joint.bodies, c.free, c.mid.rotation) + (1 - theta) / theta * u_mid +
          axis.stiffness * stretch / weight;
      factors.compliance[at(offset)] = 1 / (h * weight);
    }
    if (skipped > 0) {
      // u_n = W_tt (r_n - bound h), W_tt for the scale
      const double scale = mobility(factors, joint.movable, rows[1]);
      factors.compliance[at(offset)] = scale > 0 ? scale : 1.0;
      c.problem.q[offset] =
          -factors.compliance[at(offset)] * h * bound_of(joint, block, joints.memory[at(block.joint)], c.warm.h);
    }
  });
}

void apply_joints(const Model& model, StepContext& c) {
  ActiveJoints& joints = c.joints;
  const Cones& cones = c.problem.cones;
  for (JointMemory& memory : joints.memory) {
    memory.held.fill(0);
    for (auto& axis : memory.axis) axis.fill(0);
    memory.force.fill(0);
    memory.torque.fill(0);
  }
  for (int b = 0; b < c.joint_blocks; ++b) {
    const JointBlock& block = joints.blocks[at(b)];
    const Joint& joint = model.joints[at(block.joint)];
    const JointFrames& frames = joints.frames[at(block.joint)];
    JointMemory& memory = joints.memory[at(block.joint)];
    const int i = c.found.size() + b, offset = cones.offset(i), dim = cones.dim(i);
    const int skipped = is_bounded(joint, block) ? 1 : 0;
    double* last = remembered(block, memory);
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (int k = 0; k < dim; ++k) {
      const FactorRow& row = c.problem.W.factors->rows[at(offset + k)];
      c.u[offset + k] = row_velocity(row, joint.bodies, c.next, c.mid.rotation);
      if (k >= skipped) last[k - skipped] = c.r[offset + k];
      force += c.impulse[offset + k] * row.linear;
      torque += c.impulse[offset + k] * (row.angular_a - (frames.p_b - frames.centre_a).cross(row.linear));
    }
    for (int k = 0; k < 3; ++k) memory.force[at(k)] += force[k], memory.torque[at(k)] += torque[k];
  }
}

double elastic_energy(const Model& model, const BodyState& state, const std::vector<JointMemory>& near) {
  double sum = 0;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (!joint.alive) continue;
    for (int axis : {kSlide, kTurn}) {
      const AxisSpec& spec = joint.axis[at(axis)];
      if (!joint.has_axis[at(axis)] || spec.stiffness == 0) continue;
      const double stretch = axis_reading(joint, frames_of(joint, state), axis, near[j].reading[at(axis)]) - *spec.rest;
      sum += 0.5 * spec.stiffness * stretch * stretch;
    }
  }
  return sum;
}

EnergyReport report_joints(const Model& model, const BodyState& before, StepContext& c) {
  ActiveJoints& joints = c.joints;
  const Cones& cones = c.problem.cones;
  const int first_row = cones.offset(c.found.size());
  EnergyReport e;
  for (int b = 0; b < c.joint_blocks; ++b) {
    const JointBlock& block = joints.blocks[at(b)];
    const Joint& joint = model.joints[at(block.joint)];
    const int i = c.found.size() + b, offset = cones.offset(i);
    double work = 0, boundary = 0;
    for (int k = offset; k < offset + cones.dim(i); ++k) {
      // impulse times the mean velocity, less what bodies in prescribed motion had of it
      work += 0.5 * c.impulse[k] * (c.u[k] + c.u_minus[k] + joints.drift[at(k - first_row)]);
      std::array<int, 2> kinematic = joint.bodies;
      for (int& body : kinematic)
        if (body >= 0 && model.bodies.kind[at(body)] != BodyKind::Kinematic) body = -1;
      if (kinematic[0] < 0 && kinematic[1] < 0) continue;
      const FactorRow& row = c.problem.W.factors->rows[at(k)];
      boundary -=
          0.5 * c.impulse[k] *
          (row_velocity(row, kinematic, before, c.mid.rotation) + row_velocity(row, kinematic, c.next, c.mid.rotation));
    }
    (block.part == JointPart::Motor ? e.external_work : e.joint_work) += work;
    e.boundary_work += boundary;
    e.balance_error -= work + boundary;
  }

  joints.worst_error = 0;
  // What springs give back is energy, not work.
  double before_step = 0;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (!joint.alive) continue;
    const JointFrames frames = frames_of(joint, c.next);
    std::array<double, 6> error = {};
    held_error(joint, frames, error.data());
    for (double one : error) joints.worst_error = std::max(joints.worst_error, std::abs(one));
    for (int axis : {kSlide, kTurn}) {
      if (!joint.has_axis[at(axis)]) continue;
      const AxisSpec& spec = joint.axis[at(axis)];
      const double start = joints.start_reading[j][at(axis)];
      const double rate = row_velocity(axis_row(joint, frames, axis), joint.bodies, c.next, c.next.rotation);
      const double near = start + 0.5 * joints.h * (joints.start[j][at(6 + axis)] + rate);
      const double end = axis_reading(joint, frames, axis, near);
      joints.memory[j].reading[at(axis)] = end;
      if (spec.stiffness == 0) continue;
      before_step += 0.5 * spec.stiffness * (start - *spec.rest) * (start - *spec.rest);
      e.elastic += 0.5 * spec.stiffness * (end - *spec.rest) * (end - *spec.rest);
    }
  }
  e.joint_work += e.elastic - before_step;
  return e;
}

}  // namespace carom
