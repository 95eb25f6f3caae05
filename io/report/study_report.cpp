#include "io/report/study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/packed_bytes.h"
#include "io/plot/plot.h"
#include "io/report/page.h"

namespace carom {

namespace {

constexpr std::uint32_t kMostSide = 420;         // cells of the terrain along a side, in 3D and in maps
constexpr std::size_t kMostPathPoints = 300000;  // of all trajectories drawn
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

const char* const kStage = R"(<div class="stage" id="stage">
<div class="view" id="view" tabindex="0" role="application" aria-label="The terrain with its trajectories; maps and tables follow">
<div class="notice" id="notice">unpacking the terrain ...</div>
<div class="corner"><button id="home" title="key R">reset view</button><button id="top">from above</button><button id="full">full screen</button></div>
<div class="legend" id="legend"></div><div class="gridnote" id="gridnote"></div>
</div>
<div class="choices" style="padding-top:12px">
<label>map <select id="map"></select></label>
<label>trajectories <select id="lines"><option value="speed">by speed</option><option value="block">by block</option><option value="release">by release</option><option value="off">off</option></select></label>
<label>show <input type="range" id="share" min="0" max="1" step="0.01" value="1"></label>
<label>heights <input type="range" id="stretch" min="1" max="3" step="0.05" value="1"></label>
<span class="hint">drag to turn, wheel or pinch to zoom; right button or two fingers to shift</span>
</div>
</div>
)";

// The grid with at most kMostSide cells along a side: every stride-th, of maps the largest of those merged.
struct Grid {
  std::uint32_t stride = 1, columns = 0, rows = 0;
  double cell = 0;

