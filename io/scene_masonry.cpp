// [[group]] with a generator of masonry: walls, arches, domes, columns, towers of planks.
#include <fmt/format.h>

#include <cmath>

#include "io/masonry.h"
#include "io/scene_parts.h"

namespace carom {

namespace {

constexpr RealRange kLength{0, kMaxCoordinate, true};
constexpr int kMaxBlocks = 1'000'000;  // of one structure

// One structure being read: its table, and the random stream of its group.
struct Structure {
  TomlTable& table;
  std::uint64_t seed = 0, stream = 0;

  double length(const char* key, double fallback) { return table.real(key, kLength, fallback); }
  int count(const char* key, int low, int fallback) {
    return static_cast<int>(table.integer(key, low, kMaxBlocks, fallback));
  }
  // A pair [smallest, largest].
  void range(const char* key, double& low, double& high) {
    const auto value = table.find(key);
    if (!value) return;
    const std::vector<double> ends = value->reals(2, kLength);
    if (ends[0] > ends[1]) value->fail("the smallest comes first");
    low = ends[0], high = ends[1];
  }
  void limit_blocks(double blocks) const {
    if (blocks > kMaxBlocks)
      table.fail(fmt::format("would make {:.3g} blocks; a structure has at most {}", blocks, kMaxBlocks));
  }
};

WallOpening read_opening(TomlTable table, const WallSpec& wall) {
  WallOpening opening;
  const double height = wall.courses * wall.brick.z();
  const auto span = [&](const char* key, double room, double& low, double& high) {
    const TomlValue value = table.need(key);
    const std::vector<double> ends = value.reals(2);
    low = ends[0], high = ends[1];
    if (!(low < high)) value.fail("the lower end comes first");
    if (low < 0 || high > room) value.fail(fmt::format("leaves the wall, which reaches from 0 to {:.6g} m", room));
  };
  span("across", wall.length, opening.left, opening.right);
  span("up", height, opening.bottom, opening.top);
  opening.lintel = table.flag("lintel", true);
  table.finish();
  return opening;
}

std::vector<MasonryBlock> read_wall(Structure& s) {
  WallSpec spec;
  spec.length = s.table.need("length").real(kLength);
  spec.courses = static_cast<int>(s.table.need("courses").integer(1, kMaxBlocks));
  if (const auto brick = s.table.find("brick")) spec.brick = brick->vector3(kLength);
  spec.joint = s.table.real("gap", within(0, kMaxCoordinate), 0);
  if (const auto bond = s.table.find("bond"))
    spec.bond = bond->choice<BrickBond>({{"stack", BrickBond::Stack},
                                    {"running", BrickBond::Running},
                                    {"third", BrickBond::Third},
                                    {"english", BrickBond::English},
                                    {"flemish", BrickBond::Flemish}});
  spec.bearing = s.length("bearing", spec.bearing);
  s.limit_blocks(2 * spec.courses * (spec.length / std::min(spec.brick.x(), spec.brick.y()) + 2));
  for (TomlTable& opening : s.table.tables("opening")) spec.openings.push_back(read_opening(opening, spec));
  return wall_blocks(spec);
}

std::vector<MasonryBlock> read_ashlar(Structure& s) {
  AshlarSpec spec;
  spec.length = s.table.need("length").real(kLength);
  spec.height = s.table.need("height").real(kLength);
  spec.depth = s.length("depth", spec.depth);
  s.range("row", spec.row_low, spec.row_high);
  s.range("stone", spec.stone_low, spec.stone_high);
  s.limit_blocks((spec.length / spec.stone_low + 1) * (spec.height / spec.row_low + 1));
  return ashlar_blocks(spec, s.seed, s.stream);
}

std::vector<MasonryBlock> read_dry_stone(Structure& s) {
  DryStoneSpec spec;
  spec.length = s.table.need("length").real(kLength);
  spec.height = s.table.need("height").real(kLength);
  spec.depth = s.length("depth", spec.depth);
  spec.stone = s.length("stone", spec.stone);
  spec.jitter = s.table.real("jitter", within(0, 0.49), spec.jitter);
  spec.gap = s.table.real("gap", within(0, 0.5 * spec.stone), spec.gap);
  // every cell is cut by all others
  const double stones = (spec.length / spec.stone + 1) * (spec.height / spec.stone + 1);
  if (stones > 20000) s.table.fail(fmt::format("would make {:.3g} stones; dry stone walls have at most 20000", stones));
  return dry_stone_blocks(spec, s.seed, s.stream);
}

std::vector<MasonryBlock> read_arch(Structure& s) {
  ArchSpec spec;
  spec.radius = s.table.need("radius").real(kLength);
  const TomlValue thickness = s.table.need("thickness");
  spec.thickness = thickness.real(kLength);
  if (!(spec.thickness < 2 * spec.radius)) thickness.fail("must be below twice the radius, that of the centre line");
  spec.depth = s.length("depth", spec.depth);
  spec.voussoirs = s.count("voussoirs", 2, spec.voussoirs);
  spec.angle = s.table.real("angle", {0, 180, true}, spec.angle);
  spec.supports = s.table.flag("supports", spec.supports);
  return arch_blocks(spec);
}

std::vector<MasonryBlock> read_dome(Structure& s) {
  DomeSpec spec;
  spec.radius = s.table.need("radius").real(kLength);
  const TomlValue thickness = s.table.need("thickness");
  spec.thickness = thickness.real(kLength);
  if (!(spec.thickness < 2 * spec.radius)) thickness.fail("must be below twice the radius, that of the centre surface");
  spec.rings = s.count("rings", 1, spec.rings);
  spec.voussoirs = s.count("voussoirs", 3, spec.voussoirs);
  spec.springing = s.table.real("springing", within(0, 89), spec.springing);
  spec.oculus = s.table.real("oculus", {0, 90, true}, spec.oculus);
  if (!(spec.oculus < 90 - spec.springing)) s.table.fail("the oculus reaches down to the springing");
  spec.keystone = s.table.flag("keystone", spec.keystone);
  spec.supports = s.table.flag("supports", spec.supports);
  s.limit_blocks(static_cast<double>(spec.rings) * spec.voussoirs);
  return dome_blocks(spec);
}

std::vector<MasonryBlock> read_column(Structure& s) {
  ColumnSpec spec;
  spec.height = s.table.need("height").real(kLength);
  const TomlValue radius = s.table.need("radius");
  if (radius.is_list()) {
    const std::vector<double> ends = radius.reals(2, kLength);
    spec.radius_bottom = ends[0], spec.radius_top = ends[1];
  } else {
    spec.radius_bottom = spec.radius_top = radius.real(kLength);
  }
  spec.drums = s.count("drums", 1, spec.drums);
  spec.sides = static_cast<int>(s.table.integer("sides", 0, 64, spec.sides));
  if (spec.sides > 0 && spec.sides < 3) s.table.find("sides")->fail("a prism has at least 3 sides; 0 is round");
  return column_blocks(spec);
}

std::vector<MasonryBlock> read_planks(Structure& s) {
  PlankTowerSpec spec;
  if (const auto plank = s.table.find("plank")) spec.plank = plank->vector3(kLength);
  spec.rings = static_cast<int>(s.table.need("rings").integer(1, kMaxBlocks));
  spec.planks = static_cast<int>(s.table.need("planks").integer(3, kMaxBlocks));
  spec.gap = s.length("gap", 0.25 * spec.plank.x());
  if (!(spec.gap < spec.plank.x())) s.table.find("gap")->fail("must be below a plank's length, else planks fall through");
  s.limit_blocks(static_cast<double>(spec.rings) * spec.planks);
  return plank_tower_blocks(spec);
}

using BlocksReader = std::vector<MasonryBlock> (*)(Structure&);
constexpr std::pair<const char*, BlocksReader> kReaders[] = {
    {"wall", &read_wall},     {"ashlar", &read_ashlar}, {"dry_stone", &read_dry_stone}, {"arch", &read_arch},
    {"dome", &read_dome},     {"column", &read_column}, {"planks", &read_planks},
};

// The shape and place of a block in the structure's frame.
void place_block(const MasonryBlock& block, BodySpec& spec) {
  Shape& shape = spec.colliders[0].shape;
  Pose local{block.centre, Quat::Identity()};
  switch (block.form) {
    case MasonryBlock::Form::Box:
      shape = Shape::box(0.5 * block.size);
      local.rotation = block.rotation;
      break;
    case MasonryBlock::Form::Cylinder:
      shape = Shape::cylinder(0.5 * block.size.x(), 0.5 * block.size.z());
      break;
    case MasonryBlock::Form::Hull: {
      Vec3 middle = Vec3::Zero();
      for (const Vec3& corner : block.corners) middle += corner / static_cast<double>(block.corners.size());
      std::vector<Vec3> corners = block.corners;
      for (Vec3& corner : corners) corner -= middle;
      shape = Shape::hull(corners);
      local.position = middle;
      break;
    }
  }
  spec.pose = spec.pose * local;
}

// motion = a table for all supports, or a list with one for each.
std::vector<Motion> read_support_motions(TomlTable& group, std::size_t supports, SceneDraft& draft) {
  const auto value = group.find("motion");
  if (!value) return {};
  if (supports == 0) value->fail_plainly("the structure has no supports that could move");
  if (!value->is_list()) return std::vector<Motion>(supports, read_motion(value->table(), draft));
  const std::vector<TomlValue> items = value->items();
  if (items.size() != supports)
    value->fail_plainly(fmt::format("needs one motion for each of the {} supports, found {}", supports, items.size()));
  std::vector<Motion> motions;
  for (const TomlValue& item : items) motions.push_back(read_motion(item.table(), draft));
  return motions;
}

}  // namespace

const std::vector<std::string>& masonry_generators() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [name, reader] : kReaders) list.emplace_back(name);
    return list;
  }();
  return names;
}

