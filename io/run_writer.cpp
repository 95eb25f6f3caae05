#include "io/run_writer.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "io/checkpoint.h"
#include "io/hdf5_disk.h"
#include "io/run_reader.h"
#include "io/run_statics.h"
#include "io/run_tables.h"
#include "io/xdmf.h"

namespace carom {

namespace fs = std::filesystem;
namespace layout = run_layout;

namespace {

constexpr std::uint64_t kBufferLimit = 32 << 20;  // bytes of rows kept in memory between flushes
constexpr double kXdmfSeconds = 1;                // between rewrites of the .xdmf

void append_contact(RowTable& table, const ContactRecord& c) {
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

void append_frame_state(RowTable& table, const World& world) {
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

RunShape shape_of(const Scene& scene) {
  const auto bodies = static_cast<std::uint64_t>(scene.world.body_count());
  const auto steps = static_cast<std::uint64_t>(std::max<std::int64_t>(0, scene.run.steps));
  const auto every = static_cast<std::uint64_t>(std::max<std::int64_t>(1, scene.output.frame_every));
  const std::uint64_t expected_frames = steps == 0 ? 0 : steps / every + 2;
  // A dense packing has about three contacts per body.
  return {{{layout::kFrames, layout::kFrameColumns, bodies, expected_frames}},
          {layout::kContacts, layout::kContactColumns, bodies, 3 * bodies * expected_frames},
          steps,
          32 + 16 * bodies};
}

}  // namespace

struct RunWriter::Impl {
  std::string path;
  RunTables tables;
  std::uint64_t bodies = 0;
  std::int64_t frame_every = 1;
  bool with_contacts = true;
  std::uint64_t sequence = 0;  // of the last checkpoint

  std::int64_t last_frame_step = -1;
  std::int64_t restored_step = -1;               // where a resume started: that step's contacts are these
  std::vector<ContactRecord> restored_contacts;  // empty unless the step had no frame
  std::vector<ContactRecord> records;            // scratch
  std::vector<double> frame_times;               // for the .xdmf
  std::optional<Stopwatch> since_xdmf;
  bool finished = false;

  Impl(const std::string& path_in, const Scene& scene)
      : path(path_in),
        bodies(static_cast<std::uint64_t>(scene.world.body_count())),
        frame_every(std::max<std::int64_t>(1, scene.output.frame_every)),
        with_contacts(scene.output.contacts) {}
  ~Impl();
  void add_frame(const World& world);
  const std::vector<ContactRecord>& contacts_of(const World& world);
  void write_checkpoint(const World& world);
  void write_xdmf(bool now);
};

RunWriter::Impl::~Impl() {
  if (finished || !tables.file.is_open()) return;
  try {
    tables.publish_rows();
    tables.file.close();
  } catch (const std::exception&) {
    // The file stays as the last successful write left it: readable, and resumable from its checkpoint.
  }
}

// ---- Setting up ----

RunWriter RunWriter::create(const std::string& path, const Scene& scene, bool overwrite) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) throw OutputError(path, "is not a regular file");
  if (fs::exists(status) && !overwrite) throw OutputError(path, "exists already");
  if (scene.world.body_count() == 0) throw InputError("a run needs at least one body");

