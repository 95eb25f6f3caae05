// What can be judged only when all bodies are there.
#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

void check_bodies_exist(const Place& root, const SceneDraft& draft) {
  const std::vector<BodyKind>& kinds = draft.scene.world.properties().kind;
  if (kinds.empty()) throw InputError(root, "the scene has no bodies: it needs at least one [[body]] or [[group]]");
  if (std::find(kinds.begin(), kinds.end(), BodyKind::Dynamic) == kinds.end())
    throw InputError(root, "the scene has no dynamic body: nothing would move");
}

void check_overlaps(SceneDraft& draft) {
  const World& world = draft.scene.world;
  const Colliders& colliders = world.colliders();
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < colliders.shape.size(); ++c) {
    const Shape& shape = colliders.shape[c];
    if (colliders.mobile[c] == 0) continue;
    smallest = std::min(smallest, shape.inner_radius());
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
