// [[interface]]: the law of one pair of bodies; [interfaces]: what is watched and how bonds break.
#include <fmt/format.h>

#include <set>

#include "io/scene_parts.h"

namespace carom {

namespace {

void read_pair(TomlTable& table, std::set<std::pair<std::uint32_t, std::uint32_t>>& seen, SceneDraft& draft) {
  World& world = draft.scene.world;
  const TomlValue bodies = table.need("bodies");
  if (!bodies.is_list() || bodies.items().size() != 2) bodies.fail_type("a list of 2 names of bodies");
  const BodyId a = find_body(bodies.items()[0], draft), b = find_body(bodies.items()[1], draft);
  if (a == b) bodies.fail("a body has no interface with itself");
  if (!seen.insert(std::minmax(a.index, b.index)).second) bodies.fail("this pair was given already");
  // What is left out stays as the materials of their first shapes say.
  const auto material_of = [&](BodyId id) {
    for (int k = 0; k < world.colliders().size(); ++k)
      if (world.colliders().body[static_cast<std::size_t>(k)] == static_cast<int>(id.index))
        return world.material_of(k);
    return MaterialId{};
  };
  const PairLaw law = read_law(table, world.materials().law(material_of(a), material_of(b)));
  table.finish();
  at_place(table.place(), [&] { world.set_pair(a, b, law); });
}

}  // namespace

void read_interfaces(TomlTable& root, SceneDraft& draft) {
  Scene& scene = draft.scene;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (TomlTable& table : root.tables("interface")) read_pair(table, seen, draft);

  InterfaceOptions options;
  double critical = 1e-5;
  auto table = root.table("interfaces");
  if (table) {
    options.margin = table->real("margin", not_negative(), options.margin);
    options.opening_tolerance = table->real("opening_tolerance", not_negative(), options.opening_tolerance);
    options.sliding_tolerance = table->real("sliding_tolerance", not_negative(), options.sliding_tolerance);
    options.collapse_displacement = table->real("collapse_displacement", positive(), options.collapse_displacement);
    critical = table->real("breaks_at", positive(), critical);
    scene.stop_at_collapse = table->flag("stop_at_collapse", false);
    table->finish();
  }
  const Place place = table ? table->place() : Place{root.file(), 0, 0, "interfaces"};
  at_place(place, [&] {
    scene.world.bond_interfaces(options.margin, critical);
    if (table) scene.world.watch_interfaces(options);
  });
}

}  // namespace carom
