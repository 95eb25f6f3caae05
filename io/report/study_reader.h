// What a page tells of a rockfall study: study.h5 (docs/file_formats.md) read as a whole.
#pragma once

#include <string>
#include <vector>

#include "base/types.h"

namespace carom {

struct StudyMapData {
  std::string name, title, unit;
  std::vector<double> values;  // of the cells that were passed; NaN: nothing
};

// A table of percentiles: `columns` wide.
struct StudyTable {
  std::vector<std::string> rows, columns;
  std::vector<double> values;  // NaN: nothing
};

struct StudyBarrier {
  std::string name;
  std::vector<Vec2> points;  // on the map
  double trajectories = 0, ratio = 0;
  StudyTable table;
};

struct StudyData {
  std::string name, title, status, version, impact_law, text;
  std::int64_t seed = 0, planned = 0;
  std::uint32_t rows = 0, columns = 0;
  double cell = 0, x = 0, y = 0;  // m; lower left corner of the grid
  std::vector<double> heights;    // row 0 southernmost, NaN: no data
  std::vector<std::size_t> cells;  // passed
  std::vector<StudyMapData> maps;
  StudyTable statistics;
  std::vector<StudyBarrier> barriers;
  std::vector<std::string> releases, blocks, reasons;
  std::vector<std::int64_t> release, block, reason;                   // of each trajectory
  std::vector<double> runout, speed, energy, height, time, unsolved;  // of each trajectory
  std::vector<Vec3> end;
  std::vector<std::size_t> path_first, path_trajectory;
  std::vector<Vec3> path;             // positions on the map
  std::vector<double> path_speed;     // m/s

  const StudyMapData* map(const std::string& map_name) const;
};

bool is_study_file(const std::string& file);  // an HDF5 file that says it is one
// Throws InputError naming file and dataset.
StudyData read_study_data(const std::string& file);

}  // namespace carom
