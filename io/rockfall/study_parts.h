// What the parts of the study reader share; for io/rockfall/study*.cpp only.
#pragma once

#include "base/hash.h"
#include "io/rockfall/geojson.h"
#include "io/rockfall/study_file.h"
#include "io/scene_parts.h"

namespace carom {

struct StudyDraft {
  StudyFile result;
  std::filesystem::path folder;  // where files that the study names are looked up
  StateHash hash;
  std::vector<std::string> ground_names, block_names;

  // Map to local coordinates.
  Vec2 local(const Vec2& map) const { return map - result.origin(); }
  bool on_terrain(const Vec2& local) const;
};

void add_text(StateHash& hash, const std::string& text);

// study_terrain.cpp
void read_terrain(TomlTable& root, StudyDraft& draft);
// study_ground.cpp
void read_ground(TomlTable& root, StudyDraft& draft);
void read_forest(TomlTable& root, StudyDraft& draft);
// study_blocks.cpp
void read_blocks(TomlTable& root, StudyDraft& draft);
void read_releases(TomlTable& root, StudyDraft& draft);
void read_barriers(TomlTable& root, StudyDraft& draft);

// Positions [[x, y], ...] on the map, as local coordinates; each must lie within the terrain's rectangle.
std::vector<Vec2> read_places(const TomlValue& value, const StudyDraft& draft, std::size_t least);
Vec2 read_place(const TomlValue& value, const StudyDraft& draft);
// Features of a GeoJSON file that the key names, as local coordinates.
std::vector<MapFeature> read_features(const TomlValue& file, StudyDraft& draft);

}  // namespace carom
