#include "io/run_reader.h"

#include "io/run_statics.h"
#include "io/run_tables.h"

namespace carom {

namespace layout = run_layout;

RunReader::RunReader(const std::string& path) : RunFile(path, "") {
  const h5::File& file = view_->file;
  bodies_ = file.open_dataset(std::string(layout::kBodies) + "kind", h5::Type::UInt8, 1).rows();
  if (bodies_ == 0 || bodies_ > file.size_on_disk()) file.fail("/bodies", "has an impossible size");
  joints_ = read_joints(file, bodies_).size();
  interfaces_ = read_interfaces(file, bodies_).size();
  std::vector<TableShape> by_frame = {{layout::kFrames, layout::kFrameColumns, bodies_}};
  if (joints_ > 0) by_frame.push_back({layout::kJoints, layout::kJointColumns, joints_});
  if (interfaces_ > 0) by_frame.push_back({layout::kInterfaces, layout::kInterfaceColumns, interfaces_});
  view_->open_tables({by_frame, {layout::kContacts, layout::kContactColumns, bodies_}});
}

// ---- Written once ----

std::vector<Attachment> RunReader::attachments() const { return read_attachments(view_->file); }

std::vector<RunBody> RunReader::bodies() const {
  std::vector<RunBody> bodies = read_bodies(view_->file);
  if (bodies.size() != bodies_) view_->file.fail("/bodies/name", "has an unexpected size");
  return bodies;
}

std::vector<RunCollider> RunReader::colliders() const { return read_colliders(view_->file, bodies_); }
std::vector<RunJoint> RunReader::joints() const { return read_joints(view_->file, bodies_); }
std::vector<RunInterface> RunReader::interfaces() const { return read_interfaces(view_->file, bodies_); }
CollapseRecord RunReader::collapse() const { return read_collapse(view_->file, bodies_, interfaces_); }

// ---- Frames and contacts ----

namespace {

std::vector<Vec3> to_vectors(const std::vector<double>& values) {
  std::vector<Vec3> out(values.size() / 3);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = Vec3(&values[3 * i]);
  return out;
}

}  // namespace

RunFrame RunReader::frame(std::int64_t index) const {
  const std::uint64_t row = view_->check_frame(index);
  const RowTable& table = view_->frames[0];
  RunFrame frame;
  std::vector<double> values;
  std::vector<std::int64_t> step;
  table.read(layout::kFrameStep, row, 1, step);
  frame.step = step[0];
  table.read(layout::kFrameTime, row, 1, values);
  frame.time = values[0];
  table.read(layout::kPosition, row, 1, values);
  frame.position = to_vectors(values);
  table.read(layout::kVelocity, row, 1, values);
  frame.velocity = to_vectors(values);
  table.read(layout::kAngularVelocity, row, 1, values);
  frame.angular_velocity = to_vectors(values);
  table.read(layout::kOrientation, row, 1, values);
  for (std::size_t i = 0; i + 3 < values.size(); i += 4)
    frame.orientation.emplace_back(values[i], values[i + 1], values[i + 2], values[i + 3]);
  return frame;
}

std::vector<ContactRecord> RunReader::contacts(std::int64_t frame) const {
  const auto [first, count] = view_->contact_rows(view_->check_frame(frame));
  const RowTable& table = view_->contacts;
  std::vector<std::int32_t> body_a, body_b;
  std::vector<std::uint64_t> key;
  std::vector<std::uint8_t> status;
  std::vector<double> point, normal, gap, impulse, impulse_world, velocity, moment;
  table.read(layout::kBodyA, first, count, body_a);
  table.read(layout::kBodyB, first, count, body_b);
  table.read(layout::kKey, first, count, key);
  table.read(layout::kPoint, first, count, point);
  table.read(layout::kNormal, first, count, normal);
  table.read(layout::kGap, first, count, gap);
  table.read(layout::kImpulse, first, count, impulse);
  table.read(layout::kImpulseWorld, first, count, impulse_world);
  table.read(layout::kContactVelocity, first, count, velocity);
  table.read(layout::kContactStatus, first, count, status);
  if (view_->moments) view_->moments->read(0, first, count, moment);
  std::vector<ContactRecord> records(count);
  for (std::size_t i = 0; i < records.size(); ++i) {
    ContactRecord& c = records[i];
    c.key = {static_cast<std::uint32_t>(key[3 * i]), static_cast<std::uint32_t>(key[3 * i + 1]), key[3 * i + 2]};
    c.body_a = body_a[i];
    c.body_b = body_b[i];
    c.point = Vec3(&point[3 * i]);
    c.normal = Vec3(&normal[3 * i]);
    c.gap = gap[i];
    c.impulse = Vec3(&impulse[3 * i]);
    c.impulse_world = Vec3(&impulse_world[3 * i]);
    c.velocity = Vec3(&velocity[3 * i]);
    if (!moment.empty()) c.moment = Vec3(&moment[3 * i]);
    if (status[i] > static_cast<std::uint8_t>(ContactStatus::Slip))
      view_->file.fail("/contacts/status", "holds an unknown value");
    c.status = static_cast<ContactStatus>(status[i]);
  }
  return records;
}

bool RunReader::has_moments() const { return view_->moments.has_value(); }

// ---- Joints and interfaces ----

std::vector<JointFrame> RunReader::joints(std::int64_t frame) const {
  const std::uint64_t row = view_->check_frame(frame);
  if (joints_ == 0) return {};
  const RowTable& table = view_->frames[1];
  std::vector<double> force, torque, slide, turn, error;
  table.read(layout::kJointForce, row, 1, force);
  table.read(layout::kJointTorque, row, 1, torque);
  table.read(layout::kJointSlide, row, 1, slide);
  table.read(layout::kJointTurn, row, 1, turn);
  table.read(layout::kJointError, row, 1, error);
  const auto axis = [](const double* x) { return AxisRecord{x[0], x[1], x[2], x[3], x[4], x[5]}; };
  std::vector<JointFrame> out(joints_);
  for (std::size_t i = 0; i < joints_; ++i)
    out[i] = {Vec3(&force[3 * i]), Vec3(&torque[3 * i]), axis(&slide[6 * i]), axis(&turn[6 * i]), error[i]};
  return out;
}

std::vector<InterfaceFrame> RunReader::interfaces(std::int64_t frame) const {
  const std::uint64_t row = view_->check_frame(frame);
  if (interfaces_ == 0) return {};
  const RowTable& table = view_->frames.back();
  std::vector<std::uint8_t> status, bonded;
  std::vector<double> opening, closest, sliding, normal, shear, eccentricity, thrust;
  table.read(layout::kInterfaceStatus, row, 1, status);
  table.read(layout::kOpening, row, 1, opening);
  table.read(layout::kClosest, row, 1, closest);
  table.read(layout::kSliding, row, 1, sliding);
  table.read(layout::kNormalForce, row, 1, normal);
  table.read(layout::kShearForce, row, 1, shear);
  table.read(layout::kEccentricity, row, 1, eccentricity);
  table.read(layout::kThrustPoint, row, 1, thrust);
  table.read(layout::kBonded, row, 1, bonded);
  std::vector<InterfaceFrame> out(interfaces_);
  for (std::size_t i = 0; i < interfaces_; ++i) {
    if (status[i] > static_cast<std::uint8_t>(InterfaceStatus::Open))
      view_->file.fail("/interfaces/status", "holds an unknown value");
    out[i] = {static_cast<InterfaceStatus>(status[i]),
              opening[i],
              closest[i],
              sliding[i],
              normal[i],
              shear[i],
              eccentricity[i],
              Vec3(&thrust[3 * i]),
              bonded[i] != 0};
  }
  return out;
}

// ---- Checkpoint ----

std::optional<Checkpoint> RunReader::last_checkpoint() const {
  return view_->newest(decode_checkpoint,
                       [&](const Checkpoint& c) { return c.snapshot.bodies.position.size() == bodies_; });
}

std::optional<WorldSnapshot> RunReader::checkpoint() const {
  std::optional<Checkpoint> last = last_checkpoint();
  if (!last) return {};
  return std::move(last->snapshot);
}

}  // namespace carom
