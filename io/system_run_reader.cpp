#include "io/system_run_reader.h"

#include "io/run_tables.h"

namespace carom {

namespace layout = run_layout;

SystemRunReader::SystemRunReader(const std::string& path) : RunFile(path, "system") {
  coordinates_ = view_->file.read_texts(layout::kSystemCoordinates);
  contacts_ = view_->file.read_texts(layout::kSystemContacts);
  view_->open_tables({{{layout::kFrames, layout::kSystemFrameColumns, coordinates_.size()},
                       {layout::kFrames, layout::kGapColumns, contacts_.size()}},
                      {layout::kContacts, layout::kSystemContactColumns, 1}});
}

std::string SystemRunReader::system() const { return view_->file.text_attribute(layout::kSystem, "type"); }

SystemFrame SystemRunReader::frame(std::int64_t index) const {
  const std::uint64_t row = view_->check_frame(index);
  const RowTable &state = view_->frames[0], &gaps = view_->frames[1];
  SystemFrame frame;
  std::vector<double> time;
  std::vector<std::int64_t> step;
  state.read(layout::kSystemTime, row, 1, time);
  state.read(layout::kSystemStep, row, 1, step);
  frame.time = time[0];
  frame.step = step[0];
  state.read(layout::kSystemQ, row, 1, frame.q);
  state.read(layout::kSystemV, row, 1, frame.v);
  gaps.read(0, row, 1, frame.gap);
  return frame;
}

std::vector<LagrangianContactRecord> SystemRunReader::contacts(std::int64_t frame) const {
  const auto [first, count] = view_->contact_rows(view_->check_frame(frame));
  const RowTable& table = view_->contacts;
  std::vector<std::int32_t> contact;
  std::vector<double> gap, impulse, velocity;
  table.read(layout::kSystemContact, first, count, contact);
  table.read(layout::kSystemGap, first, count, gap);
  table.read(layout::kSystemImpulse, first, count, impulse);
  table.read(layout::kSystemVelocity, first, count, velocity);
  std::vector<LagrangianContactRecord> records(count);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (contact[i] < 0 || static_cast<std::size_t>(contact[i]) >= contacts_.size())
      view_->file.fail("/contacts/contact", "names no contact of the system");
    records[i] = {contact[i], gap[i], Vec3(&impulse[3 * i]), Vec3(&velocity[3 * i])};
  }
  return records;
}

std::optional<SystemCheckpoint> SystemRunReader::last_checkpoint() const {
  return view_->newest(decode_system_checkpoint,
                       [&](const SystemCheckpoint& c) { return c.snapshot.q.size() == coordinates_.size(); });
}

}  // namespace carom
