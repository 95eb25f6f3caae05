// carom info: what a run file or a scene holds, and whether a run may be trusted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

#include "app/command.h"
#include "app/summary.h"
#include "app/system_info.h"
#include "app/terminal.h"
#include "base/error.h"
#include "io/run_tables.h"
#include "io/system_scene.h"

namespace carom {

namespace {

bool is_hdf5(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string signature(8, '\0');
  return stream.read(signature.data(), 8) && signature == "\x89HDF\r\n\x1a\n";
}

struct BodyCounts {
  std::int64_t dynamic = 0, kinematic = 0, fixed = 0;

  void add(BodyKind kind) {
    if (kind == BodyKind::Dynamic) ++dynamic;
    if (kind == BodyKind::Kinematic) ++kinematic;
    if (kind == BodyKind::Fixed) ++fixed;
  }
  std::string text() const {
    return fmt::format("{} moving, {} with prescribed motion, {} fixed", with_commas(dynamic), with_commas(kinematic),
                       with_commas(fixed));
  }
  JsonObject json() const {
    JsonObject object;
    object.add("dynamic", dynamic);
    object.add("kinematic", kinematic);
    object.add("fixed", fixed);
    return object;
  }
};

BodyCounts count_bodies(const World& world) {
  BodyCounts counts;
  for (const BodyKind kind : world.properties().kind) counts.add(kind);
  return counts;
}

// Where something other than the default was said.
std::string stiffness_text(const Material& m) {
  const Material usual;
  if (m.stiffness == usual.stiffness && m.exponent == usual.exponent) return "";
  return fmt::format(", stiffness {:g}, exponent {:g}", m.stiffness, m.exponent);
}

std::string materials_text(const MaterialTable& materials) {
  std::string text;
  for (int i = 0; i < materials.size(); ++i) {
    const Material& m = materials[MaterialId{i}];
    text += row(i == 0 ? "materials" : "", fmt::format("{}: friction {:g}, restitution {:g}, tangential {:g}", m.name,
                                                       m.friction, m.restitution, m.tangential_restitution) +
                                               stiffness_text(m));
  }
  return text;
}

int describe_scene(const std::string& file, bool as_json) {
  const Scene scene = read_scene(file);
  const World& world = scene.world;
  const BodyCounts counts = count_bodies(world);
  double mass = 0;
  for (const double m : world.properties().mass) mass += m;
  const SolverTolerance tolerance = tolerance_of(scene.solver);
  const char* unit = tolerance.measure == Measure::Velocity ? " m/s" : " relative to |q|";
  const Vec3 gravity = world.forces().gravity.acceleration;
  if (as_json) {
    JsonObject json;
    json.add("kind", "scene");
    json.add("name", scene.name);
    json.add("title", scene.title);
    json.add("duration", scene.run.duration);
    json.add("step", scene.run.step);
    json.add("steps", scene.run.steps);
    json.add("bodies", counts.json());
    json.add("mass", mass);
    json.add("materials", world.materials().size());
    json.add("impact_law", scene.impact.law);
    json.add("solver", scene.solver.name);
    json.add("tolerance", tolerance.value);
    json.add("frame_every", scene.output.frame_every);
    fmt::print("{}\n", json.text());
    return kSuccess;
  }
  std::string text = fmt::format("{}: a scene{}\n", file, scene.title.empty() ? "" : ", " + scene.title);
  text += row("bodies", counts.text());
  text += row("mass", fmt::format("{:.6g} kg moving", mass));
  text += materials_text(world.materials());
  text += row("gravity", fmt::format("({:g}, {:g}, {:g}) m/s^2", gravity.x(), gravity.y(), gravity.z()));
  text += row("time", fmt::format("{:g} s in {} steps of {:g} s", scene.run.duration, with_commas(scene.run.steps),
                                  scene.run.step));
  text += row("impact law", scene.impact.law);
  text += row("solver", fmt::format("{} to {:g}{}", scene.solver.name, tolerance.value, unit));
  text += row("frames", fmt::format("every {} step(s), contacts {}", with_commas(scene.output.frame_every),
                                    scene.output.contacts ? "included" : "left out"));
  text += row("next", fmt::format("carom run {}", file));
  fmt::print("{}", text);
  return kSuccess;
}

// The scene as the run file keeps it; nothing when this version of the program reads it no longer.
std::optional<Scene> scene_of(const RunReader& run, const std::string& file) {
  try {
    return parse_scene(run.scene_text(), run.scene_name() + ".toml", std::filesystem::path(file).parent_path(),
                       run.attachments());
  } catch (const InputError&) {
    return std::nullopt;
  }
}

int describe_run(const std::string& file, bool as_json) {
  const RunReader run(file);
  const std::optional<Scene> scene = scene_of(run, file);
  const RunSummary summary = summarize(run.diagnostics());
  const std::string status = run.status() == "running" ? "running, or killed while it ran" : run.status();
  const auto findings = judge_run(summary, status, scene ? smallest_moving_size(scene->world) : 0);
  const SolverPlan solver = scene ? scene->solver : SolverPlan{};
  BodyCounts counts;
  for (const RunBody& body : run.bodies()) counts.add(body.kind);
  if (as_json) {
    JsonObject json;
    json.add("kind", "run");
    json.add("scene", run.scene_name());
    json.add("status", run.status());
    json.add("version", run.version());
    json.add("bodies", counts.json());
    json.add("frames", run.frame_count());
    json.add("steps", summary.steps);
    if (scene) json.add("steps_planned", scene->run.steps);
    json.add("time", summary.time);
    add_summary(summary, solver, json);
    add_findings(findings, json);
    fmt::print("{}\n", json.text());
    return kSuccess;
  }
  std::string text =
      fmt::format("{}: a run of {}\n", file, scene && !scene->title.empty() ? scene->title : run.scene_name());
  text += row("status", status);
  text += row("written by", "carom " + run.version());
  text += row("bodies", counts.text());
  text += row("frames", with_commas(run.frame_count()));
  text += row("simulated", fmt::format("{:.6g} s in {}{} steps", summary.time, with_commas(summary.steps),
                                       scene ? " of " + with_commas(scene->run.steps) : ""));
  text += row("step time", fmt::format("{} in all steps", duration_text(summary.phase_seconds.total())));
  text += summary_text(summary, solver);
  text += findings_text(findings);
  fmt::print("{}", text);
  return kSuccess;
}

}  // namespace

void add_info_command(CLI::App& program, Action& chosen) {
  struct Arguments {
    std::string file;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("info", "Tell what a run or a scene holds, and whether a run may be trusted");
  command->add_option("FILE", arguments->file, "Run file (.h5) or scene (.toml)")->required();
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->footer("Examples:\n  carom info pile.h5\n  carom info pile.toml --json");
  command->callback([arguments, &chosen] {
    chosen = [arguments] {
      const std::string& file = arguments->file;
      if (std::filesystem::path(file).extension() == ".toml" && !is_hdf5(file))
        return is_system_scene(file) ? describe_system_scene(file, arguments->json)
                                     : describe_scene(file, arguments->json);
      return run_kind(file) == "system" ? describe_system_run(file, arguments->json)
                                        : describe_run(file, arguments->json);
    };
  });
}

}  // namespace carom
