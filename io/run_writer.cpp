#include "io/run_writer.h"

#include "io/run_statics.h"
#include "io/run_writer_impl.h"
#include "io/xdmf.h"

namespace carom {

namespace layout = run_layout;

RunShape RunContent<BodyRun>::shape(const Scene& scene) {
  const std::uint64_t bodies = width(scene.world), frames = expected_frames(scene.run, scene.output);
  // A dense packing has about three contacts per body.
  return {{{layout::kFrames, layout::kFrameColumns, bodies, frames}},
          {layout::kContacts, layout::kContactColumns, bodies, 3 * bodies * frames},
          static_cast<std::uint64_t>(std::max<std::int64_t>(0, scene.run.steps)),
          32 + 16 * bodies};
}

void RunContent<BodyRun>::write_once(h5::File& file, const Scene& scene) { write_statics(file, scene); }

std::vector<std::string> RunContent<BodyRun>::contact_status() { return {"open", "stick", "slip"}; }

void RunContent<BodyRun>::append_state(RunTables& tables, const World& world) {
  RowTable& table = tables.frames.front();
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

void RunContent<BodyRun>::append(RowTable& table, const ContactRecord& c) {
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
}

void RunContent<BodyRun>::read_contacts(const World& world, std::vector<ContactRecord>& out) {
  world.contact_records(out);
}

std::string RunContent<BodyRun>::difference(const RunReader& file, const Checkpoint& last, const Scene& scene) {
  const std::uint64_t bodies = width(scene.world);
  const bool same = file.bodies().size() == bodies && last.snapshot.bodies.position.size() == bodies;
  return same ? "" : "number of bodies";
}

void RunContent<BodyRun>::write_view(const std::string& path, const std::vector<double>& frame_times,
                                     std::uint64_t bodies) {
  write_xdmf(xdmf_beside(path), std::filesystem::path(path).filename().string(), frame_times, bodies);
}

template class AnyRunWriter<BodyRun>;

}  // namespace carom
