#include "app/system_info.h"

#include <fmt/format.h>

#include "app/command.h"
#include "app/info_parts.h"
#include "app/terminal.h"
#include "base/error.h"
#include "io/impact_file.h"
#include "io/system_run_reader.h"
#include "io/system_scene.h"

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

InfoContent content_of(std::string system, std::vector<std::string> coordinates, std::vector<std::string> contacts) {
  InfoContent content;
  content.rows = row("system", system) + row("coordinates", listed(coordinates)) + row("contacts", listed(contacts));
  content.add = [system, coordinates, contacts](JsonObject& json) {
    json.add("system", system);
    json.add("coordinates", coordinates);
    json.add("contact_names", contacts);
  };
  return content;
}

InfoContent content_of(const LagrangianSystem& system) {
  return content_of(std::string(system.name()), names_of(system, false), names_of(system, true));
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

int describe_impact(const std::string& file, bool as_json) {
  const ImpactFile impact = read_impact_file(file);
  const InfoContent content = content_of(*impact.section.system);
  if (as_json) {
    JsonObject json;
    json.add("kind", "impact");
    content.add(json);
    json.add("impact_law", impact.law);
    fmt::print("{}\n", json.text());
    return kSuccess;
  }
  fmt::print("{}: an impact of a system in generalized coordinates\n{}{}{}", file, content.rows,
             row("impact law", impact.law), row("next", fmt::format("carom impact {}", file)));
  return kSuccess;
}

PlannedRun plan_of(const SystemRunReader& run) {
  try {
    const SystemScene scene = parse_system_scene(run.scene_text(), run.scene_name() + ".toml");
    return {scene.solver, scene.run.steps, 0};
  } catch (const InputError&) {
    return {};  // this version of the program reads the scene no longer: the run tells enough without it
  }
}

}  // namespace

int describe_system_scene(const std::string& file, bool as_json) {
  const std::optional<SystemScene> scene = scene_in(file);
  if (!scene) return describe_impact(file, as_json);
  return describe_scene(file, {scene->name, scene->title, scene->run, scene->output, scene->solver, scene->impact},
                        content_of(scene->world.system()), as_json);
}

RunDescription describe_system_run(const std::string& file) {
  const SystemRunReader run(file);
  return describe_run(file, run, plan_of(run), {content_of(run.system(), run.coordinates(), run.contacts())});
}

}  // namespace carom
