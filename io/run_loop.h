// The run loop: steps a scene to its end and keeps its run file, without a word on any terminal.
#pragma once

#include <functional>

#include "io/run_summary.h"
#include "io/run_writer.h"
#include "io/system_run_reader.h"

namespace carom {

enum class RunEnd : std::uint8_t {
  Complete,          // all steps, all solved or accepted
  Unsolved,          // some solve missed its tolerance and the scene does not accept that
  NumericalFailure,  // the state or a solve stopped being finite, or a problem was ill-posed
  Stopped,           // stop_requested() said so
};

struct RunLoopOptions {
  std::int64_t last_step = 0;  // number of the last step; 0: as the scene plans
  // Called after each step, in the thread of the caller.
  std::function<void(const StepReport&, const RunSummary&)> after_step;
  std::function<bool()> stop_requested;  // asked between steps
  std::string dump_folder;               // every step's problem goes here; "": none
  std::string failure_prefix;            // problems of failed solves: <prefix>.step00000012.hdf5; "": none
};

struct RunOutcome {
  RunEnd end = RunEnd::Complete;
  std::string status;               // "complete" or the reason, as in the run file
  RunSummary summary;               // of the whole run, steps before a resume included
  std::vector<std::string> dumped;  // problem files of failed solves
  double seconds = 0;               // wall time of this call
  std::int64_t steps = 0;           // of this call
};

// Goes on from where scene.world stands. `writer` may be null; `before` sums up the steps already in its file.
// Whatever ends the run, the file then holds status and checkpoint. Throws OutputError when the disk says no.
RunOutcome run_scene(Scene& scene, RunWriter* writer, const RunLoopOptions& options, const RunSummary& before = {});
RunOutcome run_scene(SystemScene& scene, SystemRunWriter* writer, const RunLoopOptions& options,
                     const RunSummary& before = {});

}  // namespace carom
