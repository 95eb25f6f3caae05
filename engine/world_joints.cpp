// The joints of a World.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "engine/world_impl.h"

namespace carom {

static_assert(std::is_trivially_copyable_v<JointMemory> &&
              sizeof(JointMemory) == (6 + 2 * kAxisParts + 2 + 3 + 3) * sizeof(double));

// ---- Inside ----

std::size_t World::Impl::joint_slot(JointId id) const {
  CAROM_CHECK(
      id.index < model.joints.size() && joint_generation[id.index] == id.generation && model.joints[id.index].alive,
      "the handle names a joint of this world that was not removed");
  return id.index;
}

void World::Impl::remove_joint(std::size_t slot) {
  Joint& joint = model.joints[slot];
  joint_by_name.erase(joint.name);
  joint.alive = false;
  joint.name.clear();
  context.joints.memory[slot] = {};
  ++joint_generation[slot];
  free_joints.push_back(static_cast<int>(slot));
}

void World::Impl::remove_joints_of(int body) {
  for (std::size_t slot = 0; slot < model.joints.size(); ++slot) {
    const Joint& joint = model.joints[slot];
    if (joint.alive && (joint.bodies[0] == body || joint.bodies[1] == body)) remove_joint(slot);
  }
  apart_stale = true;
}

void World::Impl::list_apart() {
  if (!apart_stale) return;
  apart_stale = false;
  model.apart.clear();
  model.in_apart.assign(static_cast<std::size_t>(state.size()), 0);
  for (const Joint& joint : model.joints) {
    if (!joint.alive || joint.collide || joint.bodies[0] < 0 || joint.bodies[1] < 0) continue;
    model.apart.push_back({std::min(joint.bodies[0], joint.bodies[1]), std::max(joint.bodies[0], joint.bodies[1])});
    for (int body : joint.bodies) model.in_apart[static_cast<std::size_t>(body)] = 1;
  }
  std::sort(model.apart.begin(), model.apart.end());
}

std::span<const double> World::Impl::joint_memory() const {
  const std::vector<JointMemory>& memory = context.joints.memory;
  return {reinterpret_cast<const double*>(memory.data()), memory.size() * kJointMemoryDoubles};
}

void World::Impl::restore_joints(std::span<const double> memory) {
  std::vector<JointMemory>& ours = context.joints.memory;
  if (memory.size() != ours.size() * kJointMemoryDoubles)
    throw InputError({"", 0, 0, "checkpoint"}, "belongs to another scene",
                     fmt::format("{} joints, the scene has {}", memory.size() / kJointMemoryDoubles, ours.size()));
  std::copy(memory.begin(), memory.end(), reinterpret_cast<double*>(ours.data()));
}

// ---- Building ----

JointId World::add_joint(const JointSpec& spec) {
  const std::string whose = spec.name.empty() ? fmt::format("joint {}", joint_count()) : spec.name;
  if (!spec.name.empty() && impl_->joint_by_name.contains(spec.name))
    throw InputError({"", 0, 0, whose}, "this name is in use already", fmt::format("\"{}\"", spec.name));
  const std::array<int, 2> bodies = {spec.a ? impl_->slot_of(*spec.a) : -1, spec.b ? impl_->slot_of(*spec.b) : -1};
  Joint joint = make_joint(spec, bodies, impl_->model.bodies, impl_->state, impl_->options.planar, whose);

  std::size_t slot = impl_->model.joints.size();
  if (!impl_->free_joints.empty()) {
    slot = static_cast<std::size_t>(impl_->free_joints.back());
    impl_->free_joints.pop_back();
  } else {
    impl_->model.joints.emplace_back();
    impl_->joint_generation.push_back(0);
    impl_->context.joints.memory.emplace_back();
  }
  const JointFrames frames = frames_of(joint, impl_->state);
  JointMemory& memory = impl_->context.joints.memory[slot];
  for (int axis : {kSlide, kTurn}) {
    const auto k = static_cast<std::size_t>(axis);
    if (joint.has_axis[k]) memory.reading[k] = axis_reading(joint, frames, axis, joint.axis[k].start);
  }
  impl_->model.joints[slot] = std::move(joint);
  if (!spec.name.empty()) impl_->joint_by_name[spec.name] = static_cast<int>(slot);
  impl_->apart_stale = true;
  return {static_cast<std::uint32_t>(slot), impl_->joint_generation[slot]};
}

void World::remove_joint(JointId id) {
  impl_->remove_joint(impl_->joint_slot(id));
  impl_->apart_stale = true;
}

void World::set_motor(JointId id, int axis, std::optional<double> speed) {
  Joint& joint = impl_->model.joints[impl_->joint_slot(id)];
  CAROM_CHECK(axis == kSlide || axis == kTurn, "a joint slides or turns");
  const auto k = static_cast<std::size_t>(axis);
  const std::string whose = joint.name.empty() ? fmt::format("joint {}", id.index) : joint.name;
  if (!joint.has_axis[k]) throw InputError({"", 0, 0, whose}, "has no such coordinate for a motor to drive");
  if (speed && !std::isfinite(*speed))
    throw InputError({"", 0, 0, whose}, "motor speed must be finite", fmt::format("{}", *speed));
  if (speed && joint.axis[k].limited() && std::isinf(joint.axis[k].motor_limit))
    throw InputError({"", 0, 0, whose}, "a motor of unlimited strength would break through the limits");
  joint.axis[k].motor_speed = speed;
}

// ---- Reading ----

int World::joint_count() const { return static_cast<int>(impl_->model.joints.size()); }

bool World::contains(JointId id) const {
  return id.index < impl_->model.joints.size() && impl_->joint_generation[id.index] == id.generation &&
         impl_->model.joints[id.index].alive;
}

std::optional<JointId> World::find_joint(const std::string& name) const {
  const auto it = impl_->joint_by_name.find(name);
  if (it == impl_->joint_by_name.end()) return std::nullopt;
  return JointId{static_cast<std::uint32_t>(it->second), impl_->joint_generation[static_cast<std::size_t>(it->second)]};
}

const std::vector<Joint>& World::joints() const { return impl_->model.joints; }

JointRecord World::joint_record(JointId id) const {
  const std::size_t slot = impl_->joint_slot(id);
  const Joint& joint = impl_->model.joints[slot];
  const JointMemory& memory = impl_->context.joints.memory[slot];
  const BodyState& state = impl_->state;
  const double h = impl_->context.warm.h, per_h = h > 0 ? 1 / h : 0.0;
  const JointFrames frames = frames_of(joint, state);
  JointRecord record;
  record.id = id;
  record.type = joint.type;
  record.body_a = joint.bodies[0];
  record.body_b = joint.bodies[1];
  record.point = frames.p_b;
  record.axis = joint.along_line() ? axis_row(joint, frames, kSlide).linear : Vec3(frames.B.col(2));
  record.force = per_h * Eigen::Map<const Vec3>(memory.force.data());
  record.torque = per_h * Eigen::Map<const Vec3>(memory.torque.data());
  for (int axis : {kSlide, kTurn}) {
    const auto k = static_cast<std::size_t>(axis);
    if (!joint.has_axis[k]) continue;
    AxisRecord& out = axis == kSlide ? record.slide : record.turn;
    const auto part = [&](JointPart p) { return per_h * memory.axis[k][static_cast<std::size_t>(p) - 1]; };
    out.position = axis_reading(joint, frames, axis, memory.reading[k]);
    out.velocity = row_velocity(axis_row(joint, frames, axis), joint.bodies, state, state.rotation);
    out.limit = part(JointPart::Lower) - part(JointPart::Upper);
    out.spring = part(JointPart::Spring);
    out.motor = part(JointPart::Motor);
    out.friction = part(JointPart::Friction);
  }
  std::array<double, 6> error = {};
  held_error(joint, frames, error.data());
  for (double e : error) record.error = std::max(record.error, std::abs(e));
  return record;
}

void World::joint_records(std::vector<JointRecord>& out) const {
  out.clear();
  for (std::uint32_t slot = 0; slot < impl_->model.joints.size(); ++slot)
    if (impl_->model.joints[slot].alive) out.push_back(joint_record({slot, impl_->joint_generation[slot]}));
}

}  // namespace carom