void read_masonry(TomlTable& group, const std::string& generator, const std::string& name, std::size_t index,
                  SceneDraft& draft) {
  BodySpec common;
  common.group = name;
  const MaterialId material = read_material(group, draft);
  common.colliders = {{Shape::sphere(1), material, Pose{}}};
  common.density = group.real("density", positive(), common.density);
  if (const auto position = group.find("position")) common.pose.position = read_position(*position);
  if (const auto rotation = read_rotation(group)) common.pose.rotation = *rotation;

  Structure structure{group, draft.scene.run.seed, index};
  std::vector<MasonryBlock> blocks;
  for (const auto& [known, reader] : kReaders)
    if (generator == known) blocks = reader(structure);
  if (blocks.empty()) group.fail("makes no blocks");
  std::size_t supports = 0;
  for (const MasonryBlock& block : blocks) supports += block.support ? 1 : 0;
  const std::vector<Motion> motions = read_support_motions(group, supports, draft);
  group.finish();

  std::size_t moving = 0, support = 0;
  for (const MasonryBlock& block : blocks) {
    BodySpec spec = common;
    place_block(block, spec);
    if (block.support) {
      spec.name = fmt::format("{}.support[{}]", name, support);
      spec.kind = motions.empty() ? BodyKind::Fixed : BodyKind::Kinematic;
      if (!motions.empty()) spec.motion = motions[support];
      ++support;
    } else {
      spec.name = fmt::format("{}[{}]", name, moving++);
    }
    add_body(spec, draft);
  }
}

}  // namespace carom
