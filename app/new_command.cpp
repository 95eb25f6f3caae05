// carom new: a commented scene to start from.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/command.h"
#include "app/templates.h"
#include "app/terminal.h"
#include "base/error.h"
#include "io/text_file.h"
#include "io/toml_reader.h"

namespace carom {

namespace {

// The first comment line of a scene says what it shows.
std::string first_comment(const std::string& text) {
  if (text.empty() || text[0] != '#') return "";
  const std::size_t begin = text.find_first_not_of("# ");
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

int list_templates() {
  fmt::print("Templates:\n");
  for (const SceneTemplate& scene : scene_templates())
    fmt::print("  {:<18} {}\n", scene.name, first_comment(scene.text));
  fmt::print("\nMake one yours with: carom new TEMPLATE [FILE]\n");
  return kSuccess;
}

const SceneTemplate& find_template(const std::string& name) {
  std::vector<std::string> names;
  for (const SceneTemplate& scene : scene_templates()) {
    if (scene.name == name) return scene;
    names.push_back(scene.name);
  }
  throw InputError(fmt::format("no template is called \"{}\"{}", name, suggestion(name, names)));
}

int write_template(const std::string& name, std::string file) {
  const SceneTemplate& scene = find_template(name);
  if (file.empty()) file = name + ".toml";
  if (std::filesystem::exists(std::filesystem::symlink_status(file)))
    throw InputError({file, 0, 0, ""}, "exists already and is left alone; name another file");
  write_text_file(file, scene.text);
  const char* command = name.starts_with("rockfall_") ? "rockfall" : "run";
  fmt::print("wrote {0}; next: carom {1} {0}\n", file, command);
  return kSuccess;
}

}  // namespace

void add_new_command(CLI::App& program, Action& chosen) {
  struct Arguments {
    std::string name, file;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("new", "Write a commented scene to start from");
  command->add_option("TEMPLATE", arguments->name, "Which one; without it, the list of templates");
  command->add_option("FILE", arguments->file, "Where to write it (default: TEMPLATE.toml)");
  command->footer("Example:\n  carom new bouncing_ball drop.toml");
  command->callback([arguments, &chosen] {
    chosen = [arguments] {
      return arguments->name.empty() ? list_templates() : write_template(arguments->name, arguments->file);
    };
  });
}

}  // namespace carom
