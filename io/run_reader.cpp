#include "io/run_reader.h"

#include <fmt/format.h>

#include "base/error.h"
#include "io/hdf5_disk.h"
#include "io/row_table.h"
#include "io/run_statics.h"

namespace carom {

namespace layout = run_layout;

struct RunReader::Impl {
  std::string path;
  h5::File file;
  RowCounts rows;
  std::size_t bodies = 0;
  RowTable frames, offsets, contacts, diagnostics;
  std::vector<std::int64_t> offset;  // frames + 1

  explicit Impl(const std::string& path_in);
  void check_format() const;
  void read_counts();
  RowTable open_table(const char* group, std::span<const layout::Column> columns, std::int64_t count) const;
  void read_offsets();
  std::optional<Checkpoint> read_slot(const char* slot) const;
};

// ---- Opening: everything is checked before it is believed ----

RunReader::Impl::Impl(const std::string& path_in) : path(path_in), file(h5::File::open_for_reading(path_in)) {
  check_format();
  read_counts();
  bodies = file.open_dataset(std::string(layout::kBodies) + "kind", h5::Type::UInt8, 1).rows();
  if (bodies == 0 || bodies > file.size_on_disk()) file.fail("/bodies", "has an impossible size");
  // Counts were read first: a living writer's tables only grow beyond them.
  frames = open_table(layout::kFrames, layout::kFrameColumns, rows.frames);
  offsets = open_table(layout::kContacts, layout::kOffsetColumns, rows.frames + 1);
  contacts = open_table(layout::kContacts, layout::kContactColumns, rows.contacts);
  diagnostics = open_table(layout::kDiagnostics, layout::kDiagnosticColumns, rows.steps);
  read_offsets();
}

void RunReader::Impl::check_format() const {
  if (!file.exists(layout::kScene)) throw InputError({path, 0, 0, ""}, "is an HDF5 file, but not a run of carom");
  const std::string format = file.text_attribute(layout::kScene, "format");
  if (format != layout::kFormat)
    file.fail(layout::kScene, fmt::format("has format \"{}\", not a run of carom", format));
  const std::int64_t version = file.integer_attribute(layout::kScene, "format_version");
  if (version != layout::kFormatVersion)
    throw InputError({path, 0, 0, layout::kScene}, fmt::format("has format version {}, this program reads version {}",
                                                               version, layout::kFormatVersion));
}

void RunReader::Impl::read_counts() {
  const h5::Dataset counts = file.open_dataset(layout::kCounts, h5::Type::Int64, 1);
  std::int64_t values[3] = {0, 0, 0};
  if (counts.rows() != 3) file.fail(layout::kCounts, "has an unexpected size");
  counts.read_rows(0, 3, values);
  rows = {values[0], values[1], values[2]};
  const auto limit = static_cast<std::int64_t>(file.size_on_disk());  // every row takes a byte at least
  for (std::int64_t value : values)
    if (value < 0 || value > limit) file.fail(layout::kCounts, fmt::format("holds the impossible count {}", value));
}

RowTable RunReader::Impl::open_table(const char* group, std::span<const layout::Column> columns,
                                     std::int64_t count) const {
  RowTable table = RowTable::open(file, group, columns, bodies);
  table.check_rows(file, static_cast<std::uint64_t>(count));
  table.take_rows(static_cast<std::uint64_t>(count));
  return table;
}

void RunReader::Impl::read_offsets() {
  offsets.read(0, 0, offsets.rows(), offset);
  bool good = offset.front() == 0 && offset.back() <= rows.contacts;
  for (std::size_t i = 1; i < offset.size(); ++i) good = good && offset[i - 1] <= offset[i];
  if (!good) file.fail(std::string(layout::kContacts) + "offset", "does not increase from 0 to the number of contacts");
}

std::optional<Checkpoint> RunReader::Impl::read_slot(const char* slot) const {
  const h5::Dataset data = file.open_dataset(slot, h5::Type::UInt64, 1);
  const std::uint64_t stored = std::min(data.storage_bytes(), file.size_on_disk()) / sizeof(std::uint64_t);
  if (data.rows() == 0 || data.rows() > stored) return {};
  std::vector<std::uint64_t> words(data.rows());
  data.read_rows(0, data.rows(), words.data());
  std::optional<Checkpoint> checkpoint = decode_checkpoint(words);
  if (!checkpoint) return {};
  const RowCounts& r = checkpoint->rows;
  const bool fits = r.frames >= 1 && r.frames <= rows.frames && r.contacts >= 0 && r.contacts <= rows.contacts &&
                    r.steps >= 0 && r.steps <= rows.steps && checkpoint->snapshot.bodies.position.size() == bodies;
  return fits ? checkpoint : std::nullopt;
}

RunReader::RunReader(const std::string& file) : impl_(std::make_unique<Impl>(file)) {}
RunReader::RunReader(RunReader&&) noexcept = default;
RunReader::~RunReader() = default;

// ---- Written once ----

std::string RunReader::status() const { return impl_->file.read_text(layout::kStatus); }
bool RunReader::being_written() const { return h5::is_being_written(impl_->path); }
std::string RunReader::version() const { return impl_->file.text_attribute(layout::kScene, "program_version"); }
std::string RunReader::scene_text() const { return impl_->file.read_text(layout::kSceneText); }
std::string RunReader::scene_name() const { return impl_->file.text_attribute(layout::kScene, "name"); }
std::string RunReader::scene_title() const { return impl_->file.text_attribute(layout::kScene, "title"); }
std::vector<Attachment> RunReader::attachments() const { return read_attachments(impl_->file); }

std::vector<RunBody> RunReader::bodies() const {
  std::vector<RunBody> bodies = read_bodies(impl_->file);
  if (bodies.size() != impl_->bodies) impl_->file.fail("/bodies/name", "has an unexpected size");
  return bodies;
}

std::vector<RunCollider> RunReader::colliders() const { return read_colliders(impl_->file, impl_->bodies); }

// ---- Frames and contacts ----

namespace {

std::vector<Vec3> to_vectors(const std::vector<double>& values) {
  std::vector<Vec3> out(values.size() / 3);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = Vec3(&values[3 * i]);
  return out;
}

}  // namespace

std::int64_t RunReader::frame_count() const { return impl_->rows.frames; }

std::vector<double> RunReader::frame_times() const {
  std::vector<double> times;
  impl_->frames.read(layout::kFrameTime, 0, impl_->frames.rows(), times);
  return times;
}

std::vector<std::int64_t> RunReader::frame_steps() const {
  std::vector<std::int64_t> steps;
  impl_->frames.read(layout::kFrameStep, 0, impl_->frames.rows(), steps);
  return steps;
}

namespace {

std::uint64_t check_frame(const std::string& path, std::int64_t index, std::int64_t count) {
  if (index < 0 || index >= count)
    throw InputError({path, 0, 0, "/frames"}, fmt::format("there are {} frames, counted from 0", count),
                     fmt::format("{}", index));
  return static_cast<std::uint64_t>(index);
}

}  // namespace

RunFrame RunReader::frame(std::int64_t index) const {
  const std::uint64_t row = check_frame(impl_->path, index, impl_->rows.frames);
  const RowTable& table = impl_->frames;
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
  const std::uint64_t row = check_frame(impl_->path, frame, impl_->rows.frames);
  const auto first = static_cast<std::uint64_t>(impl_->offset[row]);
  const auto count = static_cast<std::uint64_t>(impl_->offset[row + 1]) - first;
  const RowTable& table = impl_->contacts;
  std::vector<std::int32_t> body_a, body_b;
  std::vector<std::uint32_t> key;
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
    c.key = {key[3 * i], key[3 * i + 1], key[3 * i + 2]};
    c.body_a = body_a[i];
    c.body_b = body_b[i];
    c.point = Vec3(&point[3 * i]);
    c.normal = Vec3(&normal[3 * i]);
    c.gap = gap[i];
    c.impulse = Vec3(&impulse[3 * i]);
    c.impulse_world = Vec3(&impulse_world[3 * i]);
    c.velocity = Vec3(&velocity[3 * i]);
    if (status[i] > static_cast<std::uint8_t>(ContactStatus::Slip))
      impl_->file.fail("/contacts/status", "holds an unknown value");
    c.status = static_cast<ContactStatus>(status[i]);
  }
  return records;
}

