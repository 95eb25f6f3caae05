// Writing run files (HDF5), of bodies and of systems in generalized coordinates. docs/file_formats.md describes the
// layout.
#pragma once

#include <memory>

#include "io/scene.h"
#include "io/system_scene.h"

namespace carom {

// What a run is of.
struct BodyRun {
  using Scene = carom::Scene;
  using World = carom::World;
};
struct SystemRun {
  using Scene = SystemScene;
  using World = LagrangianWorld;
};

// Appends frames, contacts and diagnostics while a world is stepped. Every checkpoint flushes the file, so
// that a killed run is readable up to there and can resume. Throws OutputError when the disk says no.
template <class Kind>
class AnyRunWriter {
 public:
  using Scene = typename Kind::Scene;
  using World = typename Kind::World;

  // A new file; refuses to replace an existing one unless `overwrite`. Writes frame 0.
  static AnyRunWriter create(const std::string& file, const Scene& scene, bool overwrite);
  // Goes on with an interrupted file, cut back to its last checkpoint, which is restored into scene.world.
  static AnyRunWriter resume(const std::string& file, Scene& scene);

  AnyRunWriter(AnyRunWriter&&) noexcept;
  AnyRunWriter& operator=(AnyRunWriter&&) noexcept;
  ~AnyRunWriter();  // flushes what it can; never throws

  void add_step(const World& world);    // diagnostics of the last step, and a frame when one is due
  void checkpoint(const World& world);  // state for resuming, then flush
  void finish(const World& world, const std::string& status);  // last frame, checkpoint, status "complete" or a reason
  // Status of a run whose state is of no use any more: the file keeps its last good frame and checkpoint.
  void fail(const std::string& status);
  std::int64_t frames() const;
  const std::string& file() const;

 private:
  struct Impl;
  explicit AnyRunWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

using RunWriter = AnyRunWriter<BodyRun>;
using SystemRunWriter = AnyRunWriter<SystemRun>;

extern template class AnyRunWriter<BodyRun>;    // io/run_writer.cpp
extern template class AnyRunWriter<SystemRun>;  // io/system_run_writer.cpp

}  // namespace carom
