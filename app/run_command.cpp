// carom run: a scene simulated into a run file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "app/command.h"
#include "app/progress.h"
#include "app/stop_signal.h"
#include "app/structure_text.h"
#include "app/summary.h"
#include "app/terminal.h"
#include "base/error.h"
#include "io/run_loop.h"
#include "io/xdmf.h"

namespace carom {

namespace {

namespace fs = std::filesystem;

struct RunArguments {
  std::string scene;
  std::string output;
  bool overwrite = false;
  bool resume = false;
  int threads = 0;         // 0: as the scene says
  std::int64_t steps = 0;  // 0: as the scene says
  bool quiet = false;
  bool json = false;
  std::string dump_folder;
  bool no_output = false;
};

// What a run is of: bodies, or a system in generalized coordinates.
struct OfBodies {
  using Scene = carom::Scene;
  using Writer = RunWriter;
  using Reader = RunReader;
  static constexpr bool kXdmf = true;
  static bool has_fclib_form(const Scene& scene) { return !scene.world.resists_rolling(); }
  static Scene read(const std::string& file) { return read_scene(file); }
  static std::string content(const Scene& scene) {
    return fmt::format("{} bodies", with_commas(scene.world.body_count()));
  }
  static void add_content(const Scene& scene, JsonObject& json) { json.add("bodies", scene.world.body_count()); }
  static std::string findings(const Scene& scene, const RunSummary& summary) {
    return structure_text(structure_of(scene), summary);
  }
  static void add_findings(const Scene& scene, const RunSummary& summary, JsonObject& json) {
    add_structure(structure_of(scene), summary, json);
  }
  static double smallest_size(const Scene& scene) { return smallest_moving_size(scene.world); }
};
struct OfSystem {
  using Scene = SystemScene;
  using Writer = SystemRunWriter;
  using Reader = SystemRunReader;
  static constexpr bool kXdmf = false;
  static bool has_fclib_form(const Scene&) { return true; }
  static Scene read(const std::string& file) { return read_system_scene(file); }
  static std::string content(const Scene& scene) {
    const LagrangianSystem& system = scene.world.system();
    return fmt::format("{}, {} coordinates, {} contacts", system.name(), system.coordinates(), system.contacts());
  }
  static void add_content(const Scene& scene, JsonObject& json) {
    json.add("system", scene.world.system().name());
    json.add("coordinates", scene.world.system().coordinates());
  }
  static std::string findings(const Scene&, const RunSummary&) { return ""; }
  static void add_findings(const Scene&, const RunSummary&, JsonObject&) {}
  static double smallest_size(const Scene&) { return 0; }
};

// A run and the files it leaves.
template <class Kind>
struct Run {
  typename Kind::Scene scene;
  std::string file;  // "" with --no-output
  std::string xdmf;  // "" where there is none
  std::optional<typename Kind::Writer> writer;
  RunSummary before;  // of the steps already in the file
  std::int64_t frames = 0;
  int threads = 1;
  bool nothing_to_do = false;  // resumed, but complete already
};

void check_usage(const RunArguments& a) {
  if (a.resume && a.overwrite) throw InputError("--resume and --overwrite exclude each other");
  if (a.no_output && (a.resume || a.overwrite || !a.output.empty()))
    throw InputError("--no-output excludes --output, --overwrite and --resume");
}

template <class AnyScene>
std::string output_file(const RunArguments& a, const AnyScene& scene) {
  if (a.no_output) return "";
  if (!a.output.empty()) return a.output;
  return scene.output.file.empty() ? scene.name + ".h5" : scene.output.file;
}

template <class Kind>
void resume_run(std::int64_t steps_asked, Run<Kind>& run) {
  if (!fs::exists(run.file)) throw InputError({run.file, 0, 0, ""}, "no such file, so there is nothing to resume");
  RunDiagnostics diagnostics;
  {
    const typename Kind::Reader old(run.file);
    diagnostics = old.diagnostics();
    const std::int64_t done = diagnostics.step.empty() ? 0 : diagnostics.step.back();
    // Of another scene it is not the run that was asked for; the writer says so.
    if (old.status() == "complete" && steps_asked <= done && old.scene_text() == run.scene.text) {
      run.nothing_to_do = true;
      run.before = summarize(diagnostics);
      run.frames = old.frame_count();
      return;
    }
  }
  run.writer = Kind::Writer::resume(run.file, run.scene);
  run.before = summarize(diagnostics, run.scene.world.step_count());
}

template <class Kind>
Run<Kind> start_run(const RunArguments& a) {
  Run<Kind> run{.scene = Kind::read(a.scene), .file = {}, .xdmf = {}, .writer = {}, .before = {}};
  if (a.threads > 0) run.scene.world.options().threads = {a.threads};
  run.threads = run.scene.world.options().threads.count;
  if (!a.dump_folder.empty()) {
    if (!Kind::has_fclib_form(run.scene))
      throw InputError({a.scene, 0, 0, "--dump-problems"},
                       "FCLIB has no form for contacts with rolling resistance: their problems cannot be written");
    std::error_code error;
    fs::create_directories(a.dump_folder, error);
    if (error) throw OutputError(a.dump_folder, "cannot be created: " + error.message());
  }
  run.file = output_file(a, run.scene);
  if (run.file.empty()) return run;
  if (Kind::kXdmf) run.xdmf = xdmf_beside(run.file);
  std::error_code ignored;
  if (fs::equivalent(run.file, a.scene, ignored))
    throw InputError({run.file, 0, 0, ""}, "is the scene itself; name another output");
  if (a.resume) {
    resume_run(a.steps, run);
    return run;
  }
  if (!a.overwrite && fs::exists(fs::symlink_status(run.file)))
    throw InputError({run.file, 0, 0, ""},
                     "exists already; --overwrite replaces it, --resume goes on with it, -o names another");
  run.writer = Kind::Writer::create(run.file, run.scene, a.overwrite);
  return run;
}

template <class Kind>
RunOutcome step_run(const RunArguments& a, Run<Kind>& run) {
  const std::int64_t last_step = a.steps > 0 ? a.steps : run.scene.run.steps;
  Progress progress(a.quiet, run.scene.world.step_count(), last_step, tolerance_of(run.scene.solver).measure);
  RunLoopOptions options;
  options.last_step = last_step;
  options.after_step = [&](const StepReport& report, const RunSummary&) { progress.update(report); };
  options.stop_requested = [] { return stop_signal() != 0; };
  options.dump_folder = a.dump_folder;
  options.failure_prefix = run.file.empty() ? run.scene.name : fs::path(run.file).replace_extension().string();
  catch_stop_signals();
  return run_scene(run.scene, run.writer ? &*run.writer : nullptr, options, run.before);
}

int exit_code(const RunOutcome& outcome) {
  if (outcome.end == RunEnd::Complete) return kSuccess;
  return outcome.end == RunEnd::Stopped ? 128 + stop_signal() : kRunFailed;
}

double steps_per_second(const RunOutcome& outcome) {
  return outcome.seconds > 0 ? static_cast<double>(outcome.steps) / outcome.seconds : 0;
}

template <class Kind>
void print_text(const RunArguments& a, const Run<Kind>& run, const RunOutcome& outcome) {
  const RunSummary& s = outcome.summary;
  std::string text =
      fmt::format("{}: {}\n", run.scene.title.empty() ? run.scene.name : run.scene.title, outcome.status);
  text += row("simulated", fmt::format("{:.6g} s in {} steps of {:g} s, {}", s.time, with_commas(s.steps),
                                       run.scene.run.step, Kind::content(run.scene)));
  text += row("wall time", fmt::format("{}, {} steps/s, {}", duration_text(outcome.seconds),
                                       with_commas(std::llround(steps_per_second(outcome))),
                                       run.threads == 1 ? "1 thread" : fmt::format("{} threads", run.threads)));
  text += summary_text(s, run.scene.solver);
  text += Kind::findings(run.scene, s);
  text += findings_text(judge_run(s, outcome.status, Kind::smallest_size(run.scene)));
  for (const std::string& file : outcome.dumped) text += row("problem", file);
  if (!run.file.empty()) {
    std::error_code ignored;
    text += row("written", fmt::format("{} ({} frames, {})", run.file, with_commas(run.frames),
                                       size_text(fs::file_size(run.file, ignored))));
    if (outcome.end == RunEnd::Stopped)
      text += row("go on with", fmt::format("carom run {} -o {} --resume", a.scene, run.file));
    text += row("next", Kind::kXdmf
                            ? fmt::format("open {} in ParaView (XDMF Reader), or: carom info {}", run.xdmf, run.file)
                            : fmt::format("carom info {0}, or: carom export {0}", run.file));
  }
  fmt::print("{}", text);
}

template <class Kind>
void print_json(const RunArguments& a, const Run<Kind>& run, const RunOutcome& outcome) {
  const RunSummary& s = outcome.summary;
  JsonObject json;
  json.add("scene", a.scene);
  json.add("title", run.scene.title);
  json.add("status", outcome.status);
  json.add("exit_code", exit_code(outcome));
  Kind::add_content(run.scene, json);
  json.add("steps", s.steps);
  json.add("steps_planned", run.scene.run.steps);
  json.add("step", run.scene.run.step);
  json.add("time", s.time);
  json.add("wall_seconds", outcome.seconds);
  json.add("steps_per_second", steps_per_second(outcome));
  json.add("threads", run.threads);
  add_summary(s, run.scene.solver, json);
  Kind::add_findings(run.scene, s, json);
  add_findings(judge_run(s, outcome.status, Kind::smallest_size(run.scene)), json);
  json.add("problems", outcome.dumped);
  json.add("file", run.file);
  json.add("xdmf", run.xdmf);
  json.add("frames", run.frames);
  fmt::print("{}\n", json.text());
}

template <class Kind>
int run_command(const RunArguments& a) {
  Run<Kind> run = start_run<Kind>(a);
  if (run.nothing_to_do) {
    if (a.json)
      print_json(a, run, {.end = RunEnd::Complete, .status = "complete", .summary = run.before, .dumped = {}});
    if (!a.quiet) fmt::print(stderr, "{} is complete already: nothing to do\n", run.file);
    return kSuccess;
  }
  RunOutcome outcome;
  try {
    outcome = step_run(a, run);
    if (run.writer) run.frames = run.writer->frames();
  } catch (const OutputError& error) {
    print_error(fmt::format(
        "{}\nthe run stopped at step {} of {}; with room on the disk, --resume goes on from the last checkpoint",
        error.what(), run.scene.world.step_count(), run.scene.run.steps));
    return kRunFailed;
  }
  if (a.json)
    print_json(a, run, outcome);
  else if (!a.quiet)
    print_text(a, run, outcome);
  const int code = exit_code(outcome);
  if (code != kSuccess) print_error(fmt::format("{}: {}", a.scene, outcome.status));
  return code;
}

}  // namespace

void add_run_command(CLI::App& program, Action& chosen) {
  auto a = std::make_shared<RunArguments>();
  CLI::App* command = program.add_subcommand("run", "Simulate a scene into a run file");
  command->add_option("SCENE", a->scene, "Scene (.toml)")->required();
  command->add_option("-o,--output", a->output, "Run file (default: as the scene says, or its name with .h5)");
  command->add_flag("--overwrite,--force", a->overwrite, "Replace an existing run file");
  command->add_flag("--resume", a->resume, "Go on with an interrupted run file, bit for bit as if never stopped");
  command
      ->add_option("--threads", a->threads, "Threads (default: as the scene says, or 1); results do not depend on it")
      ->check(CLI::Range(1, 4096));
  command->add_option("--steps", a->steps, "End after this step instead of the scene's last")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors");
  command->add_flag("--json", a->json, "Print the summary as one JSON object on standard output");
  command->add_option("--dump-problems", a->dump_folder, "Write each step's cone problem (FCLIB) into this folder");
  command->add_flag("--no-output", a->no_output, "Write no run file");
  command->footer(
      "Exit codes: 0 success, 2 bad input, 3 numerical failure or full disk, 130 or 143 stopped by a signal.\n"
      "Examples:\n  carom run pile.toml\n  carom run pile.toml -o night.h5 --resume --json");
  command->callback([a, &chosen] {
    chosen = [a] {
      check_usage(*a);
      return is_system_scene(a->scene) ? run_command<OfSystem>(*a) : run_command<OfBodies>(*a);
    };
  });
}

}  // namespace carom
