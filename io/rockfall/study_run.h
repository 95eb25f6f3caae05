// Runs a study into a folder: a journal while it lasts, results at its end.
#pragma once

#include <functional>
#include <memory>

#include "base/parallel.h"
#include "engine/rockfall/results.h"
#include "io/rockfall/study_file.h"

namespace carom {

// Several processes on one study: each computes a part of every block of trajectories and the first gathers them.
class Team {
 public:
  virtual ~Team() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The first gets the texts of all, in the order of ranks; the others get nothing.
  virtual std::vector<std::string> gather(const std::string& mine) = 0;
  // What the first says, to all.
  virtual std::uint64_t agree(std::uint64_t value) = 0;
};

struct StudyRunOptions {
  std::string folder;  // of results
  bool overwrite = false;
  bool resume = false;
  Threads threads;
  Team* team = nullptr;                  // none: this process alone
  std::function<bool()> stop_requested;  // looked at between blocks; empty: never
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
  std::uint64_t most = 0;  // end after so many trajectories of this call, as if interrupted; 0: all
};

struct StudyOutcome {
  rockfall::Results results;
  bool complete = false;
  std::uint64_t resumed = 0;  // trajectories that were there already
  double seconds = 0;
  std::string disk_error;  // "" unless the disk failed: what was computed before is in the journal
  std::vector<std::string> files;
};

// Throws InputError and OutputError before the first trajectory.
StudyOutcome run_study(const StudyFile& study, const StudyRunOptions& options);

inline std::string journal_in(const std::string& folder) { return folder + "/unfinished.journal"; }
inline std::string study_h5_in(const std::string& folder) { return folder + "/study.h5"; }

}  // namespace carom
