#include "app/system_info.h"

#include <fmt/format.h>

#include "app/command.h"
#include "app/summary.h"
#include "app/terminal.h"
#include "base/error.h"
#include "io/impact_file.h"
#include "io/system_run.h"

namespace carom {

namespace {

std::vector<std::string> names_of(const LagrangianSystem& system, bool contacts) {
  std::vector<std::string> names;
  const int count = contacts ? system.contacts() : system.coordinates();
  for (int i = 0; i < count; ++i) names.push_back(contacts ? system.contact_name(i) : system.coordinate_name(i));
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 12;
  std::string text = with_commas(static_cast<std::int64_t>(names.size())) + ": ";
  for (std::size_t i = 0; i < std::min(kListed, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
  return text + (names.size() > kListed ? ", ..." : "");
}

// A file without [run] is an impact, not a scene.
std::optional<SystemScene> scene_in(const std::string& file) {
  try {
    return read_system_scene(file);
  } catch (const InputError& error) {
    if (error.place().item != "run") throw;
    return std::nullopt;
  }
}

}  // namespace

int describe_system_scene(const std::string& file, bool as_json) {
  const std::optional<SystemScene> scene = scene_in(file);
  std::shared_ptr<const LagrangianSystem> owner;
  std::string law;
  if (!scene) {
    const ImpactFile impact = read_impact_file(file);
    owner = impact.section.system;
    law = impact.law;
  }
  const LagrangianSystem& system = scene ? scene->world.system() : *owner;
  if (scene) law = scene->impact.law;
  if (as_json) {
    JsonObject json;
    json.add("kind", scene ? "scene" : "impact");
    json.add("system", system.name());
    json.add("coordinates", names_of(system, false));
    json.add("contacts", names_of(system, true));
    json.add("impact_law", law);
    if (scene) {
      json.add("name", scene->name);
      json.add("title", scene->title);
      json.add("duration", scene->run.duration);
      json.add("step", scene->run.step);
      json.add("steps", scene->run.steps);
      json.add("solver", scene->solver.name);
    }
    fmt::print("{}\n", json.text());
    return kSuccess;
  }
  std::string text =
      fmt::format("{}: {} of a system in generalized coordinates\n", file, scene ? "a scene" : "an impact");
  text += row("system", std::string(system.name()));
  text += row("coordinates", listed(names_of(system, false)));
  text += row("contacts", listed(names_of(system, true)));
  text += row("impact law", law);
  if (scene) {
    text += row("time", fmt::format("{:g} s in {} steps of {:g} s", scene->run.duration, with_commas(scene->run.steps),
                                    scene->run.step));
    text += row("solver", fmt::format("{} to {:g}", scene->solver.name, tolerance_of(scene->solver).value));
  }
  text += row("next", fmt::format("carom {} {}", scene ? "run" : "impact", file));
  fmt::print("{}", text);
  return kSuccess;
}

int describe_system_run(const std::string& file, bool as_json) {
  const SystemRunReader run(file);
  SolverPlan solver;
  std::int64_t planned = 0;
  try {
    const SystemScene scene = parse_system_scene(run.scene_text(), run.scene_name() + ".toml");
    solver = scene.solver;
    planned = scene.run.steps;
  } catch (const InputError&) {
    // This version of the program reads the scene no longer: the run tells enough without it.
  }
  const RunSummary summary = summarize(run.diagnostics());
  const std::string status = run.status() == "running" ? "running, or killed while it ran" : run.status();
  const auto findings = judge_run(summary, status, 0);
  if (as_json) {
    JsonObject json;
    json.add("kind", "run");
    json.add("scene", run.scene_name());
    json.add("status", run.status());
    json.add("version", run.version());
    json.add("system", run.system());
    json.add("coordinates", run.coordinates());
    json.add("contact_names", run.contacts());
    json.add("frames", run.frame_count());
    json.add("steps", summary.steps);
    json.add("time", summary.time);
    add_summary(summary, solver, json);
    add_findings(findings, json);
    fmt::print("{}\n", json.text());
    return kSuccess;
  }
  std::string text =
      fmt::format("{}: a run of {}\n", file, run.scene_title().empty() ? run.scene_name() : run.scene_title());
  text += row("status", status);
  text += row("written by", "carom " + run.version());
  text += row("system", run.system());
  text += row("coordinates", listed(run.coordinates()));
  text += row("contacts", listed(run.contacts()));
  text += row("frames", with_commas(run.frame_count()));
  text += row("simulated", fmt::format("{:.6g} s in {}{} steps", summary.time, with_commas(summary.steps),
                                       planned > 0 ? " of " + with_commas(planned) : ""));
  text += summary_text(summary, solver);
  text += findings_text(findings);
  fmt::print("{}", text);
  return kSuccess;
}

}  // namespace carom