  explicit Grid(const StudyData& study) {
    stride = std::max(1U, (std::max(study.columns, study.rows) + kMostSide - 1) / kMostSide);
    columns = (study.columns + stride - 1) / stride;
    rows = (study.rows + stride - 1) / stride;
    cell = study.cell * stride;
  }
  std::size_t of(std::size_t fine, const StudyData& study) const {
    return fine / study.columns / stride * columns + fine % study.columns / stride;
  }
};

std::vector<double> coarse_heights(const StudyData& study, const Grid& grid) {
  std::vector<double> heights;
  for (std::uint32_t j = 0; j < grid.rows; ++j)
    for (std::uint32_t i = 0; i < grid.columns; ++i)
      heights.push_back(study.heights[std::size_t{j * grid.stride} * study.columns + i * grid.stride]);
  return heights;
}

std::vector<double> coarse_map(const StudyData& study, const Grid& grid, const StudyMapData& map) {
  std::vector<double> values(std::size_t{grid.rows} * grid.columns, kNothing);
  for (std::size_t k = 0; k < study.cells.size(); ++k) {
    double& value = values[grid.of(study.cells[k], study)];
    if (std::isfinite(map.values[k]) && !(value >= map.values[k])) value = map.values[k];
  }
  // Nothing there is not the same as zero.
  for (double& value : values)
    if (value == 0) value = kNothing;
  return values;
}

// Light from the north-west, 40 degrees high.
std::vector<double> relief_of(const std::vector<double>& heights, const Grid& grid) {
  const Vec3 sun = Vec3(-1, 1, 1.2).normalized();
  std::vector<double> relief(heights.size(), kNothing);
  const auto at = [&](std::int64_t i, std::int64_t j) {
    i = std::clamp<std::int64_t>(i, 0, grid.columns - 1), j = std::clamp<std::int64_t>(j, 0, grid.rows - 1);
    return heights[static_cast<std::size_t>(j) * grid.columns + static_cast<std::size_t>(i)];
  };
  for (std::int64_t j = 0; j < grid.rows; ++j)
    for (std::int64_t i = 0; i < grid.columns; ++i) {
      const double here = at(i, j);
      if (std::isnan(here)) continue;
      const auto slope = [&](double a, double b) { return std::isfinite(b - a) ? (b - a) / (2 * grid.cell) : 0.0; };
      const Vec3 n = Vec3(-slope(at(i - 1, j), at(i + 1, j)), -slope(at(i, j - 1), at(i, j + 1)), 1).normalized();
      relief[static_cast<std::size_t>(j) * grid.columns + static_cast<std::size_t>(i)] =
          std::clamp(0.12 + 0.95 * std::max(0.0, n.dot(sun)), 0.0, 1.0);
    }
  return relief;
}

// Energies in kJ, as people say them.
double told(double value, const std::string& unit) { return unit == "J" ? value / 1000 : value; }
std::string told_unit(const std::string& unit) { return unit == "J" ? "kJ" : unit; }
std::string words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

Plot map_plot(const StudyData& study, const Grid& grid, const StudyMapData& map, const std::vector<double>& relief) {
  Plot plot;
  plot.title = map.title;
  plot.x.label = "east [m]";
  plot.y.label = "north [m]";
  plot.equal_scales = true;
  PlotRaster raster;
  raster.columns = static_cast<int>(grid.columns);
  raster.rows = static_cast<int>(grid.rows);
  // Along the map from its corner: numbers that people can read.
  raster.x_low = 0, raster.x_high = grid.columns * grid.cell;
  raster.y_low = 0, raster.y_high = grid.rows * grid.cell;
  plot.x.low = 0, plot.x.high = raster.x_high, plot.y.low = 0, plot.y.high = raster.y_high;
  raster.values = coarse_map(study, grid, map);
  for (double& value : raster.values) value = told(value, map.unit);
  const std::string unit = told_unit(map.unit);
  raster.label = words(map.name) + (unit == "1" ? "" : fmt::format(" [{}]", unit));
  raster.scale = ColourScale::Heat;
  if (map.name == "reach_probability" || map.name == "passages") {
    raster.scale = ColourScale::Sequential;
    raster.logarithmic = true;
  }
  if (!raster.logarithmic) raster.low = 0;
  raster.relief = relief;
  raster.opacity = 0.85;
  plot.raster = raster;
  for (const StudyBarrier& barrier : study.barriers) {
    PlotSeries line{barrier.name, {}, {}};
    for (const Vec2& p : barrier.points) {
      line.x.push_back(p.x() - study.x);
      line.y.push_back(p.y() - study.y);
    }
    plot.series.push_back(line);
  }
  return plot;
}

std::string maps_html(const StudyData& study, const Grid& grid, const std::vector<double>& relief) {
  std::string text;
  for (const char* name : {"reach_probability", "energy_translational_p95", "height_p95", "speed_p95", "deposits"}) {
    const StudyMapData* map = study.map(name);
    if (map == nullptr || map->values.empty()) continue;
    Figure figure;
    figure.panels = {map_plot(study, grid, *map, relief)};
    figure.panel_width = 430;
    figure.panel_height = 330;
    text += "<figure>" + figure_svg(figure, PlotTheme::Page) + "</figure>\n";
  }
  return text.empty() ? "" : "<h2>Maps</h2>\n<div class=\"charts maps\">\n" + text + "</div>\n";
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "–"; }

std::string unit_of_row(const std::string& row) {
  if (row.starts_with("energy_line")) return "rad";
  if (row.starts_with("energy")) return "J";
  if (row == "speed") return "m/s";
  if (row == "volume") return "m³";
  if (row == "time") return "s";
  return "m";
}

std::string table_html(const StudyTable& table) {
  std::string text = "<div class=\"wide\"><table><thead><tr><th></th>";
  for (const std::string& column : table.columns) text += fmt::format("<th>{}</th>", html_escaped(column));
  text += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string unit = unit_of_row(table.rows[i]);
    text += fmt::format("<tr><td>{} [{}]</td>", html_escaped(words(table.rows[i])), unit == "rad" ? "°" : told_unit(unit));
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      const double value = table.values[i * table.columns.size() + k];
      text += fmt::format("<td>{}</td>", number(unit == "rad" ? value * 57.29577951308232 : told(value, unit)));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string barriers_html(const StudyData& study) {
  if (study.barriers.empty()) return "";
  std::string text = "<h2>Barriers</h2>\n<p class=\"sub\">Largest value of each trajectory that crosses.</p>\n";
  for (const StudyBarrier& barrier : study.barriers)
    text += fmt::format("<h3>{}: crossed by {:.0f} trajectories, {:.3g}% of all</h3>\n", html_escaped(barrier.name),
                        barrier.trajectories, 100 * barrier.ratio) +
            table_html(barrier.table);
  return text;
}

std::string histograms_html(const StudyData& study) {
  std::string text;
  const auto add = [&](const char* title, const char* label, std::vector<double> values, double factor) {
    for (double& x : values) x *= factor;
    Plot plot;
    plot.title = title;
    plot.x.label = label;
    plot.y.label = "trajectories";
    plot.series = {histogram("", std::move(values))};
    if (plot.series[0].y.empty()) return;
    Figure figure;
    figure.panels = {plot};
    figure.panel_width = 380;
    figure.panel_height = 190;
    text += "<figure>" + figure_svg(figure, PlotTheme::Page) + "</figure>\n";
  };
  add("Runout", "horizontal distance from start to end [m]", study.runout, 1);
  add("Largest translational energy", "[kJ]", study.energy, 1e-3);
  add("Largest jump height", "[m]", study.height, 1);
  add("Largest speed", "[m/s]", study.speed, 1);
  return "<h2>Trajectories</h2>\n<div class=\"charts\">\n" + text + "</div>\n";
}

std::string cards_html(const StudyData& study) {
  std::string text = "<div class=\"cards\">";
  const auto card = [&](const std::string& label, const std::string& value, const std::string& note) {
    text += fmt::format("<div class=\"card\"><div class=\"label\">{}</div><div class=\"value\">{}</div><div class=\"note\">{}</div></div>",
                        html_escaped(label), html_escaped(value), html_escaped(note));
  };
  const auto largest = [](const std::vector<double>& values) {
    double most = 0;
    for (const double x : values)
      if (std::isfinite(x)) most = std::max(most, x);
    return most;
  };
  card("trajectories", fmt::format("{}", study.release.size()), fmt::format("of {} planned; seed {}", study.planned, study.seed));
  card("largest runout", number(largest(study.runout)) + " m", "");
  card("largest speed", number(largest(study.speed)) + " m/s", "");
  card("largest energy", number(largest(study.energy) / 1000) + " kJ", "translational");
  card("largest jump", number(largest(study.height)) + " m", "");
  std::vector<std::size_t> ends(study.reasons.size(), 0);
  for (const std::int64_t reason : study.reason)
    if (reason >= 0 && static_cast<std::size_t>(reason) < ends.size()) ++ends[static_cast<std::size_t>(reason)];
  std::string why;
  for (std::size_t k = 0; k < ends.size(); ++k)
    if (ends[k] > 0) why += fmt::format("{}{} {}", why.empty() ? "" : ", ", ends[k], words(study.reasons[k]));
  card("ended by", study.release.empty() ? "–" : fmt::format("{} reasons", std::count_if(ends.begin(), ends.end(), [](auto n) { return n > 0; })), why);
  return text + "</div>\n";
}

std::string findings_html(const StudyData& study) {
  std::string text;
  if (study.status != "complete") text += fmt::format("<li class=\"bad\">{}</li>", html_escaped(study.status));
  const auto unsolved = std::count_if(study.unsolved.begin(), study.unsolved.end(), [](double n) { return n > 0; });
  if (unsolved > 0) text += fmt::format("<li class=\"warn\">{} trajectories have steps that were not solved to tolerance</li>", unsolved);
  return text.empty() ? "" : "<ul class=\"findings\">" + text + "</ul>\n";
}

// ---- Data of the 3D view ----

void add_block(std::string& blocks, const std::string& name, const auto& values) {
  blocks += fmt::format("<script type=\"text/plain\" id=\"block-{}\">{}</script>\n", name,
                        base64(deflated(byte_planes(values), 6)));
}

void add_paths(const StudyData& study, const Vec3& origin, JsonObject& json, std::string& blocks) {
  const std::size_t every = 1 + study.path.size() / kMostPathPoints;
  std::vector<float> place;
  std::vector<std::uint16_t> speed;
  std::vector<std::uint32_t> first = {0};
  std::vector<std::uint8_t> block, release;
  double fastest = 0;
  for (const double v : study.path_speed)
    if (std::isfinite(v)) fastest = std::max(fastest, v);
  for (std::size_t k = 0; k < study.path_trajectory.size(); k += every) {
    for (std::size_t i = study.path_first[k]; i < study.path_first[k + 1]; ++i) {
      for (int c = 0; c < 3; ++c) place.push_back(static_cast<float>(study.path[i][c] - origin[c]));
      speed.push_back(static_cast<std::uint16_t>(fastest > 0 ? std::lround(65535 * study.path_speed[i] / fastest) : 0));
    }
    first.push_back(static_cast<std::uint32_t>(place.size() / 3));
    const std::size_t t = study.path_trajectory[k];
    block.push_back(static_cast<std::uint8_t>(t < study.block.size() ? study.block[t] : 0));
    release.push_back(static_cast<std::uint8_t>(t < study.release.size() ? study.release[t] : 0));
  }
  json.add("fastest", fastest);
  json.add("paths", block.size());
  json.add("paths_of_study", study.path_trajectory.size());
  add_block(blocks, "path_place", place);
  add_block(blocks, "path_speed", speed);
  add_block(blocks, "path_first", first);
  add_block(blocks, "path_block", block);
  add_block(blocks, "path_release", release);
}

}  // namespace

std::string make_study_report(const StudyData& study, const std::string& file) {
  require_page_packages();
  const Grid grid(study);
  const std::vector<double> heights = coarse_heights(study, grid), relief = relief_of(heights, grid);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double z : heights)
    if (std::isfinite(z)) low = std::min(low, z), high = std::max(high, z);
  const Vec3 origin(study.x + 0.5 * grid.columns * grid.cell, study.y + 0.5 * grid.rows * grid.cell, low);

