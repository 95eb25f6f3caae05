// [[body]] and [[load]].
#include <fmt/format.h>

#include <algorithm>

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

void add_body(const BodySpec& spec, SceneDraft& draft) {
  const Place& place = draft.items.back().place;
  if (static_cast<std::int64_t>(draft.item_of.size()) >= kMaxSceneBodies)
    throw InputError(place, fmt::format("a scene holds at most {} bodies", kMaxSceneBodies));
  at_place(place, [&] { draft.scene.world.add_body(spec); });
  draft.item_of.push_back(draft.items.size() - 1);
}

namespace {

bool unbounded(const ColliderSpec& collider) { return !collider.shape.bounded(); }

BodyKind read_kind(TomlTable& body, const BodySpec& spec) {
  const bool endless = std::any_of(spec.colliders.begin(), spec.colliders.end(), unbounded);
  const auto value = body.find("kind");
  if (!value) return body.has("motion") ? BodyKind::Kinematic : endless ? BodyKind::Fixed : BodyKind::Dynamic;
  const auto kind = value->choice<BodyKind>(
      {{"dynamic", BodyKind::Dynamic}, {"fixed", BodyKind::Fixed}, {"kinematic", BodyKind::Kinematic}});
  if (kind == BodyKind::Dynamic && endless)
    value->fail_plainly("a half_space or plane has no finite mass and cannot be dynamic; use fixed or kinematic");
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

// The engine takes a body's position for its centre of mass. Where mass and inertia come from the shapes, these must
// be balanced about it.
void check_balance(const TomlTable& body, const BodySpec& spec) {
  if (spec.kind != BodyKind::Dynamic || spec.inertia) return;
  double volume = 0, size = 0;
  Vec3 moment = Vec3::Zero();
  for (const ColliderSpec& collider : spec.colliders) {
    const double v = solid_properties(collider.shape).volume;
    volume += v;
    moment += v * collider.local.position;
    size = std::max(size, collider.shape.bounding_radius());
  }
  const Vec3 centroid = moment / volume;
  if (centroid.norm() <= 1e-6 * size) return;
  body.fail(
      "the shapes are not balanced about the body's position, which is its centre of mass; change their offsets, "
      "or give inertia (and mass)",
      fmt::format("their centroid at [{:.4g}, {:.4g}, {:.4g}]", centroid.x(), centroid.y(), centroid.z()));
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
  check_balance(body, spec);
  add_body(spec, draft);
}

std::vector<std::string> body_names(const SceneDraft& draft) {
  const std::vector<std::string>& names = draft.scene.world.properties().name;
  constexpr std::size_t kCompared = 10'000;
  return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kCompared))};
}

Load read_load(TomlTable& table, const SceneDraft& draft) {
  const World& world = draft.scene.world;
  Load load;
  const TomlValue body = table.need("body");
  const std::optional<BodyId> id = world.find(body.text());
  if (!id)
    body.fail_plainly(
        fmt::format("there is no body {}{}", short_text(body.node()), suggestion(body.text(), body_names(draft))));
  load.body = *id;
  if (world.properties().kind[id->index] != BodyKind::Dynamic) body.fail("a load acts on dynamic bodies only");
  if (!table.has("force") && !table.has("torque")) table.fail("a load needs a force or a torque");
  load.force = table.vector3("force", load.force);
  load.torque = table.vector3("torque", load.torque);
  load.point = table.vector3("point", load.point);
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
