// What a study leaves in its folder: maps, tables, study.h5 and a summary.
#pragma once

#include "engine/rockfall/results.h"
#include "io/rockfall/study_file.h"

namespace carom {

// Returns the files written. Throws OutputError.
std::vector<std::string> write_study_output(const StudyFile& study, const rockfall::Results& results,
                                            const std::string& folder);

// study.h5 (docs/file_formats.md).
void write_study_h5(const std::string& file, const StudyFile& study, const rockfall::Results& results);
// Throws InputError unless the folder's study.h5 is of this study.
void check_same_study(const StudyFile& study, const std::string& folder);

// summary.txt, and the numbers of it that maps and pages repeat.
std::string study_summary_text(const StudyFile& study, const rockfall::Results& results);
// summary.html: the text and pictures of the maps, in one file.
std::string study_summary_page(const StudyFile& study, const rockfall::Results& results);

// Maps in the order in which they are written.
struct StudyMap {
  std::string name;   // of the file: "speed_p95"
  std::string title;  // "speed, 95 % of passing blocks are not faster"
  std::string unit;
};
const std::vector<StudyMap>& study_maps();
// The map's raster, NaN where nothing passed.
Raster study_map(const StudyFile& study, const rockfall::Results& results, const StudyMap& map);

inline bool complete(const StudyFile& study, const rockfall::Results& results) {
  return results.trajectories.size() == study.study.trajectories();
}
std::string status_text(const StudyFile& study, const rockfall::Results& results);  // "complete", "partial: ..."

}  // namespace carom
