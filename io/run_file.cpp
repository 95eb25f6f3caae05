#include "io/run_file.h"

#include "io/hdf5_disk.h"
#include "io/run_tables.h"

namespace carom {

namespace layout = run_layout;

// The two kinds of frames begin alike.
static_assert(int{layout::kFrameStep} == int{layout::kSystemStep} &&
              int{layout::kFrameTime} == int{layout::kSystemTime});

RunFile::RunFile(const std::string& file, const std::string& kind) : view_(std::make_unique<RunView>(file, kind)) {}
RunFile::RunFile(RunFile&&) noexcept = default;
RunFile::~RunFile() = default;

std::string RunFile::status() const { return view_->file.read_text(layout::kStatus); }
bool RunFile::being_written() const { return h5::is_being_written(view_->path); }
std::string RunFile::version() const { return view_->file.text_attribute(layout::kScene, "program_version"); }
std::string RunFile::scene_text() const { return view_->file.read_text(layout::kSceneText); }
std::string RunFile::scene_name() const { return view_->file.text_attribute(layout::kScene, "name"); }
std::string RunFile::scene_title() const { return view_->file.text_attribute(layout::kScene, "title"); }
std::int64_t RunFile::frame_count() const { return view_->rows.frames; }

std::vector<double> RunFile::frame_times() const {
  std::vector<double> times;
  view_->frames[0].read(layout::kFrameTime, 0, view_->frames[0].rows(), times);
  return times;
}

std::vector<std::int64_t> RunFile::frame_steps() const {
  std::vector<std::int64_t> steps;
  view_->frames[0].read(layout::kFrameStep, 0, view_->frames[0].rows(), steps);
  return steps;
}

RunDiagnostics RunFile::diagnostics() const { return view_->read_diagnostics(); }

std::vector<double> RunFile::frame_step_lengths() const {
  const std::vector<double> ends = diagnostics().time;
  std::vector<double> lengths;
  for (const std::int64_t step : frame_steps()) {
    const auto i = static_cast<std::size_t>(step);
    lengths.push_back(i == 0 || i > ends.size() ? 0 : ends[i - 1] - (i > 1 ? ends[i - 2] : 0));
  }
  return lengths;
}

}  // namespace carom
