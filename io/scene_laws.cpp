// [material.*], [[contact_pair]], [impact] and [solver].
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/impact_file.h"
#include "io/scene_parts.h"
#include "io/toml_options.h"
#include "solvers/registry.h"

namespace carom {

namespace {

constexpr RealRange kExponent = {1, std::numeric_limits<double>::infinity(), false};

}  // namespace

PairLaw read_law(TomlTable& table, const PairLaw& fallback) {
  return {table.real("friction", not_negative(), fallback.friction),
          table.real("restitution", within(0, 1), fallback.restitution),
          table.real("tangential_restitution", within(-1, 1), fallback.tangential_restitution),
          table.real("stiffness", positive(), fallback.stiffness),
          table.real("exponent", kExponent, fallback.exponent),
          table.real("cohesion", not_negative(), fallback.cohesion),
          table.real("tensile_strength", not_negative(), fallback.tensile_strength),
          table.real("rolling_friction", not_negative(), fallback.rolling_friction)};
}

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
    const Material usual;
    const PairLaw law = read_law(table, combine(usual, usual));
    table.finish();
    draft.materials[name] = at_place(table.place(), [&] {
      return draft.scene.world.add_material({name, law.friction, law.restitution, law.tangential_restitution,
                                             law.stiffness, law.exponent, law.cohesion, law.tensile_strength,
                                             law.rolling_friction});
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

ImpactPlan read_impact_plan(TomlTable& root, double& threshold) {
  ImpactPlan plan;
  auto impact = root.table("impact");
  if (!impact) return plan;
  const std::vector<std::string> laws = law_names();
  if (const auto law = impact->find("law")) plan.law = laws[law->choice(laws)];
  plan.place = impact->place();
  if (plan.law == "newton") {
    // Newton's law is part of the step's cone problem: it has no options of its own there.
    impact->forbid("threshold", "is for laws other than newton, which acts in every step");
  } else {
    threshold = impact->real("threshold", positive(), threshold);
    plan.options = read_options(*impact, find_law(plan.law)->options);
  }
  if (root.has("system"))  // carom impact reads these from the same file
    for (const char* key : {"title", "time", "contacts", "gap_tolerance"}) impact->allow(key);
  for (const std::string& law : laws)
    if (root.has("system")) impact->allow(law);
  impact->finish();
  return plan;
}

std::unique_ptr<ImpactLaw> make_law(const ImpactPlan& plan) {
  if (plan.law == "newton") return nullptr;
  return at_place(plan.place, [&] { return make_impact_law(plan.law, plan.options); });
}

void read_impact(TomlTable& root, SceneDraft& draft) {
  draft.scene.impact = read_impact_plan(root, draft.scene.world.options().impact_threshold);
  draft.scene.world.set_impact_law(make_law(draft.scene.impact));
}

namespace {

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
  }
  if (section)
    for (const auto& [name, value] : read_options(*section, info.options)) plan.options[name] = value;
  if (section) section->finish();
  const Place place = section ? section->place() : Place{root.file(), 0, 0, "solver"};
  if (draft.scene.world.resists_rolling() && !info.takes.contains(ConeKind::Rolling))
    throw InputError(
        place, fmt::format("solver {} does not take contacts with rolling_friction; auto and nsgs do", plan.name));
  draft.scene.world.set_solver(at_place(place, [&] { return make_solver(plan.name, plan.options); }));
}

}  // namespace carom
