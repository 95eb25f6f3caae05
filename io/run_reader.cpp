#include "io/run_reader.h"

#include "io/hdf5_disk.h"
#include "io/run_statics.h"
#include "io/run_tables.h"

namespace carom {

namespace layout = run_layout;

struct RunReader::Impl {
  RunView view;
  std::size_t bodies = 0;

  explicit Impl(const std::string& path);
  std::optional<Checkpoint> read_slot(const char* slot) const;
};

RunReader::Impl::Impl(const std::string& path) : view(path, "") {
  const h5::File& file = view.file;
  bodies = file.open_dataset(std::string(layout::kBodies) + "kind", h5::Type::UInt8, 1).rows();
  if (bodies == 0 || bodies > file.size_on_disk()) file.fail("/bodies", "has an impossible size");
  view.open_tables(
      {{{layout::kFrames, layout::kFrameColumns, bodies}}, {layout::kContacts, layout::kContactColumns, bodies}});
}

std::optional<Checkpoint> RunReader::Impl::read_slot(const char* slot) const {
  std::optional<Checkpoint> checkpoint = decode_checkpoint(view.read_slot(slot));
  if (!checkpoint) return {};
  const bool fits = view.fits(checkpoint->rows) && checkpoint->snapshot.bodies.position.size() == bodies;
  return fits ? checkpoint : std::nullopt;
}

RunReader::RunReader(const std::string& file) : impl_(std::make_unique<Impl>(file)) {}
RunReader::RunReader(RunReader&&) noexcept = default;
RunReader::~RunReader() = default;

// ---- Written once ----

std::string RunReader::status() const { return impl_->view.file.read_text(layout::kStatus); }
bool RunReader::being_written() const { return h5::is_being_written(impl_->view.path); }
std::string RunReader::version() const { return impl_->view.file.text_attribute(layout::kScene, "program_version"); }
std::string RunReader::scene_text() const { return impl_->view.file.read_text(layout::kSceneText); }
std::string RunReader::scene_name() const { return impl_->view.file.text_attribute(layout::kScene, "name"); }
std::string RunReader::scene_title() const { return impl_->view.file.text_attribute(layout::kScene, "title"); }
std::vector<Attachment> RunReader::attachments() const { return read_attachments(impl_->view.file); }

std::vector<RunBody> RunReader::bodies() const {
  std::vector<RunBody> bodies = read_bodies(impl_->view.file);
  if (bodies.size() != impl_->bodies) impl_->view.file.fail("/bodies/name", "has an unexpected size");
  return bodies;
}

std::vector<RunCollider> RunReader::colliders() const { return read_colliders(impl_->view.file, impl_->bodies); }

// ---- Frames and contacts ----

namespace {

std::vector<Vec3> to_vectors(const std::vector<double>& values) {
  std::vector<Vec3> out(values.size() / 3);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = Vec3(&values[3 * i]);
  return out;
}

}  // namespace

std::int64_t RunReader::frame_count() const { return impl_->view.rows.frames; }

std::vector<double> RunReader::frame_times() const {
  std::vector<double> times;
  impl_->view.frames[0].read(layout::kFrameTime, 0, impl_->view.frames[0].rows(), times);
  return times;
}

std::vector<std::int64_t> RunReader::frame_steps() const {
  std::vector<std::int64_t> steps;
  impl_->view.frames[0].read(layout::kFrameStep, 0, impl_->view.frames[0].rows(), steps);
  return steps;
}

RunFrame RunReader::frame(std::int64_t index) const {
  const std::uint64_t row = impl_->view.check_frame(index);
  const RowTable& table = impl_->view.frames[0];
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
  const auto [first, count] = impl_->view.contact_rows(impl_->view.check_frame(frame));
  const RowTable& table = impl_->view.contacts;
  std::vector<std::int32_t> body_a, body_b;
  std::vector<std::uint64_t> key;
  std::vector<std::uint8_t> status;
  std::vector<double> point, normal, gap, impulse, impulse_world, velocity;
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
    if (status[i] > static_cast<std::uint8_t>(ContactStatus::Slip))
      impl_->view.file.fail("/contacts/status", "holds an unknown value");
    c.status = static_cast<ContactStatus>(status[i]);
  }
  return records;
}

// ---- Diagnostics and checkpoint ----

RunDiagnostics RunReader::diagnostics() const { return impl_->view.read_diagnostics(); }

std::optional<Checkpoint> RunReader::last_checkpoint() const {
  std::optional<Checkpoint> newest;
  for (const char* slot : layout::kSlots) {
    std::optional<Checkpoint> found = impl_->read_slot(slot);
    if (found && (!newest || found->sequence > newest->sequence)) newest = std::move(found);
  }
  return newest;
}

std::optional<WorldSnapshot> RunReader::checkpoint() const {
  std::optional<Checkpoint> last = last_checkpoint();
  if (!last) return {};
  return std::move(last->snapshot);
}

}  // namespace carom
