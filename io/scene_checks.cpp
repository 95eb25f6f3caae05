// What can be judged only when all bodies are there.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "contact/narrow_phase.h"
#include "io/scene_parts.h"

namespace carom {

namespace {

constexpr double kDefaultOverlap = 1e-3;  // of the smallest radius or half extent of a dynamic body

std::string named(const SceneDraft& draft, int body) {
  const std::string& name = draft.scene.world.properties().name[static_cast<std::size_t>(body)];
  return name.empty() ? fmt::format("number {}", body) : fmt::format("\"{}\"", name);
}

const Place& place_of(const SceneDraft& draft, int body) {
  return draft.items[draft.item_of[static_cast<std::size_t>(body)]].place;
}

// Shapes of one kind in one item (a body or a group), with two bodies at most as examples.
struct Presence {
  std::size_t item = 0;
  ShapeKind kind = ShapeKind::Sphere;
  bool mobile = false;
  int first = -1;
  int second = -1;  // another body, or -1
};

std::vector<Presence> find_presences(const SceneDraft& draft) {
  const Colliders& colliders = draft.scene.world.colliders();
  std::map<std::tuple<std::size_t, ShapeKind, bool>, Presence> found;
  for (int c = 0; c < colliders.size(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    const int body = colliders.body[i];
    const std::size_t item = draft.item_of[static_cast<std::size_t>(body)];
    const ShapeKind kind = colliders.shape[i].kind;
    const bool mobile = colliders.mobile[i] != 0;
    Presence& p = found.try_emplace({item, kind, mobile}, Presence{item, kind, mobile}).first->second;
    if (p.first < 0)
      p.first = body;
    else if (p.second < 0 && p.first != body)
      p.second = body;
  }
  std::vector<Presence> list;
  for (const auto& [key, presence] : found) list.push_back(presence);
  return list;
}

// Two bodies, one of each; nullopt when there is only one body.
std::optional<std::pair<int, int>> two_bodies(const Presence& p, const Presence& q) {
  if (p.first != q.first) return std::pair(p.first, q.first);
  if (q.second >= 0) return std::pair(p.first, q.second);
  if (p.second >= 0) return std::pair(p.second, q.first);
  return std::nullopt;
}

using ItemPairs = std::set<std::pair<std::size_t, std::size_t>>;

std::size_t find_item(const TomlValue& name, const SceneDraft& draft) {
  const auto found = std::find_if(draft.items.begin(), draft.items.end(),
                                  [&](const SceneItem& item) { return item.name == name.text(); });
  if (found != draft.items.end()) return static_cast<std::size_t>(found - draft.items.begin());
  std::vector<std::string> names;
  for (const SceneItem& item : draft.items) names.push_back(item.name);
  name.fail_plainly(
      fmt::format("there is no body or group {}{}", short_text(name.node()), suggestion(name.text(), names)));
}

ItemPairs read_never_meet(const SceneDraft& draft) {
  ItemPairs pairs;
  for (const TomlValue& value : draft.never_meet) {
    if (!value.is_list() || value.items().size() != 2) value.fail_type("a list of 2 names of bodies or groups");
    const std::size_t a = find_item(value.items()[0], draft), b = find_item(value.items()[1], draft);
    pairs.insert(std::minmax(a, b));
  }
  return pairs;
}

[[noreturn]] void fail_pair(const SceneDraft& draft, const Presence& p, const Presence& q, std::pair<int, int> bodies) {
  throw InputError(
      place_of(draft, std::max(bodies.first, bodies.second)),
      fmt::format(
          "{} ({}) and {} ({}) might meet, and contact between these two shapes is not computed: they would pass "
          "through each other. Use spheres for one of them, or state that they never meet: [run] never_meet = "
          "[[\"{}\", \"{}\"]]",
          named(draft, bodies.first), name_of(p.kind), named(draft, bodies.second), name_of(q.kind),
          draft.items[p.item].name, draft.items[q.item].name));
}

}  // namespace

void check_bodies_exist(const Place& root, const SceneDraft& draft) {
  const std::vector<BodyKind>& kinds = draft.scene.world.properties().kind;
  if (kinds.empty()) throw InputError(root, "the scene has no bodies: it needs at least one [[body]] or [[group]]");
  if (std::find(kinds.begin(), kinds.end(), BodyKind::Dynamic) == kinds.end())
    throw InputError(root, "the scene has no dynamic body: nothing would move");
}

void check_pairs_can_collide(const SceneDraft& draft) {
  const ItemPairs declared = read_never_meet(draft);
  const std::vector<Presence> presences = find_presences(draft);
  for (const Presence& p : presences) {
    if (!p.mobile) continue;
    for (const Presence& q : presences) {
      if (can_collide(p.kind, q.kind) || declared.contains(std::minmax(p.item, q.item))) continue;
      if (const auto bodies = two_bodies(p, q)) fail_pair(draft, p, q, *bodies);
    }
  }
}

void check_overlaps(SceneDraft& draft) {
  const World& world = draft.scene.world;
  const Colliders& colliders = world.colliders();
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < colliders.shape.size(); ++c) {
    const Shape& shape = colliders.shape[c];
    if (colliders.mobile[c] == 0 || !shape.bounded()) continue;
    smallest = std::min(smallest, shape.kind == ShapeKind::Sphere ? shape.radius : shape.half_extents.minCoeff());
  }
  const double tolerance = draft.overlap_tolerance.value_or(kDefaultOverlap * smallest);
  draft.scene.run.overlap_tolerance = tolerance;

  const std::vector<World::Overlap> overlaps = world.find_overlaps(tolerance);
  if (overlaps.empty()) return;
  const World::Overlap& worst = overlaps.front();
  throw InputError(
      place_of(draft, std::max(worst.body_a, worst.body_b)),
      fmt::format("{} and {} overlap at the start by {:.4g} m, more than the {:.4g} m allowed (overlaps in "
                  "all: {}). Move them apart, or allow it with [run] overlap_tolerance = {:.2g}",
                  named(draft, worst.body_a), named(draft, worst.body_b), worst.depth, tolerance, overlaps.size(),
                  1.1 * worst.depth));
}

}  // namespace carom
