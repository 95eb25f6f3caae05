#include "app/info_parts.h"

#include <fmt/format.h>

#include "app/command.h"
#include "app/summary.h"
#include "app/terminal.h"

namespace carom {

int describe_scene(const std::string& file, const ScenePlans& plans, const InfoContent& content, bool as_json) {
  const SolverTolerance tolerance = tolerance_of(plans.solver);
  if (as_json) {
    JsonObject json;
    json.add("kind", "scene");
    json.add("name", plans.name);
    json.add("title", plans.title);
    json.add("duration", plans.run.duration);
    json.add("step", plans.run.step);
    json.add("steps", plans.run.steps);
    content.add(json);
    json.add("impact_law", plans.impact.law);
    json.add("solver", plans.solver.name);
    json.add("tolerance", tolerance.value);
    json.add("frame_every", plans.output.frame_every);
    fmt::print("{}\n", json.text());
    return kSuccess;
  }
  const char* unit = tolerance.measure == Measure::Velocity ? " m/s" : " relative to |q|";
  std::string text = fmt::format("{}: a scene{}\n", file, plans.title.empty() ? "" : ", " + plans.title);
  text += content.rows;
  text += row("time", fmt::format("{:g} s in {} steps of {:g} s", plans.run.duration, with_commas(plans.run.steps),
                                  plans.run.step));
  text += row("impact law", plans.impact.law);
  text += row("solver", fmt::format("{} to {:g}{}", plans.solver.name, tolerance.value, unit));
  text += row("frames", fmt::format("every {} step(s), contacts {}", with_commas(plans.output.frame_every),
                                    plans.output.contacts ? "included" : "left out"));
  text += row("next", fmt::format("carom run {}", file));
  fmt::print("{}", text);
  return kSuccess;
}

RunDescription describe_run(const std::string& file, const RunFile& run, const PlannedRun& planned,
                            const RunContentInfo& info) {
  const InfoContent& content = info.content;
  const RunSummary summary = summarize(run.diagnostics());
  const std::string status = run.status() != "running" ? run.status()
                             : run.being_written()     ? "still running"
                                                       : "killed while it ran";
  RunDescription result;
  result.findings = judge_run(summary, status, planned.smallest_size);

  JsonObject& json = result.json;
  json.add("kind", "run");
  json.add("scene", run.scene_name());
  json.add("title", run.scene_title());
  json.add("status", run.status());
  json.add("version", run.version());
  content.add(json);
  json.add("frames", run.frame_count());
  json.add("steps", summary.steps);
  if (planned.steps > 0) json.add("steps_planned", planned.steps);
  json.add("time", summary.time);
  json.add("wall_seconds", summary.phase_seconds.total());
  add_summary(summary, planned.solver, json);
  if (info.add_findings) info.add_findings(summary, json);
  add_findings(result.findings, json);

  std::string& text = result.text;
  text = fmt::format("{}: a run of {}\n", file, run.scene_title().empty() ? run.scene_name() : run.scene_title());
  text += row("status", status);
  text += row("written by", "carom " + run.version());
  text += content.rows;
  text += row("frames", with_commas(run.frame_count()));
  text += row("simulated", fmt::format("{:.6g} s in {}{} steps", summary.time, with_commas(summary.steps),
                                       planned.steps > 0 ? " of " + with_commas(planned.steps) : ""));
  text += row("step time", fmt::format("{} in all steps", duration_text(summary.phase_seconds.total())));
  text += summary_text(summary, planned.solver);
  if (info.findings) text += info.findings(summary);
  text += findings_text(result.findings);
  return result;
}

}  // namespace carom
