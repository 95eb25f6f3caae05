#include "io/rockfall/study_file.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/impact/registry.h"
#include "io/impact_file.h"
#include "io/rockfall/study_parts.h"
#include "io/text_file.h"
#include "io/toml_options.h"

namespace carom {

namespace {

void read_head(TomlTable& root, StudyDraft& draft) {
  auto section = root.table("study");
  if (!section) return;
  draft.result.title = section->text("title", "");
  draft.result.study.seed =
      static_cast<std::uint64_t>(section->integer("seed", 0, std::numeric_limits<std::int64_t>::max(), 1));
  section->finish();
}

void read_simulation(TomlTable& root, StudyDraft& draft) {
  rockfall::SimulationOptions& o = draft.result.study.simulation;
  auto section = root.table("simulation");
  if (!section) return;
  o.step = section->real("step", positive(), o.step);
  o.travel = section->real("travel", positive(), o.travel);
  o.depth = section->real("depth", RealRange{0, 0.1, true}, o.depth);
  o.turn = section->real("turn", RealRange{0, 1, true}, o.turn);
  o.time_limit = section->real("time_limit", positive(), o.time_limit);
  o.rest_speed = section->real("rest_speed", positive(), o.rest_speed);
  o.rest_time = section->real("rest_time", positive(), o.rest_time);
  o.impact_speed = section->real("impact_speed", positive(), o.impact_speed);
  o.gravity = section->real("gravity", positive(), o.gravity);
  section->finish();
}

void read_law(TomlTable& root, StudyDraft& draft) {
  auto section = root.table("impact");
  if (!section) return;
  const std::vector<std::string> laws = law_names();
  rockfall::Study& study = draft.result.study;
  if (const auto law = section->find("law")) study.law = laws[law->choice(laws)];
  if (study.law != "newton") {
    study.law_options = read_options(*section, find_law(study.law)->options);
    at_place(section->place(), [&] { return make_impact_law(study.law, study.law_options); });
  }
  section->finish();
}

void read_output(TomlTable& root, StudyDraft& draft) {
  auto section = root.table("output");
  if (!section) return;
  rockfall::Study& study = draft.result.study;
  study.most_paths = static_cast<std::uint64_t>(section->integer("paths", 0, 1'000'000'000, 1000));
  rockfall::RecorderOptions& record = study.simulation.record;
  record.path_interval = section->real("path_interval", positive(), record.path_interval);
  record.most_points = static_cast<std::size_t>(section->integer("path_points", 2, 100000, 200));
  draft.result.geotiff = section->flag("geotiff", false);
  section->finish();
}

}  // namespace

bool StudyDraft::on_terrain(const Vec2& at) const {
  const HeightField& field = *result.study.ground.field;
  return at.x() >= 0 && at.y() >= 0 && at.x() <= field.spacing_x * (field.columns - 1) &&
         at.y() <= field.spacing_y * (field.rows - 1);
}

void add_text(StateHash& hash, const std::string& text) {
  hash.add(static_cast<std::uint64_t>(text.size()));
  for (const char c : text) hash.add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
}

Vec2 read_place(const TomlValue& value, const StudyDraft& draft) {
  const std::vector<double> xy = value.reals(2);
  const Vec2 at = draft.local({xy[0], xy[1]});
  if (!draft.on_terrain(at)) {
    const Raster& t = draft.result.terrain;
    value.fail(fmt::format("lies outside the map, which spans x {:.10g} to {:.10g}, y {:.10g} to {:.10g}", t.centre_x(),
                           t.centre_x() + (t.columns - 1) * t.cell, t.centre_y(),
                           t.centre_y() + (t.rows - 1) * t.cell));
  }
  return at;
}

std::vector<Vec2> read_places(const TomlValue& value, const StudyDraft& draft, std::size_t least) {
  std::vector<Vec2> places;
  for (const TomlValue& item : value.items()) places.push_back(read_place(item, draft));
  if (places.size() < least) value.fail_plainly(fmt::format("needs at least {} positions [x, y]", least));
  return places;
}

std::vector<MapFeature> read_features(const TomlValue& file, StudyDraft& draft) {
  const std::string path = (draft.folder / file.text()).string();
  std::string text;
  try {
    text = read_text_file(path);
  } catch (const InputError& error) {
    file.fail_plainly(error.what());
  }
  add_text(draft.hash, text);
  std::vector<MapFeature> features = parse_geojson(text, path);
  for (MapFeature& f : features)
    for (auto& part : f.parts)
      for (Vec2& p : part) {
        const Vec2 map = p;
        p = draft.local(p);
        if (!draft.on_terrain(p))
          throw InputError({path, f.line, 0, "coordinates"}, "lies outside the map",
                           fmt::format("[{}, {}]", map.x(), map.y()));
      }
  return features;
}

Raster StudyFile::raster_like_terrain() const {
  Raster raster = terrain;
  raster.file.clear();
  raster.values.assign(raster.values.size(), std::numeric_limits<double>::quiet_NaN());
  return raster;
}

StudyFile parse_study(const std::string& text, const std::string& file_name, const std::filesystem::path& folder) {
  const TomlNode tree = parse_toml(text, file_name);
  TomlTable root(tree, file_name, "");
  StudyDraft draft;
  draft.folder = folder;
  draft.result.text = text;
  draft.result.name = std::filesystem::path(file_name).stem().string();
  add_text(draft.hash, text);
  read_head(root, draft);
  read_simulation(root, draft);
  read_law(root, draft);
  read_terrain(root, draft);
  read_ground(root, draft);
  read_forest(root, draft);
  read_blocks(root, draft);
  read_releases(root, draft);
  read_barriers(root, draft);
  read_output(root, draft);
  root.finish();
  draft.result.fingerprint = draft.hash.value();
  return std::move(draft.result);
}

StudyFile read_study(const std::filesystem::path& file) {
  return parse_study(read_text_file(file), file.string(), file.parent_path());
}

}  // namespace carom
