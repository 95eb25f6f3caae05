// The writer of run files, whatever they are runs of. Instantiated by io/run_writer.cpp and io/system_run_writer.cpp.
#pragma once

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/timer.h"
#include "io/hdf5_disk.h"
#include "io/run_content.h"

namespace carom {

template <class Kind>
struct AnyRunWriter<Kind>::Impl {
  using Content = RunContent<Kind>;
  using Record = typename Content::Record;

  static constexpr std::uint64_t kBufferLimit = 32 << 20;  // bytes of rows kept in memory between flushes
  static constexpr double kViewSeconds = 1;                // between rewrites of the file for viewers

  std::string path;
  RunTables tables;
  std::uint64_t width = 0;  // bodies or coordinates
  std::int64_t frame_every = 1;
  bool with_contacts = true;
  std::uint64_t sequence = 0;  // of the last checkpoint

  std::int64_t last_frame_step = -1;
  std::int64_t restored_step = -1;        // where a resume started: that step's contacts are these
  std::vector<Record> restored_contacts;  // empty unless the step had no frame
  std::vector<Record> records;            // scratch
  std::vector<double> frame_times;        // for viewers
  std::optional<Stopwatch> since_view;
  bool finished = false;

  Impl(const std::string& path_in, const Scene& scene)
      : path(path_in),
        width(Content::width(scene.world)),
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

  // A restored world does not know the contacts of the step before it; the checkpoint does.
  const std::vector<Record>& contacts_of(const World& world) {
    if (world.step_count() == restored_step) return restored_contacts;
    records.clear();
    if (world.step_count() > 0) Content::read_contacts(world, records);
    return records;
  }

  void add_frame(const World& world) {
    if (Content::width(world) != width)
      throw OutputError(
          path, fmt::format("was created for {} {}, the world has {}", width, Content::kUnits, Content::width(world)));
    static const std::vector<Record> kNone;
    const std::vector<Record>& contacts =
        with_contacts || Content::needs_contacts(world) ? contacts_of(world) : kNone;
    Content::append_state(tables, world, contacts);
    if (with_contacts)
      for (const Record& record : contacts) Content::append(tables, record);
    tables.end_contacts();
    frame_times.push_back(world.time());
    last_frame_step = world.step_count();
  }

  void write_checkpoint(const World& world) {
    typename Content::State state;
    state.sequence = ++sequence;
    state.rows = tables.rows();
    state.snapshot = world.snapshot();
    if ((with_contacts || Content::needs_contacts(world)) && last_frame_step != world.step_count())
      state.contacts = contacts_of(world);
    Content::write_findings(tables.file, world);
    tables.write_checkpoint(sequence, encode_checkpoint(state));
  }

  void write_view(bool now) {
    if (!now && since_view && since_view->seconds() < kViewSeconds) return;
    Content::write_view(path, frame_times, width);
    since_view.emplace();
  }

  void close(const std::string& status) {
    tables.set_status(status);
    write_view(true);
    tables.file.close();
  }
};

// ---- Setting up ----

template <class Kind>
AnyRunWriter<Kind> AnyRunWriter<Kind>::create(const std::string& path, const Scene& scene, bool overwrite) {
  namespace fs = std::filesystem;
  using Content = RunContent<Kind>;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) throw OutputError(path, "is not a regular file");
  if (fs::exists(status) && !overwrite) throw OutputError(path, "exists already");
  if (Content::width(scene.world) == 0)
    throw InputError(fmt::format("a run needs at least one of its {}", Content::kUnits));

  auto impl = std::make_unique<Impl>(path, scene);
  // Built beside its place and moved there once it can be resumed: the name never means half a file.
  const std::string beside = path + ".part";
  try {
    impl->tables = RunTables::create_at(beside, path);
    Content::write_once(impl->tables.file, scene);
    impl->tables.create(Content::shape(scene), Content::contact_status());
    impl->add_frame(scene.world);
    impl->tables.publish_rows();
    impl->write_checkpoint(scene.world);
    impl->write_view(true);
    fs::rename(beside, path, error);
    if (error) throw OutputError(path, "could not be put in place: " + error.message());
  } catch (...) {
    impl->finished = true;
    impl.reset();  // gives up the lock
    if (!h5::is_being_written(beside)) fs::remove(beside, error);
    throw;
  }
  return AnyRunWriter(std::move(impl));
}

