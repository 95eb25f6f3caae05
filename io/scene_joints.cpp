// [[joint]]
#include <fmt/format.h>

#include <numbers>

#include "io/scene_parts.h"

namespace carom {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

// One free coordinate. Of a turn, angles are in degrees and speeds in rad/s.
AxisSpec read_axis(TomlTable table, bool turn) {
  const double unit = turn ? kDegree : 1.0;
  AxisSpec axis;
  const auto place = [&](const char* key) -> std::optional<double> {
    const auto value = table.find(key);
    return value ? std::optional(unit * value->real()) : std::nullopt;
  };
  axis.lower = place("lower");
  axis.upper = place("upper");
  axis.rest = place("rest");
  axis.start = place("start").value_or(0);
  axis.restitution = table.real("restitution", within(0, 1), axis.restitution);
  axis.stiffness = table.real("stiffness", not_negative(), axis.stiffness);
  axis.damping = table.real("damping", not_negative(), axis.damping);
  axis.friction = table.real("friction", not_negative(), axis.friction);
  axis.friction_coefficient = table.real("friction_coefficient", not_negative(), axis.friction_coefficient);
  if (turn)
    axis.friction_radius = table.real("friction_radius", positive(), axis.friction_radius);
  else
    table.forbid("friction_radius", "is the radius of the pin that a turn rubs on; a slide has none");
  if (const auto speed = table.find("motor_speed")) axis.motor_speed = speed->real();
  if (const auto limit = table.find("motor_limit")) {
    if (!axis.motor_speed) limit->fail_plainly("limits a motor, but there is no motor_speed");
    axis.motor_limit = limit->real(positive());
  }
  table.finish();
  return axis;
}

// A body by its name; nothing for the world.
std::optional<BodyId> read_end(const TomlValue& value, const SceneDraft& draft) {
  if (value.text() == "world") return std::nullopt;
  return find_body(value, draft);
}

JointSpec read_joint(TomlTable& table, std::size_t index, SceneDraft& draft) {
  JointSpec spec;
  spec.name = fmt::format("joint[{}]", index);
  if (const auto name = table.find("name")) {
    spec.name = name->text();
    if (spec.name.empty()) name->fail("must not be empty");
    if (draft.scene.world.find_joint(spec.name)) name->fail("the name is in use already");
  }
  spec.type = table.need("type").choice<JointType>({{"ball", JointType::Ball},
                                                    {"revolute", JointType::Revolute},
                                                    {"prismatic", JointType::Prismatic},
                                                    {"cylindrical", JointType::Cylindrical},
                                                    {"fixed", JointType::Fixed},
                                                    {"planar", JointType::Planar},
                                                    {"distance", JointType::Distance},
                                                    {"spring", JointType::Spring}});
  const TomlValue a = table.need("a");
  spec.a = read_end(a, draft);
  if (const auto b = table.find("b")) {
    spec.b = read_end(*b, draft);
    if (a.text() == b->text()) b->fail_plainly(fmt::format("a joint cannot connect \"{}\" to itself", b->text()));
  }
  const bool by_line = spec.type == JointType::Distance || spec.type == JointType::Spring;
  const bool by_axis = !by_line && spec.type != JointType::Ball && spec.type != JointType::Fixed;
  if (by_axis)
    spec.axis = table.need("axis").direction();
  else
    table.forbid("axis", fmt::format("a {} joint has no axis", name_of(spec.type)));

  if (by_line) {
    // a line from anchor to anchor, each in the frame of its body
    table.forbid("anchor", "of a distance joint or a spring there are two: anchor_a and anchor_b");
    spec.anchor_a = Vec3::Zero();
    spec.anchor_b = Vec3::Zero();
  } else {
    for (const char* key : {"anchor_a", "anchor_b"}) table.forbid_both("anchor", key);
    if (!table.has("anchor_a") && !table.has("anchor_b")) spec.anchor = read_position(table.need("anchor"));
  }
  const auto anchor = [&](const char* key, const std::optional<BodyId>& body, std::optional<Vec3>& out) {
    const auto value = table.find(key);
    if (!value) {
      if (!by_line && table.has(key[7] == 'a' ? "anchor_b" : "anchor_a")) table.need(key);
      return;
    }
    out = read_position(*value) - (body ? draft.centre[body->index] : Vec3(Vec3::Zero()));
  };
  anchor("anchor_a", spec.a, spec.anchor_a);
  anchor("anchor_b", spec.b, spec.anchor_b);

  if (spec.type == JointType::Distance) {
    if (const auto length = table.find("length")) spec.length = length->real(positive());
  } else {
    table.forbid("length", "only a distance joint has a length");
  }
  if (auto slide = table.table("slide")) spec.slide = read_axis(*slide, false);
  if (auto turn = table.table("turn")) spec.turn = read_axis(*turn, true);
  spec.collide = table.flag("collide", spec.collide);
  spec.tolerance = table.real("tolerance", not_negative(), spec.tolerance);
  table.finish();
  return spec;
}

}  // namespace

void read_joints(TomlTable& root, SceneDraft& draft) {
  std::vector<Place> places;
  World& world = draft.scene.world;
  for (TomlTable& table : root.tables("joint")) {
    const JointSpec spec = read_joint(table, places.size(), draft);
    at_place(table.place(), [&] { world.add_joint(spec); });
    places.push_back(table.place());
  }
  const std::vector<JointId> guilty = world.contradicting_joints();
  if (guilty.empty()) return;
  std::string names;
  for (const JointId& id : guilty)
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", world.joints()[id.index].name);
  throw InputError(places[guilty.back().index],
                   guilty.size() == 1
                       ? fmt::format("joint {} contradicts itself or what its bodies are driven by", names)
                       : fmt::format("joints contradict each other: no motion satisfies all of {}", names));
}

}  // namespace carom
