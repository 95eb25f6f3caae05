#include "io/run_statics.h"
#include "io/run_writer_impl.h"

namespace carom {

namespace layout = run_layout;

RunShape RunContent<SystemRun>::shape(const SystemScene& scene) {
  const std::uint64_t coordinates = width(scene.world), frames = expected_frames(scene.run, scene.output);
  const auto contacts = static_cast<std::uint64_t>(scene.world.system().contacts());
  return {{{layout::kFrames, layout::kSystemFrameColumns, coordinates, frames},
           {layout::kFrames, layout::kGapColumns, contacts, frames}},
          {layout::kContacts, layout::kSystemContactColumns, 1, contacts * frames},
          static_cast<std::uint64_t>(std::max<std::int64_t>(0, scene.run.steps)),
          32 + 2 * coordinates + 3 * contacts};
}

void RunContent<SystemRun>::write_once(h5::File& file, const SystemScene& scene) {
  write_scene_head(file, scene.name, scene.title, scene.text, scene.output.frame_every);
  const LagrangianSystem& system = scene.world.system();
  std::vector<std::string> coordinates, contacts;
  for (int i = 0; i < system.coordinates(); ++i) coordinates.push_back(system.coordinate_name(i));
  for (int i = 0; i < system.contacts(); ++i) contacts.push_back(system.contact_name(i));
  file.create_group(layout::kSystem);
  file.set_attribute(layout::kSystem, "type", std::string(system.name()));
  file.write_texts(layout::kSystemCoordinates, coordinates);
  file.write_texts(layout::kSystemContacts, contacts);
}

void RunContent<SystemRun>::append_state(RunTables& tables, const LagrangianWorld& world,
                                         const std::vector<LagrangianContactRecord>&) {
  RowTable &state = tables.frames[0], &gaps = tables.frames[1];
  VectorXd gap(world.system().contacts());
  world.system().gaps(world.time(), world.q(), gap);
  state.append(layout::kSystemStep, world.step_count());
  state.append(layout::kSystemTime, world.time());
  state.append(layout::kSystemQ, world.q().data(), static_cast<std::size_t>(world.q().size()));
  state.append(layout::kSystemV, world.v().data(), static_cast<std::size_t>(world.v().size()));
  state.end_rows(1);
  gaps.append(0, gap.data(), static_cast<std::size_t>(gap.size()));
  gaps.end_rows(1);
}

void RunContent<SystemRun>::append(RunTables& tables, const LagrangianContactRecord& contact) {
  RowTable& table = tables.contacts;
  table.append(layout::kSystemContact, std::int32_t{contact.contact});
  table.append(layout::kSystemGap, contact.gap);
  table.append(layout::kSystemImpulse, contact.impulse.data(), 3);
  table.append(layout::kSystemVelocity, contact.velocity.data(), 3);
  table.end_rows(1);
}

void RunContent<SystemRun>::read_contacts(const LagrangianWorld& world, std::vector<LagrangianContactRecord>& out) {
  out = world.contact_records();
}

std::string RunContent<SystemRun>::difference(const SystemRunReader& file, const SystemCheckpoint&,
                                              const SystemScene& scene) {
  const LagrangianSystem& system = scene.world.system();
  const bool same = file.coordinates().size() == static_cast<std::size_t>(system.coordinates()) &&
                    file.contacts().size() == static_cast<std::size_t>(system.contacts());
  return same ? "" : "number of coordinates or contacts";
}

template class AnyRunWriter<SystemRun>;

}  // namespace carom
