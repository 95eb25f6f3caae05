#include "io/rockfall/study_run.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/timer.h"
#include "engine/rockfall/ensemble.h"
#include "io/rockfall/journal.h"
#include "io/rockfall/record_bytes.h"
#include "io/rockfall/study_output.h"
#include "io/text_file.h"

namespace carom {

namespace {

namespace fs = std::filesystem;
using rockfall::TrajectoryRecord;

constexpr std::uint64_t kPerThread = 32;  // trajectories between two looks at signals and the disk

void prepare_folder(const StudyFile& study, const StudyRunOptions& options) {
  const std::string& folder = options.folder;
  std::error_code error;
  const bool there = fs::exists(study_h5_in(folder), error) || fs::exists(journal_in(folder), error);
  if (there && !options.resume && !options.overwrite)
    throw InputError({folder, 0, 0, ""},
                     "holds a study already; --overwrite replaces it, --resume goes on with it, "
                     "-o names another folder");
  if (!there && options.resume) throw InputError({folder, 0, 0, ""}, "holds no study, so there is nothing to resume");
  fs::create_directories(fs::path(folder) / "maps", error);
  if (error) throw OutputError(folder, "cannot be created: " + error.message());
  if (options.overwrite) fs::remove(study_h5_in(folder), error);
  if (!options.resume || fs::exists(journal_in(folder), error))
    write_text_file(folder + "/summary.txt",
                    fmt::format("{}: PARTIAL, 0 or more of {} trajectories; go on with --resume\n", study.name,
                                study.study.trajectories()));
}

// The part of `count` trajectories that a member of the team computes.
std::pair<std::uint64_t, std::uint64_t> share_of(std::uint64_t count, int rank, int size) {
  const auto r = static_cast<std::uint64_t>(rank), n = static_cast<std::uint64_t>(size);
  return {count * r / n, count * (r + 1) / n};
}

// Trajectories first ... first + count - 1, by all of the team; the first member gets them all.
void compute(rockfall::Ensemble& ensemble, Team* team, std::uint64_t first, std::uint64_t count,
             std::vector<TrajectoryRecord>& records) {
  if (team == nullptr) return ensemble.simulate(first, count, records);
  const auto [from, to] = share_of(count, team->rank(), team->size());
  ensemble.simulate(first + from, to - from, records);
  std::string mine;
  if (team->rank() > 0)
    for (const TrajectoryRecord& r : records) append_record(r, mine);
  const std::vector<std::string> parts = team->gather(mine);
  for (std::size_t k = 1; k < parts.size(); ++k) {
    std::size_t at = 0;
    while (at < parts[k].size()) {
      TrajectoryRecord& record = records.emplace_back();
      if (!take_record(parts[k], at, record)) throw InternalError("a message between machines was cut");
    }
  }
}

}  // namespace

StudyOutcome run_study(const StudyFile& study, const StudyRunOptions& options) {
  StudyOutcome outcome{.results = rockfall::Results(study.study), .disk_error = {}, .files = {}};
  const bool first_member = options.team == nullptr || options.team->rank() == 0;
  const std::uint64_t all = study.study.trajectories();
  const auto take = [&](const TrajectoryRecord& record) { outcome.results.add(study.study, record); };
  Journal journal;
  bool finished_before = false;
  if (first_member) {
    prepare_folder(study, options);
    std::error_code ignored;
    finished_before = options.resume && !fs::exists(journal_in(options.folder), ignored);
    if (finished_before)
      check_same_study(study, options.folder);
    else if (options.resume)
      journal.resume(journal_in(options.folder), study.fingerprint, take);
    else
      journal.create(journal_in(options.folder), study.fingerprint);
    outcome.resumed = finished_before ? all : outcome.results.trajectories.size();
  }
  std::uint64_t done = options.team != nullptr ? options.team->agree(outcome.resumed) : outcome.resumed;
  if (done >= all && (finished_before || !first_member)) {
    outcome.complete = true;
    return outcome;
  }

  const Stopwatch watch;
  rockfall::Ensemble ensemble(study.study, options.threads);
  const auto members = static_cast<std::uint64_t>(options.team != nullptr ? options.team->size() : 1);
  const std::uint64_t block = kPerThread * static_cast<std::uint64_t>(options.threads.count) * members;
  const std::uint64_t last = options.most > 0 ? std::min(all, done + options.most) : all;
  std::vector<TrajectoryRecord> records;
  while (done < last) {
    const bool stop = (options.stop_requested && options.stop_requested()) || !outcome.disk_error.empty();
    if ((options.team != nullptr ? options.team->agree(stop ? 1 : 0) : (stop ? 1u : 0u)) != 0) break;
    const std::uint64_t count = std::min(block, last - done);
    compute(ensemble, options.team, done, count, records);
    if (first_member) {
      try {
        journal.append(records);
        for (const TrajectoryRecord& record : records) take(record);
      } catch (const OutputError& error) {
        outcome.disk_error = error.what();
      }
    }
    done += count;
    if (first_member && options.progress) options.progress(outcome.results.trajectories.size(), all);
  }
  outcome.seconds = watch.seconds();
  if (!first_member) return outcome;
  outcome.complete = outcome.results.trajectories.size() == all;
  outcome.results.cells.finish();
  try {
    outcome.files = write_study_output(study, outcome.results, options.folder);
    if (outcome.complete) journal.remove();
  } catch (const OutputError& error) {
    if (outcome.disk_error.empty()) outcome.disk_error = error.what();
    outcome.complete = false;
  }
  return outcome;
}

}  // namespace carom
