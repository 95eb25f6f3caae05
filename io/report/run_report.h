// The page of a run: replay, figures, charts, warnings, scene.
#pragma once

#include "io/report/replay.h"
#include "io/run_summary.h"

namespace carom {

struct RunReportContent {
  JsonObject info;                // as carom info --json tells it
  std::string info_text;          // as carom info tells it
  std::vector<Finding> findings;  // of judge_run
};
struct RunReport {
  std::string html;
  std::int64_t frames = 0;          // in the page
  std::int64_t frames_of_run = 0;
};

// Of a run of bodies or of a system. Throws InputError when the file cannot be read, or when the libraries that pages
// carry were missing at build time.
RunReport make_run_report(const std::string& file, const RunReportContent& content, const ReplayOptions& options);

}  // namespace carom
