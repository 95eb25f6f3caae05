#include "io/run_writer.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "io/checkpoint.h"
#include "io/hdf5_disk.h"
#include "io/row_table.h"
#include "io/run_reader.h"
#include "io/run_statics.h"
#include "io/xdmf.h"

namespace carom {

namespace fs = std::filesystem;
namespace layout = run_layout;

namespace {

constexpr std::uint64_t kBufferLimit = 32 << 20;  // bytes of rows kept in memory between flushes
constexpr double kXdmfSeconds = 1;                // between rewrites of the .xdmf

void append_contact(RowTable& table, const ContactRecord& c) {
  const std::uint32_t key[] = {c.key.a, c.key.b, c.key.feature};
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

void append_diagnostics(RowTable& table, const StepReport& r) {
  const EnergyReport& e = r.energy;
  table.append(layout::kStep, r.step);
  table.append(layout::kTime, r.time);
  table.append(layout::kKinetic, e.kinetic);
  table.append(layout::kPotential, e.potential);
  table.append(layout::kExternalWork, e.external_work);
  table.append(layout::kBoundaryWork, e.boundary_work);
  table.append(layout::kContactWork, e.contact_work);
  table.append(layout::kProjectionWork, e.projection_work);
  table.append(layout::kBalanceError, e.balance_error);
  table.append(layout::kContactCount, std::int32_t{r.contacts});
  table.append(layout::kIslands, std::int32_t{r.islands});
  table.append(layout::kLargestIsland, std::int32_t{r.largest_island});
  table.append(layout::kIterations, std::int32_t{r.iterations});
  table.append(layout::kSolveStatus, static_cast<std::uint8_t>(r.status));
  table.append(layout::kResidualNatural, r.residuals.natural_map);
  table.append(layout::kResidualVelocity, r.residuals.velocity_worst);
  table.append(layout::kWorstPenetration, r.worst_penetration);
  table.append(layout::kPhaseSeconds, r.phase_seconds.seconds.data(), r.phase_seconds.seconds.size());
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

std::vector<std::string> phase_names() {
  std::vector<std::string> names;
  for (int k = 0; k < layout::kPhaseCount; ++k) names.emplace_back(name_of(static_cast<StepPhase>(k)));
  return names;
}

std::vector<std::string> solve_status_names() {
  std::vector<std::string> names;
  for (int k = 0; k <= static_cast<int>(SolveStatus::RayTermination); ++k)
    names.emplace_back(name_of(static_cast<SolveStatus>(k)));
  return names;
}

}  // namespace

struct RunWriter::Impl {
  std::string path;
  h5::File file;
  std::uint64_t bodies = 0;
  std::int64_t frame_every = 1;
  bool with_contacts = true;

  RowTable frames, offsets, contacts, diagnostics;
  h5::Dataset counts;
  std::array<h5::Dataset, 2> slots;
  std::uint64_t sequence = 0;  // of the last checkpoint

  std::int64_t last_frame_step = -1;
  std::int64_t restored_step = -1;               // where a resume started: that step's contacts are these
  std::vector<ContactRecord> restored_contacts;  // empty unless the step had no frame
  std::vector<ContactRecord> records;            // scratch
  std::vector<double> frame_times;               // for the .xdmf
  std::optional<Stopwatch> since_xdmf;
  bool finished = false;

  ~Impl();
  void create_tables(const Scene& scene);
  void open_tables();
  RowCounts rows() const;
  void add_frame(const World& world);
  const std::vector<ContactRecord>& contacts_of(const World& world);
  void publish_rows();
  void write_counts();
  void write_checkpoint(const World& world);
  void write_xdmf(bool now);
  std::uint64_t buffered_bytes() const;
};

RunWriter::Impl::~Impl() {
  if (finished || !file.is_open()) return;
  try {
    publish_rows();
    file.close();
  } catch (const std::exception&) {
    // The file stays as the last successful write left it: readable, and resumable from its checkpoint.
  }
}

// ---- Setting up ----

void RunWriter::Impl::create_tables(const Scene& scene) {
  const auto steps = static_cast<std::uint64_t>(std::max<std::int64_t>(0, scene.run.steps));
  const std::uint64_t expected_frames = steps == 0 ? 0 : steps / static_cast<std::uint64_t>(frame_every) + 2;
  frames = RowTable::create(file, layout::kFrames, layout::kFrameColumns, bodies, expected_frames);
  offsets = RowTable::create(file, layout::kContacts, layout::kOffsetColumns, bodies, expected_frames);
  // A dense packing has about three contacts per body.
  contacts = RowTable::create(file, layout::kContacts, layout::kContactColumns, bodies, 3 * bodies * expected_frames);
  diagnostics = RowTable::create(file, layout::kDiagnostics, layout::kDiagnosticColumns, bodies, steps);
  file.set_attribute(diagnostics.dataset(layout::kPhaseSeconds).path(), "phases", phase_names());
  file.set_attribute(diagnostics.dataset(layout::kSolveStatus).path(), "meaning", solve_status_names());
  file.set_attribute(contacts.dataset(layout::kContactStatus).path(), "meaning",
                     std::vector<std::string>{"open", "stick", "slip"});

  counts = file.create_dataset(layout::kCounts, h5::Type::Int64, {3});
  file.set_attribute(layout::kCounts, "unit", "1");
  file.set_attribute(layout::kCounts, "meaning", std::vector<std::string>{"frames", "contacts", "steps"});
  file.write_text(layout::kStatus, "running", layout::kStatusCapacity);
  const std::uint64_t state_words = 32 + 16 * bodies;
  const std::uint64_t chunk = std::clamp<std::uint64_t>(state_words, 1 << 9, 1 << 19);
  for (std::size_t k = 0; k < 2; ++k)
    slots[k] = file.create_appendable(layout::kSlots[k], h5::Type::UInt64, {0}, {chunk});
}

void RunWriter::Impl::open_tables() {
  frames = RowTable::open(file, layout::kFrames, layout::kFrameColumns, bodies);
  offsets = RowTable::open(file, layout::kContacts, layout::kOffsetColumns, bodies);
  contacts = RowTable::open(file, layout::kContacts, layout::kContactColumns, bodies);
  diagnostics = RowTable::open(file, layout::kDiagnostics, layout::kDiagnosticColumns, bodies);
  counts = file.open_dataset(layout::kCounts, h5::Type::Int64, 1);
  for (std::size_t k = 0; k < 2; ++k) slots[k] = file.open_dataset(layout::kSlots[k], h5::Type::UInt64, 1);
}

RunWriter RunWriter::create(const std::string& path, const Scene& scene, bool overwrite) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) throw OutputError(path, "is not a regular file");
  if (fs::exists(status) && !overwrite) throw OutputError(path, "exists already");
  if (scene.world.body_count() == 0) throw InputError("a run needs at least one body");

  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->bodies = static_cast<std::uint64_t>(scene.world.body_count());
  impl->frame_every = std::max<std::int64_t>(1, scene.output.frame_every);
  impl->with_contacts = scene.output.contacts;

