// [[ground]], [ground_map] and [forest].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/rockfall/streams.h"
#include "io/rockfall/study_parts.h"
#include "io/text_file.h"

namespace carom {

namespace {

using rockfall::GroundClass;

constexpr double kDegree = M_PI / 180;
constexpr std::size_t kMostClasses = 250;

GroundClass read_class(TomlTable& t) {
  GroundClass g;
  g.name = t.need("name").text();
  g.friction = t.need("friction").real(not_negative());
  g.restitution = t.need("restitution").real(within(0, 1));
  g.tangential_restitution = t.real("tangential_restitution", within(-1, 1), g.tangential_restitution);
  g.rolling_friction = t.real("rolling_friction", not_negative(), g.rolling_friction);
  g.restitution_speed = t.real("restitution_speed", positive(), g.restitution_speed);
  g.restitution_energy = t.real("restitution_energy", positive(), g.restitution_energy);
  g.drag_linear = t.real("drag_linear", not_negative(), g.drag_linear);
  g.drag_quadratic = t.real("drag_quadratic", not_negative(), g.drag_quadratic);
  g.scar_time = t.real("scar_time", not_negative(), g.scar_time);
  g.roughness = kDegree * t.real("roughness", within(0, 30), 0);
  g.stiffness = t.real("stiffness", positive(), g.stiffness);
  g.exponent = t.real("exponent", RealRange{1, 10, false}, g.exponent);
  t.finish();
  return g;
}

std::uint8_t find_class(const std::string& name, const StudyDraft& draft, const Place& place) {
  const auto found = std::find(draft.ground_names.begin(), draft.ground_names.end(), name);
  if (found == draft.ground_names.end())
    throw InputError(place, fmt::format("there is no [[ground]] with the name \"{}\"{}", name,
                                        suggestion(name, draft.ground_names)));
  return static_cast<std::uint8_t>(found - draft.ground_names.begin());
}

// Numbers in the raster are those of the classes in the order of the file, from 1, or as `codes` says.
void classes_by_raster(TomlTable& map, StudyDraft& draft, std::uint8_t standard) {
  const TomlValue file = map.need("raster");
  const std::string path = (draft.folder / file.text()).string();
  const Raster raster = read_raster(path);
  if (const std::string why = mismatch(draft.result.terrain, raster); !why.empty())
    throw InputError({path, 0, 0, ""}, why);
  std::vector<std::pair<double, std::uint8_t>> codes;
  if (auto table = map.table("codes")) {
    for (const std::string& name : table->keys())
      codes.emplace_back(static_cast<double>(table->find(name)->integer(-1'000'000'000, 1'000'000'000)),
                         find_class(name, draft, table->place()));
  } else {
    for (std::size_t k = 0; k < draft.ground_names.size(); ++k)
      codes.emplace_back(static_cast<double>(k + 1), static_cast<std::uint8_t>(k));
  }
  auto& class_of = draft.result.study.ground.class_of;
  for (std::size_t c = 0; c < raster.values.size(); ++c) {
    const double code = raster.values[c];
    draft.hash.add(code);
    if (std::isnan(code)) {
      class_of[c] = standard;
      continue;
    }
    const auto found = std::find_if(codes.begin(), codes.end(), [&](const auto& entry) { return entry.first == code; });
    if (found == codes.end())
      throw InputError(
          {path, 0, 0, fmt::format("row {}, column {}", raster.rows - c / raster.columns, c % raster.columns + 1)},
          "is the number of no class of ground; classes count from 1 in the order of the study, or as "
          "[ground_map.codes] says",
          fmt::format("{:g}", code));
    class_of[c] = found->second;
  }
}

// Within 1e-9 of an edge's length of it.
bool on_outline(std::span<const std::vector<Vec2>> rings, const Vec2& at) {
  for (const auto& ring : rings)
    for (std::size_t k = 0, before = ring.size() - 1; k < ring.size(); before = k++) {
      const Vec2 along = ring[k] - ring[before], to = at - ring[before];
      const double share = std::clamp(to.dot(along) / std::max(along.squaredNorm(), 1e-300), 0.0, 1.0);
      if ((to - share * along).norm() <= 1e-9 * along.norm()) return true;
    }
  return false;
}

// Cells whose centres lie within the rings or on them, so that areas as large as the map leave no cell out; later areas
// lie over earlier ones.
void paint(rockfall::Ground& ground, std::span<const std::vector<Vec2>> rings, std::uint8_t number) {
  const HeightField& field = *ground.field;
  for (std::uint32_t j = 0; j < field.rows; ++j)
    for (std::uint32_t i = 0; i < field.columns; ++i)
      if (const Vec2 centre(i * field.spacing_x, j * field.spacing_y);
          rockfall::inside(rings, centre) || on_outline(rings, centre))
        ground.class_of[std::size_t{j} * field.columns + i] = number;
}

void classes_by_polygons(TomlTable& map, StudyDraft& draft) {
  const TomlValue file = map.need("polygons");
  const std::string key = map.text("property", "class");
  rockfall::Ground& ground = draft.result.study.ground;
  for (const MapFeature& f : read_features(file, draft)) {
    const Place place{(draft.folder / file.text()).string(), f.line, 0, key};
    if (f.kind != GeometryKind::Polygon) throw InputError(place, "classes of ground are polygons");
    const JsonValue* value = f.property(key);
    if (value == nullptr || value->text() == nullptr)
      throw InputError(place, fmt::format("the polygon needs a property \"{}\" with the name of its class", key));
    const std::uint8_t number = find_class(*value->text(), draft, place);
    paint(ground, f.parts, number);
  }
}

// x, y, diameter and optionally height, one stem per line.
void stems_from_file(const TomlValue& file, StudyDraft& draft, double height) {
  const std::string path = (draft.folder / file.text()).string();
  std::string text;
  try {
    text = read_text_file(path);
  } catch (const InputError& error) {
    file.fail_plainly(error.what());
  }
  add_text(draft.hash, text);
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::replace(line.begin(), line.end(), ';', ' ');
    std::istringstream words(line);
    double x = 0, y = 0, d = 0;
    if (!(words >> x >> y >> d)) {
      const bool heading = number == 1 || line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#';
      if (heading) continue;
      throw InputError({path, number, 0, ""}, "a stem is x, y, diameter and optionally height", line.substr(0, 60));
    }
    rockfall::Stem stem{draft.local({x, y}), d, height};
    if (double h = 0; words >> h) stem.height = h;
    if (!(d > 0) || !(stem.height > 0) || !std::isfinite(x + y + d))
      throw InputError({path, number, 0, ""}, "diameter and height must be > 0", line.substr(0, 60));
    if (!draft.on_terrain(stem.at))
      throw InputError({path, number, 0, ""}, "the stem lies outside the map", line.substr(0, 60));
    draft.result.study.ground.forest.stems.push_back(stem);
  }
}

// Stems at random: so many per hectare, diameters log-normal about their mean.
void grow_stand(TomlTable& t, StudyDraft& draft, std::uint64_t number, double height) {
  const HeightField& field = *draft.result.study.ground.field;
  std::vector<std::vector<Vec2>> rings;
  if (t.has("polygon")) {
    rings.push_back(read_places(t.need("polygon"), draft, 3));
  } else if (t.has("area")) {
    for (MapFeature& f : read_features(t.need("area"), draft))
      if (f.kind == GeometryKind::Polygon) rings.insert(rings.end(), f.parts.begin(), f.parts.end());
  } else {
    const double x = field.spacing_x * (field.columns - 1), y = field.spacing_y * (field.rows - 1);
    rings.push_back({{0, 0}, {x, 0}, {x, y}, {0, y}});
  }
  const double density = t.need("density").real(RealRange{0, 1e5, true});
  const double mean = t.need("diameter").real(RealRange{0, 10, true});
  const double deviation = t.real("diameter_deviation", not_negative(), 0);
  height = t.real("height", positive(), height);
  t.finish();
  Vec2 low = Vec2::Constant(INFINITY), high = -low;
  for (const auto& ring : rings)
    for (const Vec2& p : ring) low = low.cwiseMin(p), high = high.cwiseMax(p);
  RandomStream random = rockfall::stream_of(draft.result.study.seed, rockfall::Purpose::Forest, number);
  const double spread = std::sqrt(std::log1p(std::pow(deviation / mean, 2)));
  const auto tries = static_cast<std::uint64_t>(density * 1e-4 * (high - low).prod() + 0.5);
  if (tries > 20'000'000) t.fail("more than 20 million stems");
  for (std::uint64_t k = 0; k < tries; ++k) {
    rockfall::Stem stem{{random.uniform(low.x(), high.x()), random.uniform(low.y(), high.y())}, 0, height};
    stem.diameter = mean * std::exp(spread * random.normal() - 0.5 * spread * spread);
    if (rockfall::inside(rings, stem.at)) draft.result.study.ground.forest.stems.push_back(stem);
  }
}

}  // namespace

