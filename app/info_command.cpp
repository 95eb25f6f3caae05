// carom info: what a run file or a scene holds, and whether a run may be trusted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

#include "app/command.h"
#include "app/info_parts.h"
#include "app/structure_text.h"
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
std::string rolling_text(const Material& m) {
  return m.rolling_friction > 0 ? fmt::format(", rolling friction {:g}", m.rolling_friction) : "";
}

std::string materials_text(const MaterialTable& materials) {
  std::string text;
  for (int i = 0; i < materials.size(); ++i) {
    const Material& m = materials[MaterialId{i}];
    text += row(i == 0 ? "materials" : "", fmt::format("{}: friction {:g}, restitution {:g}, tangential {:g}", m.name,
                                                       m.friction, m.restitution, m.tangential_restitution) +
                                               rolling_text(m) + stiffness_text(m));
  }
  return text;
}

// Joints, bonds and interfaces, where there are some.
std::string parts_text(const World& world) {
  std::string text;
  if (world.joint_count() > 0) text += row("joints", with_commas(world.joint_count()));
  if (!world.bonds().empty())
    text += row("cohesion", fmt::format("{} interfaces bonded", with_commas(std::ssize(world.bonds()))));
  if (world.interfaces() != nullptr)
    text += row("interfaces", fmt::format("{} watched", with_commas(std::ssize(world.interfaces()->interfaces()))));
  return text;
}

int describe_body_scene(const std::string& file, bool as_json) {
  const Scene scene = read_scene(file);
  const World& world = scene.world;
  const BodyCounts counts = count_bodies(world);
  double mass = 0;
  for (const double m : world.properties().mass) mass += m;
  const Vec3 gravity = world.forces().gravity.acceleration;
  InfoContent content;
  content.rows = row("bodies", counts.text()) + row("mass", fmt::format("{:.6g} kg moving", mass)) +
                 materials_text(world.materials()) +
                 row("gravity", fmt::format("({:g}, {:g}, {:g}) m/s^2", gravity.x(), gravity.y(), gravity.z())) +
                 parts_text(world);
  content.add = [&](JsonObject& json) {
    json.add("bodies", counts.json());
    json.add("mass", mass);
    json.add("materials", world.materials().size());
    json.add("joints", world.joint_count());
    json.add("bonds", world.bonds().size());
    if (world.interfaces() != nullptr) json.add("interfaces", world.interfaces()->interfaces().size());
  };
  return describe_scene(file, {scene.name, scene.title, scene.run, scene.output, scene.solver, scene.impact}, content,
                        as_json);
}

// The scene of a run; nothing where this version of the program reads it no longer: the run tells enough without it.
std::optional<Scene> scene_of(const RunReader& run, const std::string& file) {
  try {
    return parse_scene(run.scene_text(), run.scene_name() + ".toml", std::filesystem::path(file).parent_path(),
                       run.attachments());
  } catch (const InputError&) {
    return {};
  }
}

RunDescription describe_body_run(const std::string& file) {
  const RunReader run(file);
  BodyCounts counts;
  for (const RunBody& body : run.bodies()) counts.add(body.kind);
  const std::optional<Scene> scene = scene_of(run, file);
  const StructureReport structure = structure_of(run, scene ? &*scene : nullptr);
  const RunContentInfo info = {
      .content = {row("bodies", counts.text()), [&](JsonObject& json) { json.add("bodies", counts.json()); }},
      .findings = [&](const RunSummary& summary) { return structure_text(structure, summary); },
      .add_findings = [&](const RunSummary& summary, JsonObject& json) { add_structure(structure, summary, json); }};
  PlannedRun planned;
  if (scene) planned = {scene->solver, scene->run.steps, smallest_moving_size(scene->world)};
  return describe_run(file, run, planned, info);
}

}  // namespace

RunDescription describe_run_file(const std::string& file) {
  return run_kind(file) == "system" ? describe_system_run(file) : describe_body_run(file);
}

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
                                     : describe_body_scene(file, arguments->json);
      const RunDescription run = describe_run_file(file);
      fmt::print("{}", arguments->json ? run.json.text() + "\n" : run.text);
      return int{kSuccess};
    };
  });
}

}  // namespace carom
