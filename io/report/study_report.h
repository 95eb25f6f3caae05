// The page of a rockfall study: terrain in 3D with trajectories and maps, maps with legends, percentile tables.
#pragma once

#include "io/report/study_reader.h"

namespace carom {

std::string make_study_report(const StudyData& study, const std::string& file);

}  // namespace carom
