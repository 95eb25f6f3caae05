// A rockfall study as a TOML file: docs/rockfall.md describes every key.
#pragma once

#include "engine/rockfall/study.h"
#include "io/rockfall/raster.h"

namespace carom {

struct StudyFile {
  std::string name;   // file name without folder and extension
  std::string title;  // [study] title, or ""
  std::string text;   // verbatim
  rockfall::Study study;
  Raster terrain;                 // as read or made, in map coordinates; results get its georeference
  bool geotiff = false;           // maps as .tif besides .asc
  std::uint64_t fingerprint = 0;  // of the text and of all files that it names: a study goes on only with the same

  // Local coordinates begin at the centre of the raster's lower left cell.
  Vec2 origin() const { return {terrain.centre_x(), terrain.centre_y()}; }
  Vec3 on_map(const Vec3& local) const { return {local.x() + origin().x(), local.y() + origin().y(), local.z()}; }
  Raster raster_like_terrain() const;  // all no data
};

// Both throw InputError with file, line, column and, for an unknown key, the nearest valid one.
StudyFile read_study(const std::filesystem::path& file);
StudyFile parse_study(const std::string& text, const std::string& file_name, const std::filesystem::path& folder);


}  // namespace carom
