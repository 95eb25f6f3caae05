#include "io/run_tables.h"
#include "io/system_run.h"

namespace carom {

namespace layout = run_layout;

struct SystemRunReader::Impl {
  RunView view;
  std::vector<std::string> coordinates, contacts;

  explicit Impl(const std::string& path) : view(path, "system") {
    coordinates = view.file.read_texts(layout::kSystemCoordinates);
    contacts = view.file.read_texts(layout::kSystemContacts);
    view.open_tables({{{layout::kFrames, layout::kSystemFrameColumns, coordinates.size()},
                       {layout::kFrames, layout::kGapColumns, contacts.size()}},
                      {layout::kContacts, layout::kSystemContactColumns, 1}});
  }
};

SystemRunReader::SystemRunReader(const std::string& file) : impl_(std::make_unique<Impl>(file)) {}
SystemRunReader::SystemRunReader(SystemRunReader&&) noexcept = default;
SystemRunReader::~SystemRunReader() = default;

std::string SystemRunReader::status() const { return impl_->view.file.read_text(layout::kStatus); }
std::string SystemRunReader::version() const {
  return impl_->view.file.text_attribute(layout::kScene, "program_version");
}
std::string SystemRunReader::scene_text() const { return impl_->view.file.read_text(layout::kSceneText); }
std::string SystemRunReader::scene_name() const { return impl_->view.file.text_attribute(layout::kScene, "name"); }
std::string SystemRunReader::scene_title() const { return impl_->view.file.text_attribute(layout::kScene, "title"); }
std::string SystemRunReader::system() const { return impl_->view.file.text_attribute(layout::kSystem, "type"); }
const std::vector<std::string>& SystemRunReader::coordinates() const { return impl_->coordinates; }
const std::vector<std::string>& SystemRunReader::contacts() const { return impl_->contacts; }
std::int64_t SystemRunReader::frame_count() const { return impl_->view.rows.frames; }

std::vector<double> SystemRunReader::frame_times() const {
  std::vector<double> times;
  impl_->view.frames[0].read(layout::kSystemTime, 0, impl_->view.frames[0].rows(), times);
  return times;
}

std::vector<std::int64_t> SystemRunReader::frame_steps() const {
  std::vector<std::int64_t> steps;
  impl_->view.frames[0].read(layout::kSystemStep, 0, impl_->view.frames[0].rows(), steps);
  return steps;
}

SystemFrame SystemRunReader::frame(std::int64_t index) const {
  const std::uint64_t row = impl_->view.check_frame(index);
  const RowTable &state = impl_->view.frames[0], &gaps = impl_->view.frames[1];
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
  const auto [first, count] = impl_->view.contact_rows(impl_->view.check_frame(frame));
  const RowTable& table = impl_->view.contacts;
  std::vector<std::int32_t> contact;
  std::vector<double> gap, impulse, velocity;
  table.read(layout::kSystemContact, first, count, contact);
  table.read(layout::kSystemGap, first, count, gap);
  table.read(layout::kSystemImpulse, first, count, impulse);
  table.read(layout::kSystemVelocity, first, count, velocity);
  std::vector<LagrangianContactRecord> records(count);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (contact[i] < 0 || static_cast<std::size_t>(contact[i]) >= impl_->contacts.size())
      impl_->view.file.fail("/contacts/contact", "names no contact of the system");
    records[i] = {contact[i], gap[i], Vec3(&impulse[3 * i]), Vec3(&velocity[3 * i])};
  }
  return records;
}

RunDiagnostics SystemRunReader::diagnostics() const { return impl_->view.read_diagnostics(); }

std::optional<SystemCheckpoint> SystemRunReader::last_checkpoint() const {
  std::optional<SystemCheckpoint> newest;
  for (const char* slot : layout::kSlots) {
    std::optional<SystemCheckpoint> found = decode_system_checkpoint(impl_->view.read_slot(slot));
    const bool usable = found && impl_->view.fits(found->rows) && found->snapshot.q.size() == impl_->coordinates.size();
    if (usable && (!newest || found->sequence > newest->sequence)) newest = std::move(found);
  }
  return newest;
}

}  // namespace carom
