// What any run file tells, whatever it is a run of.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/run_diagnostics.h"

namespace carom {

class RunView;

class RunFile {
 public:
  std::string status() const;   // "running", "complete" or a reason
  bool being_written() const;   // by a living process; "running" without it: the writer was killed
  std::string version() const;  // of the program that wrote it
  std::string scene_text() const;
  std::string scene_name() const;
  std::string scene_title() const;
  std::int64_t frame_count() const;
  std::vector<double> frame_times() const;  // s
  std::vector<std::int64_t> frame_steps() const;
  RunDiagnostics diagnostics() const;
  std::vector<double> frame_step_lengths() const;  // of the step before each frame, s; 0 for the start

 protected:
  RunFile(const std::string& file, const std::string& kind);  // "" or "system"
  RunFile(RunFile&&) noexcept;
  ~RunFile();
  std::unique_ptr<RunView> view_;
};

}  // namespace carom
