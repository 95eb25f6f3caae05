// Run files of systems in generalized coordinates: the same format as those of bodies (io/run_layout.h), with /system
// instead of /bodies, and frames of q, v and gaps.
#pragma once

#include "io/checkpoint.h"
#include "io/run_diagnostics.h"
#include "io/system_scene.h"

namespace carom {

// As RunWriter does for bodies.
class SystemRunWriter {
 public:
  static SystemRunWriter create(const std::string& file, const SystemScene& scene, bool overwrite);
  static SystemRunWriter resume(const std::string& file, SystemScene& scene);

  SystemRunWriter(SystemRunWriter&&) noexcept;
  SystemRunWriter& operator=(SystemRunWriter&&) noexcept;
  ~SystemRunWriter();  // flushes what it can; never throws

  void add_step(const LagrangianWorld& world);
  void checkpoint(const LagrangianWorld& world);
  void finish(const LagrangianWorld& world, const std::string& status);
  void fail(const std::string& status);
  std::int64_t frames() const;
  const std::string& file() const;

 private:
  struct Impl;
  explicit SystemRunWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct SystemFrame {
  double time = 0;
  std::int64_t step = 0;
  std::vector<double> q, v, gap;
};

// As RunReader does for bodies.
class SystemRunReader {
 public:
  explicit SystemRunReader(const std::string& file);
  SystemRunReader(SystemRunReader&&) noexcept;
  ~SystemRunReader();

  std::string status() const;
  std::string version() const;
  std::string scene_text() const;
  std::string scene_name() const;
  std::string scene_title() const;
  std::string system() const;  // type
  const std::vector<std::string>& coordinates() const;
  const std::vector<std::string>& contacts() const;
  std::int64_t frame_count() const;
  std::vector<double> frame_times() const;
  std::vector<std::int64_t> frame_steps() const;
  SystemFrame frame(std::int64_t index) const;
  std::vector<LagrangianContactRecord> contacts(std::int64_t frame) const;
  RunDiagnostics diagnostics() const;
  std::optional<SystemCheckpoint> last_checkpoint() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
