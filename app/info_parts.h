// What carom info says alike of scenes and runs of bodies and of systems.
#pragma once

#include <functional>
#include <string>

#include "io/json.h"
#include "io/run_file.h"
#include "io/run_summary.h"
#include "io/scene.h"

namespace carom {

// What a file holds of its own kind, as rows for people and as fields for programs.
struct InfoContent {
  std::string rows;
  std::function<void(JsonObject&)> add;
};
// The same of a run, with what its steps sum up to.
struct RunContentInfo {
  InfoContent content;
  std::function<std::string(const RunSummary&)> findings = {};  // rows after the summary; none: nothing
  std::function<void(const RunSummary&, JsonObject&)> add_findings = {};
};

// A scene that can be run.
struct ScenePlans {
  std::string name, title;
  const RunPlan& run;
  const OutputPlan& output;
  const SolverPlan& solver;
  const ImpactPlan& impact;
};
int describe_scene(const std::string& file, const ScenePlans& plans, const InfoContent& content, bool as_json);

// What was planned, where this version of the program still reads the scene.
struct PlannedRun {
  SolverPlan solver;
  std::int64_t steps = 0;    // 0: not known
  double smallest_size = 0;  // m, of what moves; 0: not known
};
struct RunDescription {
  std::string text;
  JsonObject json;
  std::vector<Finding> findings;
};
RunDescription describe_run(const std::string& file, const RunFile& run, const PlannedRun& planned,
                            const RunContentInfo& info);
// Of a run file of either kind.
RunDescription describe_run_file(const std::string& file);

}  // namespace carom