  PageParts page;
  JsonObject json;
  json.add("columns", grid.columns);
  json.add("rows", grid.rows);
  json.add("cell", grid.cell);
  json.add("relief_height", high - low);
  json.add("blocks", study.blocks);
  json.add("releases", study.releases);
  std::vector<float> local;
  for (const double z : heights) local.push_back(static_cast<float>(std::isfinite(z) ? z - low : kNothing));
  add_block(page.blocks, "heights", local);
  std::vector<JsonObject> maps;
  for (const StudyMapData& map : study.maps) {
    const std::vector<double> values = coarse_map(study, grid, map);
    double most = 0, least = std::numeric_limits<double>::infinity();
    for (const double x : values)
      if (std::isfinite(x)) most = std::max(most, x), least = std::min(least, x);
    if (!(most > 0)) continue;
    // 0: nothing there; else by its share of the largest, or of its logarithm's range.
    const bool logarithmic = map.name == "reach_probability" || map.name == "passages";
    std::vector<std::uint8_t> levels;
    for (const double x : values) {
      double share = logarithmic && most > least ? std::log(x / least) / std::log(most / least) : x / most;
      levels.push_back(static_cast<std::uint8_t>(std::isfinite(x) ? 1 + std::lround(254 * std::clamp(share, 0.0, 1.0)) : 0));
    }
    JsonObject entry;
    entry.add("name", map.name);
    entry.add("title", map.title);
    entry.add("unit", told_unit(map.unit));
    entry.add("most", told(most, map.unit));
    entry.add("least", logarithmic ? told(least, map.unit) : 0.0);
    maps.push_back(entry);
    add_block(page.blocks, "map_" + map.name, levels);
  }
  json.add("maps", maps);
  std::string lines = "[";
  for (const StudyBarrier& barrier : study.barriers) {
    std::vector<double> points;
    for (const Vec2& p : barrier.points) points.insert(points.end(), {p.x() - origin.x(), p.y() - origin.y()});
    lines += (lines.size() > 1 ? "," : "") + json_list(points, 8);
  }
  json.add_raw("barriers", lines + "]");
  add_paths(study, origin, json, page.blocks);

  page.title = study.title.empty() ? study.name : study.title;
  page.subtitle = html_escaped(fmt::format("rockfall study · {} · {} · {} × {} cells of {:g} m · impact law {}",
                                           std::filesystem::path(file).filename().string(), study.status, study.columns,
                                           study.rows, study.cell, study.impact_law));
  page.verdict = study.status == "complete" ? "<span class=\"badge good\">complete</span>"
                                            : "<span class=\"badge bad\">partial</span>";
  page.body = "<style>" + figure_style_for_pages() + "</style>\n" + findings_html(study) + kStage + cards_html(study) +
              maps_html(study, grid, relief) + "<h2>Percentiles over trajectories</h2>\n" + table_html(study.statistics) +
              barriers_html(study) + histograms_html(study) +
              fmt::format("<details><summary>The study, {}.toml</summary><pre class=\"toml\">{}</pre></details>\n",
                          html_escaped(study.name), html_escaped(study.text));
  JsonObject manifest;
  manifest.add("study", json);
  page.manifest = manifest.text();
  page.scripts = {"three.js", "orbit.js", "unpack.js", "page.js", "shaders.js", "replay.js", "study.js"};
  return make_page(page);
}

}  // namespace carom
