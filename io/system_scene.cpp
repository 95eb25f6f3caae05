#include "io/system_scene.h"

#include <fmt/format.h>

#include "io/impact_file.h"
#include "io/scene_parts.h"
#include "io/text_file.h"
#include "solvers/registry.h"

namespace carom {

namespace {

constexpr std::uintmax_t kMaxSceneBytes = 64u << 20;

// What a run of a system cannot use, with the reason.
void check_sections(TomlTable& root) {
  for (const char* section : {"body", "group"}) root.forbid(section, "a scene has bodies or a [system], not both");
  for (const char* section : {"gravity", "material", "contact_pair", "load"})
    root.forbid(section, "is for scenes of bodies; a system has parameters of its own for this");
  for (const char* section : {"run", "system", "contact", "impact", "solver", "output"}) root.allow(section);
  root.finish();
  if (auto run = root.table("run"))
    for (const char* key : {"planar", "overlap_tolerance", "seed"}) run->forbid(key, "is for scenes of bodies");
}

void check_contacts(const SystemSection& section, const std::string& law) {
  const double most = find_law(law)->most_restitution;
  for (int i = 0; i < section.system->contacts(); ++i) {
    const double e = section.system->contact_law(i).restitution;
    Place place = section.contact_places[static_cast<std::size_t>(i)];
    place.item = fmt::format("contact \"{}\"", section.system->contact_name(i));
    if (e > most)
      throw InputError(place, fmt::format("restitution of {} must be in [0, {}]", law, most), fmt::format("{}", e));
    if (section.preload[static_cast<std::size_t>(i)] > 0)
      throw InputError(place, "preload is for carom impact: a run finds the forces of contacts itself");
  }
}

}  // namespace

bool is_system_scene(const std::filesystem::path& file) {
  try {
    const std::string name = file.string();
    const TomlNode tree = parse_toml(read_text_file(file, kMaxSceneBytes), name);
    return TomlTable(tree, name, "").has("system");
  } catch (const InputError&) {
    return false;
  }
}

SystemScene read_system_scene(const std::filesystem::path& file) {
  return parse_system_scene(read_text_file(file, kMaxSceneBytes), file.string());
}

SystemScene parse_system_scene(const std::string& text, const std::string& file_name) {
  const TomlNode tree = parse_toml(text, file_name);
  TomlTable root(tree, file_name, "");
  check_sections(root);
  const bool margin_given = root.table("run") && root.table("run")->has("activation_margin");

  // [run], [output] and [solver] are those of any scene.
  SceneDraft draft;
  draft.scene.solver.name = "auto";
  read_run(root, draft);
  read_output(root, draft);
  read_solver(root, draft);
  StepOptions options = draft.scene.world.options();
  if (!margin_given) options.activation_margin = touching_options().activation_margin;
  ImpactPlan impact = read_impact_plan(root, options.impact_threshold);

  const SystemSection section = read_system(root);
  check_contacts(section, impact.law);
  SystemScene scene{.name = std::filesystem::path(file_name).stem().string(),
                    .title = draft.scene.title,
                    .text = text,
                    .run = draft.scene.run,
                    .output = draft.scene.output,
                    .solver = draft.scene.solver,
                    .impact = std::move(impact),
                    .world = LagrangianWorld(section.system, options)};
  scene.world.set_solver(make_solver(scene.solver.name, scene.solver.options));
  scene.world.set_impact_law(make_law(scene.impact));
  return scene;
}

}  // namespace carom
