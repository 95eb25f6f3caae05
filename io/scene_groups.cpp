// [[group]]: bodies by a generator.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/generators.h"
#include "io/memory_need.h"
#include "io/scene_parts.h"

namespace carom {

namespace {

// What a group's generator decides for each body; the rest comes from one BodySpec.
struct GroupLayout {
  std::vector<Vec3> positions;
  std::vector<double> radii;           // one per sphere; empty for boxes
  std::optional<Vec3> velocity_first;  // of body 0, when it differs
};

struct GroupSource {
  TomlTable& table;
  SceneDraft& draft;
  GroupSeed seed;
  bool spheres = true;
  double reach = 0;  // m: radius of the ball that holds a body, where they are no spheres
};

constexpr RealRange kLength{0, kMaxCoordinate, true};

// Motion in a plane keeps jitter in it.
Vec3 jitter_axes(SceneDraft& draft) {
  return draft.planar() ? Vec3(Vec3::Ones() - draft.planar()->cwiseAbs()) : Vec3(Vec3::Ones());
}

// radius = r, or [smallest, largest] for random sizes.
std::vector<double> read_radii(GroupSource& group, std::size_t count) {
  if (!group.spheres) return {};
  const TomlValue value = group.table.need("radius");
  if (!value.is_list()) return std::vector<double>(count, value.real(kLength));
  const std::vector<double> ends = value.reals(2, kLength);
  if (ends[0] > ends[1]) value.fail("the smallest radius comes first");
  return random_radii(count, ends[0], ends[1], group.seed);
}

// Refuses what would not fit, before it is made.
void check_memory(const TomlValue& value, double bodies) {
  const std::string problem = memory_short_of(bodies, available_memory());
  if (!problem.empty()) value.fail(problem);
}

std::int64_t read_count(const TomlValue& value) {
  const std::int64_t count = value.integer(1, kMaxSceneBodies);
  check_memory(value, static_cast<double>(count));
  return count;
}

void read_spacing(TomlTable& table, LatticeSpec& spec, std::size_t axes) {
  const TomlValue value = table.need("spacing");
  if (!value.is_list()) {
    spec.spacing = Vec3::Constant(value.real(kLength));
    return;
  }
  if (spec.packing != Packing::Cubic)
    value.fail("this packing takes one number, the distance between nearest neighbours");
  const std::vector<double> each = value.reals(axes, kLength);
  for (std::size_t axis = 0; axis < axes; ++axis) spec.spacing[static_cast<int>(axis)] = each[axis];
}

void check_size(const TomlValue& counts, const LatticeSpec& spec) {
  double bodies = spec.packing == Packing::Fcc ? 4 : spec.packing == Packing::Bcc ? 2 : 1;
  for (const std::int64_t n : spec.counts) bodies *= static_cast<double>(n);
  if (bodies > static_cast<double>(kMaxSceneBodies))
    counts.fail(fmt::format("would make {:.3g} bodies; a scene holds at most {}", bodies, kMaxSceneBodies));
  check_memory(counts, bodies);
}

GroupLayout finish_lattice(GroupSource& group, LatticeSpec& spec) {
  if (const auto origin = group.table.find("origin")) spec.origin = read_position(*origin);
  spec.jitter = group.table.real("jitter", within(0, kMaxCoordinate), 0);
  spec.jitter_axes = jitter_axes(group.draft);
  GroupLayout layout;
  layout.positions = lattice_positions(spec, group.seed);
  layout.radii = read_radii(group, layout.positions.size());
  return layout;
}

GroupLayout read_lattice(GroupSource& group) {
  LatticeSpec spec;
  if (const auto packing = group.table.find("packing"))
    spec.packing = packing->choice<Packing>(
        {{"cubic", Packing::Cubic}, {"hexagonal", Packing::Hexagonal}, {"fcc", Packing::Fcc}, {"bcc", Packing::Bcc}});
  const TomlValue counts = group.table.need("counts");
  if (!counts.is_list() || counts.items().size() != 3) counts.fail_type("a list of 3 integers");
  for (std::size_t axis = 0; axis < 3; ++axis) spec.counts[axis] = read_count(counts.items()[axis]);
  check_size(counts, spec);
  read_spacing(group.table, spec, 3);
  return finish_lattice(group, spec);
}

GroupLayout read_grid(GroupSource& group) {
  using Axes = std::pair<std::size_t, std::size_t>;
  Axes axes{0, 1};
  if (const auto plane = group.table.find("plane"))
    axes = plane->choice<Axes>({{"xy", {0, 1}}, {"xz", {0, 2}}, {"yz", {1, 2}}});
  const TomlValue counts = group.table.need("counts");
  if (!counts.is_list() || counts.items().size() != 2) counts.fail_type("a list of 2 integers");
  LatticeSpec flat;
  read_spacing(group.table, flat, 2);
  LatticeSpec spec;
  spec.counts[axes.first] = read_count(counts.items()[0]);
  spec.counts[axes.second] = read_count(counts.items()[1]);
  check_size(counts, spec);
  spec.spacing[static_cast<int>(axes.first)] = flat.spacing[0];
  spec.spacing[static_cast<int>(axes.second)] = flat.spacing[1];
  return finish_lattice(group, spec);
}

GroupLayout read_chain(GroupSource& group) {
  if (!group.spheres) group.table.fail("a chain is made of spheres");
  GroupLayout layout;
  const TomlValue radius = group.table.need("radius");
  if (radius.is_list()) {
    for (const TomlValue& item : radius.items()) layout.radii.push_back(item.real(kLength));
    if (layout.radii.empty()) radius.fail("needs at least one radius");
    const auto listed = static_cast<std::int64_t>(layout.radii.size());
    if (const auto count = group.table.find("count"))
      if (read_count(*count) != listed) count->fail(fmt::format("differs from the number of radii, {}", listed));
  } else {
    layout.radii.assign(static_cast<std::size_t>(read_count(group.table.need("count"))), radius.real(kLength));
  }
  const auto direction = group.table.find("direction");
  const auto start = group.table.find("start");
  const double gap = group.table.real("gap", within(0, kMaxCoordinate), 0);
  if (const auto velocity = group.table.find("velocity_first")) layout.velocity_first = velocity->vector3();
  layout.positions = chain_positions(layout.radii, start ? read_position(*start) : Vec3(Vec3::Zero()),
                                     direction ? direction->direction() : Vec3(Vec3::UnitX()), gap);
  return layout;
}

void check_random_box(GroupSource& group, const RandomSpec& spec, const TomlValue& high) {
  const double widest = 2 * *std::max_element(spec.radii.begin(), spec.radii.end());
  for (int axis = 0; axis < 3; ++axis) {
    const double extent = spec.high[axis] - spec.low[axis];
    if (extent < 0) high.fail("must not be below min");
    if (group.draft.planar() && (*group.draft.planar())[axis] != 0 && extent != 0)
      high.fail(fmt::format("must equal min along {}: the run is planar", "xyz"[axis]));
    if (extent > 0 && extent < widest)
      high.fail(fmt::format("the box is {:.4g} m wide along {}, too narrow for a grain {:.4g} m across", extent,
                            "xyz"[axis], widest));
  }
}

GroupLayout read_random(GroupSource& group) {
  TomlTable& table = group.table;
  const auto count = static_cast<std::size_t>(read_count(table.need("count")));
  GroupLayout layout;
  layout.radii = read_radii(group, count);
  RandomSpec spec;
  spec.radii = group.spheres ? layout.radii : std::vector<double>(count, group.reach);
  const TomlValue high = table.need("max");
  spec.low = read_position(table.need("min"));
  spec.high = read_position(high);
  spec.gap = table.real("gap", within(0, kMaxCoordinate), 0);
  spec.attempts = static_cast<int>(table.integer("attempts", 1, 1'000'000'000, spec.attempts));
  check_random_box(group, spec, high);
  RandomPlaces places = random_positions(spec, group.seed);
  if (!places.complete())
    table.fail(
        fmt::format("only {} of {} bodies found a place in the box after {} attempts each; enlarge the box, ask "
                    "for fewer, or use a lattice with jitter",
                    places.placed, count, spec.attempts));
  layout.positions = std::move(places.positions);
  return layout;
}

using LayoutReader = GroupLayout (*)(GroupSource&);
const std::vector<std::pair<std::string, LayoutReader>>& layout_readers() {
  static const std::vector<std::pair<std::string, LayoutReader>> readers = {
      {"lattice", &read_lattice}, {"grid", &read_grid}, {"chain", &read_chain}, {"random", &read_random}};
  return readers;
}

// The number of the generator: those above first, then those of masonry.
std::size_t read_generator(TomlTable& table) {
  std::vector<std::string> names;
  for (const auto& [name, reader] : layout_readers()) names.push_back(name);
  for (const std::string& name : masonry_generators()) names.push_back(name);
  return table.need("generator").choice(names);
}

GroupLayout read_layout(GroupSource& group) {
  const LayoutReader reader = layout_readers()[read_generator(group.table)].second;
  if (reader != &read_chain) group.table.forbid("velocity_first", "only a chain has a first bead");
  return reader(group);
}

Quat random_turn(const GroupSeed& seed, std::size_t body, const std::optional<Vec3>& planar) {
  RandomStream random = seed.stream(GroupSeed::Purpose::Turn, body);
  if (!planar) return random.orientation();
  return Quat(Eigen::AngleAxisd(random.uniform(0, 2 * std::numbers::pi), *planar));
}

// The body that all of the group are copies of.
BodySpec read_template(GroupSource& group) {
  TomlTable& table = group.table;
  BodySpec spec;
  const auto shape = table.find("shape");
  const std::string name = shape ? read_shape_name(*shape) : "sphere";
  const MaterialId material = read_material(table, group.draft);
  group.spheres = name == "sphere";
  if (group.spheres) {
    table.forbid("size", "a sphere has no size; only a box has");
    spec.colliders = {{Shape::sphere(1), material, Pose{}}};
  } else {
    spec.colliders = {read_collider(table, name, material, group.draft)};
    if (spec.colliders[0].shape.surface()) shape->fail("a group is made of bodies that can move");
    group.reach = spec.colliders[0].local.position.norm() + spec.colliders[0].shape.bounding_centre().norm() +
                  spec.colliders[0].shape.bounding_radius();
  }
  if (const auto kind = table.find("kind"))
    spec.kind = kind->choice<BodyKind>({{"dynamic", BodyKind::Dynamic}, {"fixed", BodyKind::Fixed}});
  if (spec.kind == BodyKind::Fixed)
    for (const char* key : {"velocity", "angular_velocity", "velocity_first"})
      table.forbid(key, "a fixed body does not move");
  spec.velocity = table.vector3("velocity", Vec3::Zero());
  spec.angular_velocity = table.vector3("angular_velocity", Vec3::Zero());
  read_mass(table, spec);
  return spec;
}

void read_group(TomlTable& table, std::size_t index, SceneDraft& draft) {
  GroupSource group{table, draft, {draft.scene.run.seed, static_cast<std::uint32_t>(index)}};
  std::string name = fmt::format("group{}", index);
  Place name_place = table.place();
  if (const auto given = table.find("name")) {
    name = given->text();
    name_place = given->place();
    if (name.empty()) given->fail("must not be empty");
  }
  start_item(name, name_place, table.place(), draft);
  if (const std::size_t generator = read_generator(table); generator >= layout_readers().size())
    return read_masonry(table, masonry_generators()[generator - layout_readers().size()], name, index, draft);

  BodySpec spec = read_template(group);
  spec.group = name;
  const auto orientation = table.find("orientation");
  const bool turn_randomly = orientation && orientation->is_text();
  if (turn_randomly) {
    const std::vector<std::string> words = {"random"};
    orientation->choice(words);
    table.forbid_both("orientation", "euler");
    table.forbid_both("orientation", "rotation");
  } else if (const auto rotation = read_rotation(table)) {
    spec.pose.rotation = *rotation;
  }
  const GroupLayout layout = read_layout(group);
  table.finish();
  const Vec3 velocity = spec.velocity;

  for (std::size_t i = 0; i < layout.positions.size(); ++i) {
    spec.name = fmt::format("{}[{}]", name, i);
    spec.pose.position = layout.positions[i];
    if (turn_randomly) spec.pose.rotation = random_turn(group.seed, i, draft.planar());
    if (group.spheres) spec.colliders[0].shape.radius = layout.radii[i];
    spec.velocity = i == 0 ? layout.velocity_first.value_or(velocity) : velocity;
    add_body(spec, draft);
  }
}

}  // namespace

void read_groups(TomlTable& root, SceneDraft& draft) {
  std::size_t index = 0;
  for (TomlTable& table : root.tables("group")) read_group(table, index++, draft);
}

}  // namespace carom