// ---- Diagnostics and checkpoint ----

RunDiagnostics RunReader::diagnostics() const {
  const RowTable& table = impl_->diagnostics;
  RunDiagnostics d;
  const auto whole = [&](int column, auto& out) { table.read(column, 0, table.rows(), out); };
  whole(layout::kStep, d.step);
  whole(layout::kTime, d.time);
  whole(layout::kKinetic, d.kinetic);
  whole(layout::kPotential, d.potential);
  whole(layout::kExternalWork, d.external_work);
  whole(layout::kBoundaryWork, d.boundary_work);
  whole(layout::kContactWork, d.contact_work);
  whole(layout::kProjectionWork, d.projection_work);
  whole(layout::kBalanceError, d.balance_error);
  whole(layout::kContactCount, d.contacts);
  whole(layout::kIslands, d.islands);
  whole(layout::kLargestIsland, d.largest_island);
  whole(layout::kIterations, d.iterations);
  whole(layout::kResidualNatural, d.residual_natural);
  whole(layout::kResidualVelocity, d.residual_velocity);
  whole(layout::kWorstPenetration, d.worst_penetration);
  std::vector<std::uint8_t> status;
  whole(layout::kSolveStatus, status);
  d.status.assign(status.begin(), status.end());
  std::vector<double> phases;
  whole(layout::kPhaseSeconds, phases);
  d.phase_seconds.resize(table.rows());
  for (std::size_t i = 0; i < d.phase_seconds.size(); ++i)
    std::copy_n(&phases[i * layout::kPhaseCount], layout::kPhaseCount, d.phase_seconds[i].seconds.begin());
  return d;
}

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
