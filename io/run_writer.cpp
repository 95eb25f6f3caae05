#include "io/run_writer.h"

#include "engine/interfaces.h"
#include "io/run_statics.h"
#include "io/run_writer_impl.h"
#include "io/xdmf.h"

namespace carom {

namespace layout = run_layout;

RunShape RunContent<BodyRun>::shape(const Scene& scene) {
  const std::uint64_t bodies = width(scene.world), frames = expected_frames(scene.run, scene.output);
  std::vector<TableShape> by_frame = {{layout::kFrames, layout::kFrameColumns, bodies, frames}};
  std::uint64_t joints = static_cast<std::uint64_t>(scene.world.joint_count()), faces = 0;
  if (joints > 0) by_frame.push_back({layout::kJoints, layout::kJointColumns, joints, frames});
  if (scene.world.interfaces() != nullptr) faces = scene.world.interfaces()->interfaces().size();
  if (faces > 0) by_frame.push_back({layout::kInterfaces, layout::kInterfaceColumns, faces, frames});
  // A dense packing has about three contacts per body.
  return {by_frame,
          {layout::kContacts, layout::kContactColumns, bodies, 3 * bodies * frames},
          static_cast<std::uint64_t>(std::max<std::int64_t>(0, scene.run.steps)),
          32 + 16 * bodies + 32 * joints + 12 * faces,
          scene.world.resists_rolling()};
}

void RunContent<BodyRun>::write_once(h5::File& file, const Scene& scene) { write_statics(file, scene); }

std::vector<std::string> RunContent<BodyRun>::contact_status() { return {"open", "stick", "slip"}; }

namespace {

void append_joints(RowTable& table, const World& world) {
  std::vector<JointRecord> records;
  world.joint_records(records);
  for (const JointRecord& joint : records) {
    table.append(layout::kJointForce, joint.force.data(), 3);
    table.append(layout::kJointTorque, joint.torque.data(), 3);
    const auto axis = [&](int column, const AxisRecord& a) {
      const double values[] = {a.position, a.velocity, a.limit, a.spring, a.motor, a.friction};
      table.append(column, values, 6);
    };
    axis(layout::kJointSlide, joint.slide);
    axis(layout::kJointTurn, joint.turn);
    table.append(layout::kJointError, joint.error);
  }
  table.end_rows(1);
}

void append_interfaces(RowTable& table, const World& world, const std::vector<ContactRecord>& contacts) {
  InterfaceMonitor now = *world.interfaces();
  const double h = world.last_step_size();
  if (h > 0) now.update(world, h, contacts);
  for (const Interface& face : now.interfaces()) {
    table.append(layout::kInterfaceStatus, static_cast<std::uint8_t>(face.status));
    table.append(layout::kOpening, face.opening);
    table.append(layout::kClosest, face.closest);
    table.append(layout::kSliding, face.sliding);
    table.append(layout::kNormalForce, face.normal_force);
    table.append(layout::kShearForce, face.shear_force);
    table.append(layout::kEccentricity, face.eccentricity);
    table.append(layout::kThrustPoint, face.thrust_point.data(), 3);
    table.append(layout::kBonded, static_cast<std::uint8_t>(face.bonded ? 1 : 0));
  }
  table.end_rows(1);
}

void append_bodies(RowTable& table, const World& world) {
  const BodyState& state = world.state();
  const std::size_t n = state.position.size();
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  table.append(layout::kFrameStep, world.step_count());
  table.append(layout::kFrameTime, world.time());
  std::vector<double> values;
  values.reserve(4 * n);
  if (n > 0) table.append(layout::kPosition, state.position[0].data(), 3 * n);
  for (const Quat& q : state.rotation) values.insert(values.end(), {q.w(), q.x(), q.y(), q.z()});
  table.append(layout::kOrientation, values.data(), values.size());
  if (n > 0) table.append(layout::kVelocity, state.velocity[0].data(), 3 * n);
  values.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 w = state.rotation[i] * state.spin[i];
    values.insert(values.end(), w.data(), w.data() + 3);
  }
  table.append(layout::kAngularVelocity, values.data(), values.size());
  table.end_rows(1);
}

}  // namespace

void RunContent<BodyRun>::append_state(RunTables& tables, const World& world,
                                       const std::vector<ContactRecord>& contacts) {
  append_bodies(tables.frames[0], world);
  std::size_t next = 1;
  if (world.joint_count() > 0) append_joints(tables.frames[next++], world);
  if (next < tables.frames.size()) append_interfaces(tables.frames[next], world, contacts);
}

void RunContent<BodyRun>::write_findings(h5::File& file, const World& world) {
  const InterfaceMonitor* monitor = world.interfaces();
  if (monitor == nullptr || monitor->interfaces().empty()) return;
  constexpr double kNever = std::numeric_limits<double>::quiet_NaN();
  double values[layout::kCollapseValues] = {
      kNever, kNever, kNever, kNever, monitor->peak_base_shear(), monitor->peak_time()};
  std::vector<std::uint8_t> mechanism(monitor->interfaces().size(), 0);
  if (const auto& collapse = monitor->collapse()) {
    values[0] = collapse->time;
    values[1] = collapse->onset;
    values[2] = collapse->body;
    values[3] = collapse->displacement;
    for (int face : collapse->mechanism) mechanism[static_cast<std::size_t>(face)] = 1;
  }
  h5::Dataset summary = file.open_dataset(layout::kCollapse, h5::Type::Float64, 1);
  summary.write_rows(0, layout::kCollapseValues, values);
  h5::Dataset open = file.open_dataset(layout::kMechanism, h5::Type::UInt8, 1);
  open.write_rows(0, mechanism.size(), mechanism.data());
}

void RunContent<BodyRun>::append(RunTables& tables, const ContactRecord& c) {
  RowTable& table = tables.contacts;
  const std::uint64_t key[] = {c.key.a, c.key.b, c.key.feature};
  table.append(layout::kBodyA, std::int32_t{c.body_a});
  table.append(layout::kBodyB, std::int32_t{c.body_b});
  table.append(layout::kKey, key, 3);
  table.append(layout::kPoint, c.point.data(), 3);
  table.append(layout::kNormal, c.normal.data(), 3);
  table.append(layout::kGap, c.gap);
  table.append(layout::kImpulse, c.impulse.data(), 3);
  table.append(layout::kImpulseWorld, c.impulse_world.data(), 3);
  table.append(layout::kContactVelocity, c.velocity.data(), 3);
  table.append(layout::kContactStatus, static_cast<std::uint8_t>(c.status));
  table.end_rows(1);
  if (!tables.moments) return;
  tables.moments->append(0, c.moment.data(), 3);
  tables.moments->end_rows(1);
}

void RunContent<BodyRun>::read_contacts(const World& world, std::vector<ContactRecord>& out) {
  world.contact_records(out);
}

std::string RunContent<BodyRun>::difference(const RunReader& file, const Checkpoint& last, const Scene& scene) {
  const std::uint64_t bodies = width(scene.world);
  const bool same = file.bodies().size() == bodies && last.snapshot.bodies.position.size() == bodies;
  if (!same) return "number of bodies";
  return same_surfaces(file.colliders(), scene.world.colliders()) ? "" : "geometry of a mesh or height field";
}

void RunContent<BodyRun>::write_view(const std::string& path, const std::vector<double>& frame_times,
                                     std::uint64_t bodies) {
  write_xdmf(xdmf_beside(path), std::filesystem::path(path).filename().string(), frame_times, bodies);
}

template class AnyRunWriter<BodyRun>;

}  // namespace carom
