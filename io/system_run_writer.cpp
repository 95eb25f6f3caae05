#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "io/hdf5_disk.h"
#include "io/run_statics.h"
#include "io/run_tables.h"
#include "io/system_run.h"

namespace carom {

namespace fs = std::filesystem;
namespace layout = run_layout;

namespace {

constexpr std::uint64_t kBufferLimit = 32 << 20;  // bytes of rows kept in memory between flushes

RunShape shape_of(const SystemScene& scene) {
  const LagrangianSystem& system = scene.world.system();
  const auto coordinates = static_cast<std::uint64_t>(system.coordinates());
  const auto contacts = static_cast<std::uint64_t>(system.contacts());
  const auto steps = static_cast<std::uint64_t>(std::max<std::int64_t>(0, scene.run.steps));
  const auto every = static_cast<std::uint64_t>(std::max<std::int64_t>(1, scene.output.frame_every));
  const std::uint64_t expected_frames = steps == 0 ? 0 : steps / every + 2;
  return {{{layout::kFrames, layout::kSystemFrameColumns, coordinates, expected_frames},
           {layout::kFrames, layout::kGapColumns, contacts, expected_frames}},
          {layout::kContacts, layout::kSystemContactColumns, 1, contacts * expected_frames},
          steps,
          32 + 2 * coordinates + 3 * contacts};
}

void write_system(h5::File& file, const SystemScene& scene) {
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

void append(RowTable& table, const LagrangianContactRecord& record) {
  table.append(layout::kSystemContact, std::int32_t{record.contact});
  table.append(layout::kSystemGap, record.gap);
  table.append(layout::kSystemImpulse, record.impulse.data(), 3);
  table.append(layout::kSystemVelocity, record.velocity.data(), 3);
  table.end_rows(1);
}

}  // namespace

struct SystemRunWriter::Impl {
  std::string path;
  RunTables tables;
  std::int64_t frame_every = 1;
  bool with_contacts = true;
  std::uint64_t sequence = 0;  // of the last checkpoint
  std::int64_t last_frame_step = -1;
  std::int64_t restored_step = -1;  // where a resume started: that step's contacts are these
  std::vector<LagrangianContactRecord> restored_contacts;
  bool finished = false;

  Impl(const std::string& path_in, const SystemScene& scene)
      : path(path_in),
        frame_every(std::max<std::int64_t>(1, scene.output.frame_every)),
        with_contacts(scene.output.contacts) {}

  ~Impl() {
    if (finished || !tables.file.is_open()) return;
    try {
      tables.publish_rows();
      tables.file.close();
    } catch (const std::exception&) {
      // The file stays as the last successful write left it: readable, and resumable from its checkpoint.
    }
  }

  std::vector<LagrangianContactRecord> contacts_of(const LagrangianWorld& world) const {
    if (world.step_count() == restored_step) return restored_contacts;
    return world.step_count() > 0 ? world.contact_records() : std::vector<LagrangianContactRecord>{};
  }

  void add_frame(const LagrangianWorld& world) {
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
    if (with_contacts)
      for (const LagrangianContactRecord& record : contacts_of(world)) append(tables.contacts, record);
    tables.end_contacts();
    last_frame_step = world.step_count();
  }

  void write_checkpoint(const LagrangianWorld& world) {
    SystemCheckpoint checkpoint;
    checkpoint.sequence = ++sequence;
    checkpoint.rows = tables.rows();
    checkpoint.snapshot = world.snapshot();
    if (with_contacts && last_frame_step != world.step_count()) checkpoint.contacts = contacts_of(world);
    tables.write_checkpoint(sequence, encode_checkpoint(checkpoint));
  }
};

SystemRunWriter SystemRunWriter::create(const std::string& path, const SystemScene& scene, bool overwrite) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) throw OutputError(path, "is not a regular file");
  if (fs::exists(status) && !overwrite) throw OutputError(path, "exists already");

  auto impl = std::make_unique<Impl>(path, scene);
  const std::string beside = path + ".part";  // moved to its place once it can be resumed
  try {
    impl->tables = RunTables::create_at(beside, path);
    write_system(impl->tables.file, scene);
    impl->tables.create(shape_of(scene));
    impl->add_frame(scene.world);
    impl->tables.publish_rows();
    impl->write_checkpoint(scene.world);
    fs::rename(beside, path, error);
    if (error) throw OutputError(path, "could not be put in place: " + error.message());
  } catch (...) {
    impl->finished = true;
    impl.reset();  // gives up the lock
    if (!h5::is_being_written(beside)) fs::remove(beside, error);
    throw;
  }
  return SystemRunWriter(std::move(impl));
}

SystemRunWriter SystemRunWriter::resume(const std::string& path, SystemScene& scene) {
  const auto differs = [&](const char* what) {
    throw InputError({path, 0, 0, ""}, fmt::format("was written for another scene: the {} differs", what));
  };
  if (h5::is_being_written(path)) throw OutputError(path, "is being written by another process");
  auto impl = std::make_unique<Impl>(path, scene);
  std::optional<SystemCheckpoint> last;
  {
    const SystemRunReader reader(path);
    if (reader.scene_text() != scene.text) differs("text");
    last = reader.last_checkpoint();
    if (!last) throw InputError({path, 0, 0, "/checkpoint"}, "holds no valid checkpoint to resume from");
    impl->last_frame_step = reader.frame_steps()[static_cast<std::size_t>(last->rows.frames) - 1];
  }
  impl->finished = true;  // until its rows are known, nothing may be written
  impl->tables.open(path, shape_of(scene));
  if (impl->tables.file.integer_attribute(layout::kScene, "frame_every") != scene.output.frame_every)
    differs("frame interval");
  scene.world.restore(last->snapshot);
  impl->tables.cut(last->rows);
  impl->finished = false;
  impl->sequence = last->sequence;
  impl->restored_step = last->snapshot.step;
  impl->restored_contacts = std::move(last->contacts);
  return SystemRunWriter(std::move(impl));
}

SystemRunWriter::SystemRunWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SystemRunWriter::SystemRunWriter(SystemRunWriter&&) noexcept = default;
SystemRunWriter& SystemRunWriter::operator=(SystemRunWriter&&) noexcept = default;
SystemRunWriter::~SystemRunWriter() = default;

void SystemRunWriter::add_step(const LagrangianWorld& world) {
  impl_->tables.add_diagnostics(world.last_report());
  if (world.step_count() % impl_->frame_every == 0) impl_->add_frame(world);
  if (impl_->tables.buffered_bytes() > kBufferLimit) impl_->tables.publish_rows();
}

void SystemRunWriter::checkpoint(const LagrangianWorld& world) {
  impl_->tables.publish_rows();
  impl_->write_checkpoint(world);
}

// The checkpoint comes before the last frame: a resumed run then drops that frame unless it was due anyway.
void SystemRunWriter::finish(const LagrangianWorld& world, const std::string& status) {
  impl_->finished = true;
  impl_->tables.publish_rows();
  impl_->write_checkpoint(world);
  if (impl_->last_frame_step != world.step_count()) {
    impl_->add_frame(world);
    impl_->tables.publish_rows();
  }
  impl_->tables.set_status(status);
  impl_->tables.file.close();
}

void SystemRunWriter::fail(const std::string& status) {
  impl_->finished = true;
  impl_->tables.publish_rows();
  impl_->tables.set_status(status);
  impl_->tables.file.close();
}

std::int64_t SystemRunWriter::frames() const { return impl_->tables.rows().frames; }
const std::string& SystemRunWriter::file() const { return impl_->path; }

}  // namespace carom