template <class Kind>
AnyRunWriter<Kind> AnyRunWriter<Kind>::resume(const std::string& path, Scene& scene) {
  using Content = RunContent<Kind>;
  const auto differs = [&](const std::string& what) {
    throw InputError({path, 0, 0, ""}, fmt::format("was written for another scene: the {} differs", what));
  };
  if (h5::is_being_written(path)) throw OutputError(path, "is being written by another process");
  auto impl = std::make_unique<Impl>(path, scene);

  std::optional<typename Content::State> last;
  {
    const typename Content::Reader reader(path);
    if (reader.scene_text() != scene.text) differs("text");
    last = reader.last_checkpoint();
    if (!last) throw InputError({path, 0, 0, "/checkpoint"}, "holds no valid checkpoint to resume from");
    const std::string difference = Content::difference(reader, *last, scene);
    if (!difference.empty()) differs(difference);
    impl->frame_times = reader.frame_times();
    impl->frame_times.resize(static_cast<std::size_t>(last->rows.frames));
    impl->last_frame_step = reader.frame_steps()[impl->frame_times.size() - 1];
  }
  impl->finished = true;  // until its rows are known, nothing may be written
  impl->tables.open(path, Content::shape(scene));
  if (impl->tables.file.integer_attribute(run_layout::kScene, "frame_every") != scene.output.frame_every)
    differs("frame interval");
  scene.world.restore(last->snapshot);
  impl->tables.cut(last->rows);
  impl->finished = false;

  impl->sequence = last->sequence;
  impl->restored_step = last->snapshot.step;
  impl->restored_contacts = std::move(last->contacts);
  impl->write_view(true);
  return AnyRunWriter(std::move(impl));
}

// ---- The interface ----

template <class Kind>
AnyRunWriter<Kind>::AnyRunWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
template <class Kind>
AnyRunWriter<Kind>::AnyRunWriter(AnyRunWriter&&) noexcept = default;
template <class Kind>
AnyRunWriter<Kind>& AnyRunWriter<Kind>::operator=(AnyRunWriter&&) noexcept = default;
template <class Kind>
AnyRunWriter<Kind>::~AnyRunWriter() = default;

template <class Kind>
void AnyRunWriter<Kind>::add_step(const World& world) {
  impl_->tables.add_diagnostics(world.last_report());
  if (world.step_count() % impl_->frame_every == 0) impl_->add_frame(world);
  if (impl_->tables.buffered_bytes() > Impl::kBufferLimit) impl_->tables.publish_rows();
}

template <class Kind>
void AnyRunWriter<Kind>::checkpoint(const World& world) {
  impl_->tables.publish_rows();
  impl_->write_checkpoint(world);
  impl_->write_view(false);
}

// The checkpoint comes before the last frame: a resumed run then drops that frame unless it was due anyway.
template <class Kind>
void AnyRunWriter<Kind>::finish(const World& world, const std::string& status) {
  impl_->finished = true;
  impl_->tables.publish_rows();
  impl_->write_checkpoint(world);
  if (impl_->last_frame_step != world.step_count()) {
    impl_->add_frame(world);
    impl_->tables.publish_rows();
  }
  impl_->close(status);
}

template <class Kind>
void AnyRunWriter<Kind>::fail(const std::string& status) {
  impl_->finished = true;
  impl_->tables.publish_rows();
  impl_->close(status);
}

template <class Kind>
std::int64_t AnyRunWriter<Kind>::frames() const {
  return impl_->tables.rows().frames;
}

template <class Kind>
const std::string& AnyRunWriter<Kind>::file() const {
  return impl_->path;
}

}  // namespace carom
