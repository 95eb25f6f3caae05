// Writing run files (HDF5). docs/file_formats.md describes the layout.
#pragma once

#include <memory>

#include "io/scene.h"

namespace carom {

// Appends frames, contacts and diagnostics while a world is stepped. Every checkpoint flushes the file, so
// that a killed run is readable up to there and can resume. Throws OutputError when the disk says no.
class RunWriter {
 public:
  // A new file; refuses to replace an existing one unless `overwrite`. Writes frame 0.
  static RunWriter create(const std::string& file, const Scene& scene, bool overwrite);
  // Goes on with an interrupted file, cut back to its last checkpoint, which is restored into scene.world.
  static RunWriter resume(const std::string& file, Scene& scene);

  RunWriter(RunWriter&&) noexcept;
  RunWriter& operator=(RunWriter&&) noexcept;
  ~RunWriter();  // flushes what it can; never throws

  void add_step(const World& world);    // diagnostics of the last step, and a frame when one is due
  void checkpoint(const World& world);  // state for resuming, then flush
  void finish(const World& world, const std::string& status);  // last frame, checkpoint, status "complete" or a reason
  // Status of a run whose state is of no use any more: the file keeps its last good frame and checkpoint.
  void fail(const std::string& status);
  std::int64_t frames() const;
  const std::string& file() const;

 private:
  struct Impl;
  explicit RunWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
