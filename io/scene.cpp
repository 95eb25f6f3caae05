#include "io/scene.h"

#include <fmt/format.h>

#include "io/scene_parts.h"
#include "io/text_file.h"

namespace carom {

namespace {

constexpr std::uintmax_t kMaxSceneBytes = 64u << 20;

}  // namespace

InputError relocated(const InputError& error, const Place& place) {
  if (!error.place().file.empty()) return error;
  Place full = place;
  if (!error.place().item.empty() && error.place().item != full.item)
    full.item += (full.item.empty() ? "" : ": ") + error.place().item;
  return {full, error.problem(), error.value()};
}

Scene read_scene(const std::filesystem::path& file) {
  return parse_scene(read_text_file(file, kMaxSceneBytes), file.string(), file.parent_path());
}

Scene parse_scene(const std::string& text, const std::string& file_name, const std::filesystem::path& folder,
                  const std::vector<Attachment>& attachments) {
  const TomlNode tree = parse_toml(text, file_name);
  TomlTable root(tree, file_name, "");
  if (root.empty())
    throw InputError({file_name, 0, 0, ""},
                     "the scene is empty: it needs [run] with duration and step, and a [[body]]");
  for (const char* section :
       {"run", "gravity", "material", "contact_pair", "body", "group", "joint", "load", "interface", "interfaces",
        "impact", "solver", "output"})
    root.allow(section);
  root.finish();  // a misspelt section explains more than what is missing because of it

  SceneDraft draft;
  draft.scene.name = std::filesystem::path(file_name).stem().string();
  draft.scene.text = text;
  draft.folder = folder;
  draft.attachments = &attachments;

  read_run(root, draft);
  read_gravity(root, draft);
  read_output(root, draft);
  read_materials(root, draft);
  read_contact_pairs(root, draft);
  read_impact(root, draft);
  read_solver(root, draft);
  read_bodies(root, draft);
  read_groups(root, draft);
  check_bodies_exist({file_name, 0, 0, ""}, draft);
  read_joints(root, draft);
  read_loads(root, draft);
  check_overlaps(draft);
  read_interfaces(root, draft);
  return std::move(draft.scene);
}

}  // namespace carom