  // Built beside its place and moved there once it can be resumed: the name never means half a file.
  const std::string beside = path + ".part";
  try {
    impl->file = h5::File::create_guarded(beside, path);
    if (h5::is_being_written(path)) throw OutputError(path, "is being written by another process");
    write_statics(impl->file, scene);
    impl->create_tables(scene);
    impl->offsets.append(0, std::int64_t{0});
    impl->offsets.end_rows(1);
    impl->file.start_ordered_writes();
    impl->add_frame(scene.world);
    impl->publish_rows();
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
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->bodies = static_cast<std::uint64_t>(scene.world.body_count());
  impl->frame_every = std::max<std::int64_t>(1, scene.output.frame_every);
  impl->with_contacts = scene.output.contacts;

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
  impl->file = h5::File::open_guarded(path);
  if (impl->file.integer_attribute(layout::kScene, "frame_every") != scene.output.frame_every)
    differs("frame interval");
  impl->open_tables();
  impl->file.start_ordered_writes();

  // The count first: from here on no reader looks at what is cut away below.
  const auto as_rows = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  impl->frames.take_rows(as_rows(last->rows.frames));
  impl->offsets.take_rows(as_rows(last->rows.frames) + 1);
  impl->contacts.take_rows(as_rows(last->rows.contacts));
  impl->diagnostics.take_rows(as_rows(last->rows.steps));
  impl->write_counts();
  impl->file.replace_text(layout::kStatus, "running");
  for (RowTable* table : {&impl->frames, &impl->offsets, &impl->contacts, &impl->diagnostics})
    table->cut(table->rows());
  impl->file.flush();

  impl->sequence = last->sequence;
  scene.world.restore(last->snapshot);
  impl->restored_step = last->snapshot.step;
  impl->restored_contacts = std::move(last->contacts);
  impl->write_xdmf(true);
  return RunWriter(std::move(impl));
}

// ---- Rows ----

RowCounts RunWriter::Impl::rows() const {
  return {static_cast<std::int64_t>(frames.rows()), static_cast<std::int64_t>(contacts.rows()),
          static_cast<std::int64_t>(diagnostics.rows())};
}

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
  append_frame_state(frames, world);
  if (with_contacts)
    for (const ContactRecord& record : contacts_of(world)) append_contact(contacts, record);
  offsets.append(0, static_cast<std::int64_t>(contacts.rows()));
  offsets.end_rows(1);
  frame_times.push_back(world.time());
  last_frame_step = world.step_count();
}

std::uint64_t RunWriter::Impl::buffered_bytes() const {
  return frames.buffered_bytes() + contacts.buffered_bytes() + diagnostics.buffered_bytes();
}

void RunWriter::Impl::write_counts() {
  const RowCounts r = rows();
  const std::int64_t values[] = {r.frames, r.contacts, r.steps};
  counts.write_rows(0, 3, values);
}

// Rows, then the index that finds them, then the count that declares them valid.
void RunWriter::Impl::publish_rows() {
  contacts.flush();
  offsets.flush();
  frames.flush();
  diagnostics.flush();
  file.flush();
  write_counts();
}

void RunWriter::Impl::write_checkpoint(const World& world) {
  Checkpoint checkpoint;
  checkpoint.sequence = ++sequence;
  checkpoint.rows = rows();
  checkpoint.snapshot = world.snapshot();
  if (with_contacts && last_frame_step != world.step_count()) checkpoint.contacts = contacts_of(world);
  const std::vector<std::uint64_t> words = encode_checkpoint(checkpoint);
  h5::Dataset& slot = slots[sequence % 2];
  if (slot.rows() < words.size()) slot.resize_rows(words.size());
  slot.write_rows(0, words.size(), words.data());
  file.flush();
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
  append_diagnostics(impl_->diagnostics, world.last_report());
  if (world.step_count() % impl_->frame_every == 0) impl_->add_frame(world);
  if (impl_->buffered_bytes() > kBufferLimit) impl_->publish_rows();
}

void RunWriter::checkpoint(const World& world) {
  impl_->publish_rows();
  impl_->write_checkpoint(world);
  impl_->write_xdmf(false);
}

// The checkpoint comes before the last frame: a resumed run then drops that frame unless it was due anyway.
void RunWriter::finish(const World& world, const std::string& status) {
  impl_->finished = true;
  impl_->publish_rows();
  impl_->write_checkpoint(world);
  if (impl_->last_frame_step != world.step_count()) {
    impl_->add_frame(world);
    impl_->publish_rows();
  }
  impl_->file.replace_text(layout::kStatus, status);
  impl_->write_xdmf(true);
  impl_->file.close();
}

void RunWriter::fail(const std::string& status) {
  impl_->finished = true;
  impl_->publish_rows();
  impl_->file.replace_text(layout::kStatus, status);
  impl_->write_xdmf(true);
  impl_->file.close();
}

std::int64_t RunWriter::frames() const { return static_cast<std::int64_t>(impl_->frames.rows()); }
const std::string& RunWriter::file() const { return impl_->path; }

}  // namespace carom