  auto impl = std::make_unique<Impl>(path, scene);
  // Built beside its place and moved there once it can be resumed: the name never means half a file.
  const std::string beside = path + ".part";
  try {
    impl->tables = RunTables::create_at(beside, path);
    write_statics(impl->tables.file, scene);
    impl->tables.create(shape_of(scene), {"open", "stick", "slip"});
    impl->add_frame(scene.world);
    impl->tables.publish_rows();
    impl->write_checkpoint(scene.world);
    impl->write_xdmf(true);
    fs::rename(beside, path, error);
    if (error) throw OutputError(path, "could not be put in place: " + error.message());
  } catch (...) {
    impl->finished = true;
    impl.reset();  // gives up the lock
    if (!h5::is_being_written(beside)) fs::remove(beside, error);
    throw;
  }
  return RunWriter(std::move(impl));
}

RunWriter RunWriter::resume(const std::string& path, Scene& scene) {
  std::error_code error;
  const auto differs = [&](const char* what) {
    throw InputError({path, 0, 0, ""}, fmt::format("was written for another scene: the {} differs", what));
  };
  if (h5::is_being_written(path)) throw OutputError(path, "is being written by another process");
  auto impl = std::make_unique<Impl>(path, scene);

  std::optional<Checkpoint> last;
  {
    const RunReader reader(path);
    if (reader.scene_text() != scene.text) differs("text");
    if (reader.bodies().size() != impl->bodies) differs("number of bodies");
    last = reader.last_checkpoint();
    if (!last) throw InputError({path, 0, 0, "/checkpoint"}, "holds no valid checkpoint to resume from");
    if (last->snapshot.bodies.position.size() != impl->bodies) differs("number of bodies");
    impl->frame_times = reader.frame_times();
    impl->frame_times.resize(static_cast<std::size_t>(last->rows.frames));
    impl->last_frame_step = reader.frame_steps()[impl->frame_times.size() - 1];
  }
  impl->finished = true;  // until its rows are known, nothing may be written
  impl->tables.open(path, shape_of(scene));
  if (impl->tables.file.integer_attribute(layout::kScene, "frame_every") != scene.output.frame_every)
    differs("frame interval");
  impl->tables.cut(last->rows);
  impl->finished = false;

  impl->sequence = last->sequence;
  scene.world.restore(last->snapshot);
  impl->restored_step = last->snapshot.step;
  impl->restored_contacts = std::move(last->contacts);
  impl->write_xdmf(true);
  return RunWriter(std::move(impl));
}

// ---- Rows ----

// A restored world does not know the contacts of the step before it; the checkpoint does.
const std::vector<ContactRecord>& RunWriter::Impl::contacts_of(const World& world) {
  if (world.step_count() == restored_step) return restored_contacts;
  records.clear();
  if (world.step_count() > 0) world.contact_records(records);
  return records;
}

void RunWriter::Impl::add_frame(const World& world) {
  if (static_cast<std::uint64_t>(world.body_count()) != bodies)
    throw OutputError(path, fmt::format("was created for {} bodies, the world has {}", bodies, world.body_count()));
  append_frame_state(tables.frames.front(), world);
  if (with_contacts)
    for (const ContactRecord& record : contacts_of(world)) append_contact(tables.contacts, record);
  tables.end_contacts();
  frame_times.push_back(world.time());
  last_frame_step = world.step_count();
}

void RunWriter::Impl::write_checkpoint(const World& world) {
  Checkpoint checkpoint;
  checkpoint.sequence = ++sequence;
  checkpoint.rows = tables.rows();
  checkpoint.snapshot = world.snapshot();
  if (with_contacts && last_frame_step != world.step_count()) checkpoint.contacts = contacts_of(world);
  tables.write_checkpoint(sequence, encode_checkpoint(checkpoint));
}

void RunWriter::Impl::write_xdmf(bool now) {
  if (!now && since_xdmf && since_xdmf->seconds() < kXdmfSeconds) return;
  carom::write_xdmf(xdmf_beside(path), fs::path(path).filename().string(), frame_times, bodies);
  since_xdmf.emplace();
}

// ---- The interface ----

RunWriter::RunWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunWriter::RunWriter(RunWriter&&) noexcept = default;
RunWriter& RunWriter::operator=(RunWriter&&) noexcept = default;

RunWriter::~RunWriter() = default;

void RunWriter::add_step(const World& world) {
  impl_->tables.add_diagnostics(world.last_report());
  if (world.step_count() % impl_->frame_every == 0) impl_->add_frame(world);
  if (impl_->tables.buffered_bytes() > kBufferLimit) impl_->tables.publish_rows();
}

void RunWriter::checkpoint(const World& world) {
  impl_->tables.publish_rows();
  impl_->write_checkpoint(world);
  impl_->write_xdmf(false);
}

// The checkpoint comes before the last frame: a resumed run then drops that frame unless it was due anyway.
void RunWriter::finish(const World& world, const std::string& status) {
  impl_->finished = true;
  impl_->tables.publish_rows();
  impl_->write_checkpoint(world);
  if (impl_->last_frame_step != world.step_count()) {
    impl_->add_frame(world);
    impl_->tables.publish_rows();
  }
  impl_->tables.set_status(status);
  impl_->write_xdmf(true);
  impl_->tables.file.close();
}

void RunWriter::fail(const std::string& status) {
  impl_->finished = true;
  impl_->tables.publish_rows();
  impl_->tables.set_status(status);
  impl_->write_xdmf(true);
  impl_->tables.file.close();
}

std::int64_t RunWriter::frames() const { return impl_->tables.rows().frames; }
const std::string& RunWriter::file() const { return impl_->path; }

}  // namespace carom
