// [[body]] and [[load]].
#include <fmt/format.h>

#include <algorithm>

#include "engine/compound.h"
#include "io/scene_parts.h"

namespace carom {

// Throws when the name is in use.
void start_item(const std::string& name, const Place& name_place, const Place& place, SceneDraft& draft) {
  const auto [taken, fresh] = draft.names.emplace(name, name_place);
  if (!fresh)
    throw InputError(name_place, fmt::format("the name is in use already, since line {}", taken->second.line),
                     fmt::format("\"{}\"", name));
  draft.items.push_back({name, place});
}

// The engine takes a body's position for its centre of mass. Where mass and inertia come from shapes that are not
// balanced about the body's origin, the body is recentred; returns where its centre of mass is in the scene's frame.
static Vec3 take_to_centre(BodySpec& spec) {
  const Vec3 centre = compound_properties(spec.colliders).centroid;
  double size = 0;
  for (const ColliderSpec& collider : spec.colliders)
    if (collider.shape.bounded()) size = std::max(size, collider.shape.bounding_radius());
  if (centre.norm() <= 1e-12 * size || recentre(spec).isZero()) return Vec3::Zero();  // rounding, or no need
  return centre;
}

void add_body(BodySpec spec, SceneDraft& draft) {
  const Place& place = draft.items.back().place;
  draft.centre.push_back(take_to_centre(spec));
  if (static_cast<std::int64_t>(draft.item_of.size()) >= kMaxSceneBodies)
    throw InputError(place, fmt::format("a scene holds at most {} bodies", kMaxSceneBodies));
  at_place(place, [&] { draft.scene.world.add_body(spec); });
  draft.item_of.push_back(draft.items.size() - 1);
}

namespace {

bool unbounded(const ColliderSpec& collider) { return !collider.shape.bounded(); }
bool is_surface(const ColliderSpec& collider) { return collider.shape.surface(); }

BodyKind read_kind(TomlTable& body, const BodySpec& spec) {
  const bool endless = std::any_of(spec.colliders.begin(), spec.colliders.end(), is_surface);
  const auto value = body.find("kind");
  if (!value) return body.has("motion") ? BodyKind::Kinematic : endless ? BodyKind::Fixed : BodyKind::Dynamic;
  const auto kind = value->choice<BodyKind>(
      {{"dynamic", BodyKind::Dynamic}, {"fixed", BodyKind::Fixed}, {"kinematic", BodyKind::Kinematic}});
  if (kind == BodyKind::Dynamic && endless)
    value->fail_plainly("a half_space, plane, mesh or height_field has no mass and cannot be dynamic; use fixed or kinematic");
  return kind;
}

// Where the body is and how it turns. A single half_space or plane turns as a body, so that its +z is the normal.
void read_pose(TomlTable& body, BodySpec& spec) {
  if (const auto position = body.find("position")) spec.pose.position = read_position(*position);
  if (const auto rotation = read_rotation(body)) spec.pose.rotation = *rotation;
  if (spec.colliders.size() == 1 && unbounded(spec.colliders[0]) && body.has("normal"))
    std::swap(spec.pose.rotation, spec.colliders[0].local.rotation);
}

void read_velocity(TomlTable& body, SceneDraft& draft, BodySpec& spec) {
  if (spec.kind == BodyKind::Fixed)
    for (const char* key : {"velocity", "angular_velocity"}) body.forbid(key, "a fixed body does not move");
  if (spec.kind != BodyKind::Kinematic) body.forbid("motion", "only a kinematic body follows a prescribed motion");
  if (body.has("motion"))
    for (const char* key : {"velocity", "angular_velocity"})
      body.forbid(key, "the motion of this body gives its velocity already");
  spec.velocity = body.vector3("velocity", Vec3::Zero());
  spec.angular_velocity = body.vector3("angular_velocity", Vec3::Zero());
  if (spec.kind != BodyKind::Kinematic) return;
  if (auto motion = body.table("motion"))
    spec.motion = read_motion(*motion, draft);
  else
    spec.motion = constant_velocity(spec.velocity, spec.angular_velocity);
}

void read_body(TomlTable& body, SceneDraft& draft) {
  BodySpec spec;
  spec.name = body.path();
  Place name_place = body.place();
  if (const auto name = body.find("name")) {
    spec.name = name->text();
    name_place = name->place();
    if (spec.name.empty()) name->fail("must not be empty");
  }
  start_item(spec.name, name_place, body.place(), draft);
  spec.colliders = read_colliders(body, draft);
  spec.kind = read_kind(body, spec);
  read_pose(body, spec);
  read_velocity(body, draft, spec);
  read_mass(body, spec);
  body.finish();
  add_body(spec, draft);
}

std::vector<std::string> body_names(const SceneDraft& draft) {
  const std::vector<std::string>& names = draft.scene.world.properties().name;
  constexpr std::size_t kCompared = 10'000;
  return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kCompared))};
}

}  // namespace

BodyId find_body(const TomlValue& name, const SceneDraft& draft) {
  const std::optional<BodyId> id = draft.scene.world.find(name.text());
  if (!id)
    name.fail_plainly(
        fmt::format("there is no body {}{}", short_text(name.node()), suggestion(name.text(), body_names(draft))));
  return *id;
}

namespace {

Load read_load(TomlTable& table, const SceneDraft& draft) {
  const World& world = draft.scene.world;
  Load load;
  const TomlValue body = table.need("body");
  load.body = find_body(body, draft);
  if (world.properties().kind[load.body.index] != BodyKind::Dynamic) body.fail("a load acts on dynamic bodies only");
  if (!table.has("force") && !table.has("torque")) table.fail("a load needs a force or a torque");
  load.force = table.vector3("force", load.force);
  load.torque = table.vector3("torque", load.torque);
  if (const auto point = table.find("point")) load.point = point->vector3() - draft.centre[load.body.index];
  load.from = table.real("from", any_real(), load.from);
  if (const auto to = table.find("to")) {
    load.to = to->real();
    if (load.to <= load.from) to->fail(fmt::format("must be later than from = {} s", load.from));
  }
  load.ramp = table.real("ramp", not_negative(), load.ramp);
  table.finish();
  return load;
}

}  // namespace

void read_bodies(TomlTable& root, SceneDraft& draft) {
  for (TomlTable& body : root.tables("body")) read_body(body, draft);
}

void read_loads(TomlTable& root, SceneDraft& draft) {
  for (TomlTable& table : root.tables("load")) {
    const Load load = read_load(table, draft);
    at_place(table.place(), [&] { draft.scene.world.add_load(load); });
  }
}

}  // namespace carom
