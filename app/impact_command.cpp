// carom impact: one multiple impact under one law or all of them, over a grid of parameters, or beside the papers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/command.h"
#include "app/impact_text.h"
#include "app/option_text.h"
#include "app/reproduce.h"
#include "app/terminal.h"
#include "base/error.h"
#include "base/timer.h"
#include "engine/systems/registry.h"
#include "io/impact_evolution.h"
#include "io/impact_scan.h"
#include "io/text_file.h"

namespace carom {

namespace {

struct ImpactArguments {
  std::string file;
  std::string law;
  std::vector<std::string> options;  // name=value, of the law
  std::string evolution;             // file to write
  std::vector<std::string> scans;
  std::vector<std::string> outputs;  // files of the scan
  int threads = 0;                   // 0: all
  bool list = false;
  bool json = false;
  bool reproduce = false;
  int section = 0;  // 0: all
  double tighten = 1;
};

void check_usage(const ImpactArguments& a) {
  const auto refuse = [](bool wrong, const char* why) {
    if (wrong) throw InputError(why);
  };
  const bool work = !a.law.empty() || !a.options.empty() || !a.evolution.empty() || !a.scans.empty();
  if (a.list || a.reproduce) {
    refuse(!a.file.empty() || work || !a.outputs.empty(), "--reproduce and --list take no file and no law");
    refuse(a.list && (a.reproduce || a.json || a.section > 0 || a.tighten != 1), "--list stands alone");
    return;
  }
  refuse(a.section > 0, "--section is for --reproduce");
  refuse(a.tighten != 1, "--tighten is for --reproduce");
  refuse(a.file.empty(), "FILE is missing: the impact to compute (or --reproduce, or --list)");
  refuse(!a.scans.empty() && !a.evolution.empty(), "--scan and --evolution exclude each other");
  refuse(!a.scans.empty() && a.outputs.empty(), "--scan needs -o FILE, ending in .csv or .h5");
  refuse(a.scans.empty() && !a.outputs.empty(), "-o is for --scan; --evolution names its own file");
  const bool all = a.law == "all";
  refuse(all && !a.scans.empty(), "--law all and --scan exclude each other: scan one law at a time");
  refuse(all && !a.evolution.empty(), "--law all and --evolution exclude each other: take one law");
  refuse(all && !a.options.empty(), "--option is for one law; the file's [impact.LAW] serves --law all");
}

// Whatever would make the answer useless is found before the work.
void check_output(const std::string& file, const std::string& input) {
  std::error_code ignored;
  if (std::filesystem::equivalent(file, input, ignored))
    throw InputError({file, 0, 0, ""}, "is the impact itself; name another file");
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw OutputError(file, "cannot be created: no such folder");
}

void check_law_name(const std::string& name) {
  if (name.empty() || name == "all" || find_law(name) != nullptr) return;
  std::vector<std::string> names = law_names();
  names.emplace_back("all");
  throw InputError({"", 0, 0, "--law"}, "there is no such law" + suggestion(name, names), name);
}

// What is wrong with an option of the command line is not the file's fault.
OptionValues checked_options(const ImpactArguments& a, const std::string& law) {
  const OptionValues options = parse_options(a.options);
  try {
    make_impact_law(law, options);
  } catch (const InputError& error) {
    throw InputError({"", 0, 0, "--option " + error.place().item}, error.problem(), error.value());
  }
  return options;
}

ImpactFile read_file(const ImpactArguments& a) {
  check_law_name(a.law);
  ImpactFile file = read_impact_file(a.file);
  if (!a.law.empty() && a.law != "all") file.law = a.law;
  for (const auto& [name, value] : checked_options(a, file.law)) file.options[file.law].insert_or_assign(name, value);
  return file;
}

// ---- One law ----

int strike_once(const ImpactArguments& a) {
  if (!a.evolution.empty()) check_output(a.evolution, a.file);
  const ImpactFile file = read_file(a);
  LawColumn column{file.law, {}, {}};
  const std::unique_ptr<ImpactLaw> law = make_law_of(file, file.law);
  std::int64_t moments = 0;
  std::string disk_error;
  if (a.evolution.empty()) {
    column.outcome = strike(file, *law);
  } else {
    EvolutionFile evolution(a.evolution, file.impact);
    column.outcome = strike(file, *law, [&](const ImpactMoment& moment) { evolution.add(moment); });
    evolution.finish();
    moments = evolution.moments();
  }

  const int code = reached_an_end(*column.outcome) ? kSuccess : kRunFailed;
  if (a.json) {
    JsonObject json;
    json.add("file", a.file);
    json.add("exit_code", code);
    add_impact(file, json);
    json.add("outcome", outcome_json(file, column));
    if (!a.evolution.empty()) json.add("evolution", a.evolution);
    fmt::print("{}\n", json.text());
  } else {
    std::string text = outcome_text(a.file, file, column);
    if (!a.evolution.empty()) text += row("written", fmt::format("{} ({} moments)", a.evolution, with_commas(moments)));
    fmt::print("{}", text);
  }
  if (const std::string wrong = inconsistency(file, *column.outcome); !wrong.empty())
    print_warning(fmt::format("{}: the outcome of {} is not consistent: {}", a.file, column.law, wrong));
  if (code != kSuccess) print_error(fmt::format("{}: {}", a.file, status_text(*column.outcome)));
  return code;
}

// ---- All laws ----

int compare_laws(const ImpactArguments& a) {
  const ImpactFile file = read_file(a);
  std::vector<LawColumn> columns;
  int code = kSuccess;
  for (const ImpactLawInfo& info : impact_law_table()) {
    LawColumn column{info.name, {}, {}};
    try {
      column.outcome = strike(file, *make_law_of(file, info.name));
      if (!reached_an_end(*column.outcome)) code = kRunFailed;
    } catch (const InputError& error) {
      column.refusal = error.problem() + (error.value().empty() ? "" : fmt::format(" (got {})", error.value()));
    }
    columns.push_back(std::move(column));
  }
  if (a.json) {
    JsonObject json;
    std::vector<JsonObject> outcomes;
    for (const LawColumn& column : columns) outcomes.push_back(outcome_json(file, column));
    json.add("file", a.file);
    json.add("exit_code", code);
    add_impact(file, json);
    json.add("outcomes", outcomes);
    fmt::print("{}\n", json.text());
  } else {
    fmt::print("{}", comparison_text(a.file, file, columns));
  }
  for (const LawColumn& column : columns)
    if (column.outcome && !reached_an_end(*column.outcome))
      print_error(fmt::format("{}: {}: {}", a.file, column.law, status_text(*column.outcome)));
  return code;
}

// ---- A grid ----

int scan(const ImpactArguments& a) {
  for (const std::string& file : a.outputs) {
    check_scan_ending(file);
    check_output(file, a.file);
  }
  check_law_name(a.law);
  std::vector<ScanAxis> axes;
  for (const std::string& text : a.scans) axes.push_back(parse_axis(text));
  const Threads threads = a.threads > 0 ? Threads{a.threads} : Threads::all();
  const Stopwatch watch;
  const std::string law = a.law.empty() ? read_impact_file(a.file).law : a.law;
  const ImpactScan result = scan_impact(read_text_file(a.file), a.file, law, checked_options(a, law), axes, threads);
  const double seconds = watch.seconds();

  std::string disk_error;
  try {
    for (const std::string& file : a.outputs) write_scan(file, result);
  } catch (const OutputError& error) {
    disk_error = error.what();
  }
  const ScanSummary summary = summarize(result);
  const int code = summary.failed == 0 && disk_error.empty() ? kSuccess : kRunFailed;
  if (a.json) {
    JsonObject json;
    json.add("file", a.file);
    json.add("law", result.law);
    json.add("exit_code", code);
    json.add("points", result.points());
    json.add("failed", summary.failed);
    json.add("inconsistent", summary.inconsistent);
    json.add("ker_min", summary.ker_min);
    json.add("ker_max", summary.ker_max);
    json.add("c_ke_min", summary.dispersion_min);
    json.add("c_ke_max", summary.dispersion_max);
    json.add("seconds", seconds);
    json.add("threads", threads.count);
    json.add("written", disk_error.empty() ? a.outputs : std::vector<std::string>{});
    fmt::print("{}\n", json.text());
  } else {
    std::string text = fmt::format("{}: {} over {} points\n", a.file, result.law,
                                   with_commas(static_cast<std::int64_t>(result.points())));
    for (const ScanAxis& axis : result.axes)
      text += row("axis", fmt::format("{}, {} values from {:g} to {:g}", axis.name, axis.values.size(),
                                      axis.values.front(), axis.values.back()));
    text += row("KER", fmt::format("{:.6g} to {:.6g}", summary.ker_min, summary.ker_max));
    text += row("C_KE", fmt::format("{:.6g} to {:.6g}", summary.dispersion_min, summary.dispersion_max));
    text += row("status", fmt::format("{} done, {} failed, {} inconsistent",
                                      with_commas(static_cast<std::int64_t>(result.points()) - summary.failed),
                                      with_commas(summary.failed), with_commas(summary.inconsistent)));
    text += row("wall time", fmt::format("{}, {} threads", duration_text(seconds), threads.count));
    if (disk_error.empty())
      for (const std::string& file : a.outputs) text += row("written", file);
    fmt::print("{}", text);
  }
  if (!disk_error.empty()) print_error(disk_error);
  if (summary.failed > 0)
    print_error(fmt::format("{}: {} of {} points did not come to an end", a.file, summary.failed, result.points()));
  return code;
}

// ---- What there is ----

int list_all() {
  fmt::print("Impact laws ([impact] law = \"...\", options beside it):\n\n");
  for (const ImpactLawInfo& law : impact_law_table()) {
    fmt::print("{}", described(law.name, law.summary, law.options));
    fmt::print("  restitution in [0, {:g}]: {}; {} friction{}\n", law.most_restitution, law.restitution,
               law.friction ? "with" : "without",
               law.presets.empty() ? "" : fmt::format("; by preset: {}", fmt::join(law.presets, ", ")));
  }
  fmt::print("\nSystems ([system] type = \"...\", parameters beside it):\n\n");
  for (const SystemInfo& system : system_table())
    fmt::print("{}", described(system.name, system.summary, system.parameters));
  fmt::print(
      "explicit: any impact by its numbers\n"
      "  mass, mass_matrix or inverse_mass_matrix; velocities; names; and a [[contact]] with normal for each\n");
  return kSuccess;
}

int impact_command(const ImpactArguments& a) {
  check_usage(a);
  if (a.list) return list_all();
  if (a.reproduce) return reproduce(a.section, a.tighten, a.json);
  if (!a.scans.empty()) return scan(a);
  return a.law == "all" ? compare_laws(a) : strike_once(a);
}

}  // namespace

void add_impact_command(CLI::App& program, Action& chosen) {
  auto a = std::make_shared<ImpactArguments>();
  CLI::App* command = program.add_subcommand("impact", "Compute one multiple impact, or compare impact laws on it");
  command->add_option("FILE", a->file, "Impact (.toml): [system], [[contact]], [impact]");
  command->add_option("--law", a->law, "Law instead of the file's, or all: every law side by side");
  command->add_option("--option", a->options, "Any option of the law, name=value; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--evolution", a->evolution, "Write velocities, impulses, forces and energies through it (CSV)");
  command
      ->add_option("--scan", a->scans,
                   "Grid over a number of the file: name=from:to:count, name=from:to:log:count or name=a,b,c; may be "
                   "repeated")
      ->allow_extra_args(false);
  command->add_option("-o,--output", a->outputs, "File of the scan (.csv or .h5); may be repeated")
      ->allow_extra_args(false);
  command->add_option("--threads", a->threads, "Threads of the scan (default: all); results do not depend on it")
      ->check(CLI::Range(1, 4096));
  command->add_flag("--reproduce", a->reproduce, "Compute the published figures and print them beside ours");
  command->add_option("--section", a->section, "Only this section of the figures")->check(CLI::Range(1, 15));
  command->add_option("--tighten", a->tighten, "Divide the tolerances of the figures by this, to see what they hide")
      ->check(CLI::Range(1.0, 1e12));
  command->add_flag("--list", a->list, "List the laws and systems with their options");
  command->add_flag("--json", a->json, "Print one JSON object");
  command->footer(
      "Exit codes: 0 done, 2 bad input, 3 a law came to no end, a published figure was missed, or full disk.\n"
      "Examples:\n  carom impact examples/impacts/newton_cradle_lzb.toml\n"
      "  carom impact examples/impacts/bernoulli.toml --law all\n"
      "  carom impact examples/impacts/bead_column.toml --evolution column.csv\n"
      "  carom impact examples/impacts/three_balls.toml --scan stiffness_ratio=0.01:100:log:41 --scan eta=1:5:9 -o "
      "domains.h5\n"
      "  carom impact --reproduce --section 3");
  command->callback([a, &chosen] { chosen = [a] { return impact_command(*a); }; });
}

}  // namespace carom
