// [material.*], [[contact_pair]], [impact] and [solver].
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/scene_parts.h"
#include "solvers/registry.h"

namespace carom {

namespace {

PairLaw read_law(TomlTable& table, const PairLaw& fallback) {
  return {table.real("friction", not_negative(), fallback.friction),
          table.real("restitution", within(0, 1), fallback.restitution),
          table.real("tangential_restitution", within(-1, 1), fallback.tangential_restitution)};
}

}  // namespace

void read_materials(TomlTable& root, SceneDraft& draft) {
  MaterialId standard;
  draft.materials["default"] = standard;
  draft.material_names.emplace_back("default");
  auto section = root.table("material");
  if (!section) return;
  for (const std::string& name : section->keys()) {
    const TomlValue value = *section->find(name);
    if (!value.is_table()) value.fail_type(fmt::format("a table: write [material.{}]", name));
    TomlTable table = value.table();
    if (name == "default")
      table.fail("\"default\" is the built-in material of bodies without one; choose another name");
    const PairLaw law =
        read_law(table, {Material{}.friction, Material{}.restitution, Material{}.tangential_restitution});
    table.finish();
    draft.materials[name] = at_place(table.place(), [&] {
      return draft.scene.world.add_material({name, law.friction, law.restitution, law.tangential_restitution});
    });
    draft.material_names.push_back(name);
  }
}

MaterialId find_material(const TomlValue& name, const SceneDraft& draft) {
  const auto found = draft.materials.find(name.text());
  if (found == draft.materials.end())
    name.fail_plainly(
        fmt::format("unknown material {}{}", short_text(name.node()), suggestion(name.text(), draft.material_names)));
  return found->second;
}

void read_contact_pairs(TomlTable& root, SceneDraft& draft) {
  std::set<std::pair<int, int>> seen;
  for (TomlTable& table : root.tables("contact_pair")) {
    const TomlValue value = table.need("materials");
    if (!value.is_list() || value.items().size() != 2) value.fail_type("a list of 2 material names");
    const MaterialId a = find_material(value.items()[0], draft), b = find_material(value.items()[1], draft);
    if (!seen.insert(std::minmax(a.index, b.index)).second) value.fail("this pair was given already");
    const PairLaw law = read_law(table, draft.scene.world.materials().law(a, b));
    table.finish();
    at_place(table.place(), [&] { draft.scene.world.set_pair(a, b, law); });
  }
}

void read_impact(TomlTable& root) {
  auto impact = root.table("impact");
  if (!impact) return;
  const std::vector<std::string> laws = {"newton"};
  if (const auto law = impact->find("law")) law->choice(laws);
  impact->finish();
}

namespace {

std::vector<std::string> split_choices(const std::string& type) {
  std::vector<std::string> choices;
  for (std::size_t begin = 0; begin <= type.size();) {
    const std::size_t end = std::min(type.find('|', begin), type.size());
    choices.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

void check_range(const TomlValue& value, const OptionInfo& info, double number) {
  if (!info.range.contains(number)) value.fail(fmt::format("must be in {}", info.range.text()));
}

OptionValue read_option(const TomlValue& value, const OptionInfo& info) {
  if (info.type == "flag") return value.flag();
  if (info.type == "real") {
    const double number = value.real();
    check_range(value, info, number);
    return number;
  }
  if (info.type == "integer") {
    using Limits = std::numeric_limits<std::int64_t>;
    const std::int64_t number = value.integer(Limits::min(), Limits::max());
    check_range(value, info, static_cast<double>(number));
    return number;
  }
  const std::vector<std::string> choices = split_choices(info.type);
  return choices[value.choice(choices)];
}

const SolverInfo& find_solver(TomlTable* section, std::string& name) {
  std::vector<std::string> names;
  for (const SolverInfo& info : solver_table()) names.push_back(info.name);
  if (section != nullptr)
    if (const auto value = section->find("name")) name = names[value->choice(names)];
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw InputError(fmt::format("there is no solver \"{}\"", name));
  return solver_table()[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace

void read_solver(TomlTable& root, SceneDraft& draft) {
  auto section = root.table("solver");
  SolverPlan& plan = draft.scene.solver;
  const SolverInfo& info = find_solver(section ? &*section : nullptr, plan.name);

  // A simulation is judged in m/s; problem files are compared by the natural map.
  const OptionValues scene_defaults = {
      {"measure", std::string("velocity")}, {"tolerance", 1e-8}, {"max_iterations", std::int64_t{10000}}};
  for (const OptionInfo& option : info.options) {
    const auto fallback = scene_defaults.find(option.name);
    if (fallback != scene_defaults.end()) plan.options[option.name] = fallback->second;
    if (!section) continue;
    if (const auto value = section->find(option.name)) plan.options[option.name] = read_option(*value, option);
  }
  if (section) section->finish();
  const Place place = section ? section->place() : Place{root.file(), 0, 0, "solver"};
  draft.scene.world.set_solver(at_place(place, [&] { return make_solver(plan.name, plan.options); }));
}

}  // namespace carom
