// The summary of a study in words, and as a page with pictures of its maps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/version.h"
#include "io/rockfall/map_picture.h"
#include "io/rockfall/study_output.h"
#include "io/text_file.h"

namespace carom {

namespace {

using namespace rockfall;

constexpr double kDegree = M_PI / 180;

std::string line(const char* label, const std::string& value) { return fmt::format("  {:<26} {}\n", label, value); }

std::string numbers(const Distribution& d) {
  std::string text = fmt::format("{:>12.4g} {:>11.4g}", d.most, d.mean);
  for (const double p : d.percentiles) text += fmt::format(" {:>11.4g}", p);
  return text;
}

std::string table_head(const char* what) {
  std::string text = fmt::format("  {:<34} {:>12} {:>11}", what, "largest", "mean");
  for (const double p : kPercentiles) text += fmt::format(" {:>10g}%", p);
  return text + "\n";
}

std::string row(const char* label, const Distribution& d) { return fmt::format("  {:<34} {}\n", label, numbers(d)); }

std::string reasons(const Results& results) {
  std::string text;
  for (int k = 0; k < kStopReasons; ++k) {
    const auto reason = static_cast<StopReason>(k);
    if (const std::uint64_t n = results.count(reason); n > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, name_of(reason));
  }
  return text;
}

// Where blocks lay down, the flattest line from release to deposit.
double least_angle(const Results& results) {
  double least = INFINITY;
  for (const TrajectorySummary& t : results.trajectories)
    if (t.runout() > 0) least = std::min(least, t.energy_line_angle());
  return least / kDegree;
}

std::string numerics(const Results& results) {
  std::uint64_t steps = 0, unsolved = 0;
  double depth = 0, created = 0, gain = 0;
  for (const TrajectorySummary& t : results.trajectories) {
    steps += t.steps;
    unsolved += t.unsolved;
    depth = std::max(depth, t.worst_depth);
    created = std::max(created, t.created);
    gain = std::max(gain, t.worst_gain);
  }
  std::string text = line("contact problems", fmt::format("{}, {} missed their tolerance", steps, unsolved));
  text += line("deepest overlap", fmt::format("{:.2g} of a block's radius", depth));
  if (created > 0)
    text += line("energy made by contacts",
                 fmt::format("at most {:.3g} J on a trajectory, {:.2g} of the kinetic energy "
                             "at an impact (Newton's law with friction; e_t = 1 or lzb make none)",
                             created, gain));
  return text;
}

}  // namespace

std::string study_summary_text(const StudyFile& study, const Results& results) {
  const Raster& t = study.terrain;
  const std::string& title = study.title.empty() ? study.name : study.title;
  std::string text;
  if (!complete(study, results)) text += "PARTIAL RESULTS: go on with --resume\n";
  text += fmt::format("{}: {}\n", title, status_text(study, results));
  text += line("carom", fmt::format("{}, seed {}, impact law {}", kVersion, study.study.seed, study.study.law));
  text += line("terrain", fmt::format("{} x {} cells of {:g} m{}", t.columns, t.rows, t.cell,
                                      t.file.empty() ? ", made from a profile" : ", " + t.file));
  if (!study.study.ground.forest.empty())
    text += line("forest", fmt::format("{} stems", study.study.ground.forest.stems.size()));
  text += line("ended", reasons(results));
  if (results.trajectories.empty()) return text;
  text += "\n" + table_head("trajectories");
  text += row("runout, m", results.over([](const TrajectorySummary& s) { return s.runout(); }));
  text += row("energy line angle, deg",
              results.over([](const TrajectorySummary& s) { return s.energy_line_angle() / kDegree; }));
  text += row("volume, m^3", results.over([](const TrajectorySummary& s) { return s.volume; }));
  text += row("largest speed, m/s", results.over([](const TrajectorySummary& s) { return s.speed; }));
  text +=
      row("largest translational energy, J", results.over([](const TrajectorySummary& s) { return s.translational; }));
  text += row("largest rotational energy, J", results.over([](const TrajectorySummary& s) { return s.rotational; }));
  text += row("largest height of the centre, m", results.over([](const TrajectorySummary& s) { return s.height; }));
  text += row("duration, s", results.over([](const TrajectorySummary& s) { return s.time; }));
  text += line("flattest energy line", fmt::format("{:.2f} deg", least_angle(results)));
  for (std::uint32_t b = 0; b < study.study.barriers.size(); ++b) {
    const BarrierSummary s = summarize_barrier(results, b);
    text += fmt::format("\n  barrier \"{}\": {} of {} trajectories cross it ({:.2f} %), {} crossings\n",
                        study.study.barriers[b].name, s.trajectories, results.trajectories.size(), 100 * s.ratio,
                        s.crossings);
    if (s.trajectories == 0) continue;
    text += table_head("largest value of each trajectory");
    text += row("speed, m/s", s.speed);
    text += row("energy (both parts), J", s.energy);
    text += row("height of the centre, m", s.height);
  }
  text += "\n" + numerics(results);
  text += "  Percentiles here are exact (nearest rank); those of the maps are within 0.5 %.\n";
  return text;
}

std::string study_summary_page(const StudyFile& study, const Results& results) {
  const std::string title = xml_escaped(study.title.empty() ? study.name : study.title);
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n"
      "<style>body{{font-family:sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222}}"
      "pre{{background:#f6f6f6;padding:1rem;overflow-x:auto}}figure{{display:inline-block;margin:0 1rem 1.5rem 0;"
      "vertical-align:top}}figcaption{{font-size:.9rem;margin-bottom:.3rem}}</style></head><body>\n<h1>{}</h1>\n",
      title, title);
  page += "<pre>" + xml_escaped_lines(study_summary_text(study, results)) + "</pre>\n";
  for (const char* name : {"passages", "reach_probability", "deposits", "energy_translational_p95",
                           "energy_rotational_p95", "speed_p95", "height_p95"}) {
    const auto map =
        std::find_if(study_maps().begin(), study_maps().end(), [&](const StudyMap& m) { return m.name == name; });
    page += fmt::format("<figure><figcaption>{}{}</figcaption>\n{}</figure>\n", map->title,
                        map->unit == "1" ? "" : ", " + map->unit,
                        map_picture(study, study_map(study, results, *map), map->unit));
  }
  return page + "</body></html>\n";
}

}  // namespace carom