void read_ground(TomlTable& root, StudyDraft& draft) {
  rockfall::Ground& ground = draft.result.study.ground;
  for (TomlTable& t : root.tables("ground")) {
    const Place place = t.place();
    GroundClass g = read_class(t);
    if (std::find(draft.ground_names.begin(), draft.ground_names.end(), g.name) != draft.ground_names.end())
      throw InputError(place, "this name of a ground is in use already", g.name);
    draft.ground_names.push_back(g.name);
    ground.classes.push_back(std::move(g));
    if (ground.classes.size() > kMostClasses)
      throw InputError(place, fmt::format("more than {} classes", kMostClasses));
  }
  if (ground.classes.empty()) root.need("ground");
  auto map = root.table("ground_map");
  if (!map) return;
  map->forbid_both("raster", "polygons");
  std::uint8_t standard = 0;
  if (const auto name = map->find("default")) standard = find_class(name->text(), draft, name->place());
  ground.class_of.assign(ground.cells(), standard);
  if (map->has("raster"))
    classes_by_raster(*map, draft, standard);
  else if (map->has("polygons"))
    classes_by_polygons(*map, draft);
  const std::vector<TomlTable> areas = map->tables("area");
  for (TomlTable area : areas) {
    const TomlValue name = area.need("class");
    const std::uint8_t number = find_class(name.text(), draft, name.place());
    const std::vector<std::vector<Vec2>> rings = {read_places(area.need("polygon"), draft, 3)};
    area.finish();
    paint(ground, rings, number);
  }
  if (areas.empty() && !map->has("raster") && !map->has("polygons"))
    map->fail("needs raster = \"FILE.asc\", polygons = \"FILE.geojson\" or [[ground_map.area]]");
  map->finish();
}

void read_forest(TomlTable& root, StudyDraft& draft) {
  auto section = root.table("forest");
  if (!section) return;
  TomlTable& t = *section;
  rockfall::Forest& forest = draft.result.study.ground.forest;
  forest.friction = t.real("friction", not_negative(), forest.friction);
  forest.restitution = t.real("restitution", within(0, 1), forest.restitution);
  forest.energy_share = t.real("energy_share", not_negative(), forest.energy_share);
  const double height = t.real("height", positive(), 20);
  if (const auto file = t.find("stems")) stems_from_file(*file, draft, height);
  std::uint64_t number = 0;
  for (TomlTable& stand : t.tables("stand")) grow_stand(stand, draft, number++, height);
  t.finish();
  if (forest.stems.empty()) t.fail("has no stem: give stems = \"FILE.csv\" or [[forest.stand]] with a density");
  forest.build(*draft.result.study.ground.field);
}

}  // namespace carom
