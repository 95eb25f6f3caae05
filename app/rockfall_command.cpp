// carom rockfall: a study of many blocks over a terrain.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/command.h"
#include "app/rockfall_progress.h"
#include "app/rockfall_team.h"
#include "app/stop_signal.h"
#include "app/terminal.h"
#include "base/error.h"
#include "io/rockfall/study_output.h"
#include "io/rockfall/study_run.h"

namespace carom {

namespace {

struct RockfallArguments {
  std::string study, folder;
  bool overwrite = false, resume = false, quiet = false, check = false;
  int threads = 0;
  std::int64_t most = 0;
};

// Trajectories that ended for no physical reason.
std::uint64_t wrong_ends(const rockfall::Results& results) {
  return results.count(rockfall::StopReason::BelowGround) + results.count(rockfall::StopReason::Failed);
}

void print_outcome(const RockfallArguments& a, const StudyFile& study, const StudyOutcome& outcome,
                   const std::string& folder) {
  fmt::print("{}", study_summary_text(study, outcome.results));
  const auto computed = outcome.results.trajectories.size() - outcome.resumed;
  if (outcome.seconds > 0)
    fmt::print("{}", row("wall time", fmt::format("{}, {:.3g} trajectories/s", duration_text(outcome.seconds),
                                                  static_cast<double>(computed) / outcome.seconds)));
  fmt::print("{}", row("written", folder + "/: maps/*.asc, *.csv, trajectories.geojson, study.h5"));
  if (!outcome.complete)
    fmt::print("{}", row("go on with", fmt::format("carom rockfall {} -o {} --resume", a.study, folder)));
  fmt::print("{}", row("next", fmt::format("open {}/summary.html", folder)));
}

int run_rockfall(const RockfallArguments& a) {
  if (a.resume && a.overwrite) throw InputError("--resume and --overwrite exclude each other");
  const std::unique_ptr<Team> team = join_team();
  const bool first = team == nullptr || team->rank() == 0;
  const StudyFile study = read_study(a.study);
  if (a.check) {
    if (first)
      fmt::print("{}: {} trajectories over {} x {} cells, {} stems: nothing wrong\n", a.study,
                 with_commas(static_cast<std::int64_t>(study.study.trajectories())), study.terrain.columns,
                 study.terrain.rows, study.study.ground.forest.stems.size());
    return kSuccess;
  }
  const std::string folder = a.folder.empty() ? study.name + "_rockfall" : a.folder;
  RockfallProgress progress(a.quiet || !first, study.study.trajectories());
  StudyRunOptions options;
  options.folder = folder;
  options.overwrite = a.overwrite;
  options.resume = a.resume;
  options.threads = a.threads > 0 ? Threads{a.threads} : Threads::all();
  options.team = team.get();
  options.most = static_cast<std::uint64_t>(a.most);
  options.progress = [&](std::uint64_t done, std::uint64_t) { progress.update(done); };
  options.stop_requested = [] { return stop_signal() != 0; };
  catch_stop_signals();
  const StudyOutcome outcome = run_study(study, options);
  progress.clear();
  if (!first) return kSuccess;
  if (outcome.resumed == study.study.trajectories() && outcome.files.empty() && outcome.disk_error.empty()) {
    if (!a.quiet) fmt::print(stderr, "{} is complete already: nothing to do\n", folder);
    return kSuccess;
  }
  if (!a.quiet) print_outcome(a, study, outcome, folder);
  if (!outcome.disk_error.empty()) {
    print_error(
        fmt::format("{}\n{} of {} trajectories are kept, marked partial; with room on the disk go on with --resume",
                    outcome.disk_error, outcome.results.trajectories.size(), study.study.trajectories()));
    return kBadInput;
  }
  if (const std::uint64_t wrong = wrong_ends(outcome.results); wrong > 0) {
    print_error(fmt::format("{} trajectories ended below the ground or without numbers: see trajectories.csv", wrong));
    return kRunFailed;
  }
  if (!outcome.complete && stop_signal() != 0) {
    print_error(fmt::format("{}: {}", a.study, status_text(study, outcome.results)));
    return 128 + stop_signal();
  }
  return kSuccess;
}

}  // namespace

void add_rockfall_command(CLI::App& program, Action& chosen) {
  auto a = std::make_shared<RockfallArguments>();
  CLI::App* command = program.add_subcommand("rockfall", "Throw many blocks down a terrain: maps, tables, percentiles");
  command->add_option("STUDY", a->study, "Study (.toml)")->required();
  command->add_option("-o,--output", a->folder, "Folder of the results (default: the study's name with _rockfall)");
  command->add_flag("--overwrite,--force", a->overwrite, "Replace results that are there");
  command->add_flag("--resume", a->resume, "Go on with an interrupted study; the files will be the same");
  command->add_option("--threads", a->threads, "Threads (default: all); results do not depend on it")
      ->check(CLI::Range(1, 4096));
  command->add_option("--most", a->most, "End after so many trajectories, as if interrupted; --resume goes on")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  command->add_flag("--check", a->check, "Read the study and say what is wrong, simulate nothing");
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors");
  command->footer(
      "Exit codes: 0 success, 2 bad input or full disk, 3 numerical failure, 130 or 143 stopped by a signal.\n"
      "On several machines: mpirun -n 2 carom rockfall slope.toml --threads 4\n"
      "Examples:\n  carom new rockfall_slope slope.toml\n  carom rockfall slope.toml\n  carom rockfall slope.toml --resume --threads 8");
  command->callback([a, &chosen] { chosen = [a] { return run_rockfall(*a); }; });
}

}  // namespace carom
