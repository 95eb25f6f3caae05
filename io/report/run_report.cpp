#include "io/report/run_report.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "io/export.h"
#include "io/report/page.h"
#include "io/run_quantities.h"
#include "io/run_tables.h"
#include "io/system_run_reader.h"

namespace carom {

namespace {

constexpr std::size_t kChartPoints = 1200;    // per curve
constexpr std::size_t kStillBodies = 20000;   // more make a still picture larger than the replay

const char* const kStage = R"(<div class="stage" id="stage">
<div class="view" id="view" tabindex="0" role="application" aria-label="3D replay of the run; its figures follow as text">
{still}
<div class="notice" id="notice">unpacking the replay ...</div>
<div class="corner"><button id="home" title="key R">reset view</button><button id="full">full screen</button></div>
<div class="legend" id="legend"></div><div class="gridnote" id="gridnote"></div>
</div>
<div class="transport">
<button class="step" id="back" aria-label="previous frame">◀</button>
<button class="play" id="play" aria-label="play">▶</button>
<button class="step" id="on" aria-label="next frame">▷</button>
<input type="range" id="slider" min="0" max="1" value="0" aria-label="frame">
<output id="clock">0 s</output>
<select id="speed" aria-label="speed of the replay"></select>
</div>
<div class="choices">
<label>colour <select id="colour"><option value="speed">speed</option><option value="force">force</option><option value="group">group</option><option value="material">material</option></select></label>
<label>forces <select id="forces"><option value="off">off</option><option value="arrows">arrows</option><option value="chains">chains</option></select></label>
<label id="force-size-label" class="hidden">size <input type="range" id="force-size" min="-1" max="1" step="0.05" value="0"></label>
<span class="hint"><kbd>space</kbd> play <kbd>←</kbd> <kbd>→</kbd> step <kbd>C</kbd> colour <kbd>F</kbd> forces <kbd>R</kbd> reset; drag to turn, wheel or pinch to zoom</span>
</div>
</div>
)";

std::string charts_json(const QuantityReader& quantities) {
  std::vector<JsonObject> charts;
  for (const QuantityInfo& info : quantities.list()) {
    const Quantity quantity = quantities.read(info.name);
    if (quantity.time.empty()) continue;
    JsonObject chart;
    chart.add("name", info.name);
    chart.add("title", info.title);
    chart.add("unit", info.unit);
    chart.add("logarithmic", info.logarithmic);
    chart.add("low", std::min(0.0, quantity.time.front()));
    chart.add("high", quantity.time.back());
    std::vector<JsonObject> curves;
    for (const Quantity::Curve& curve : quantity.curves) {
      std::vector<double> t, y;
      for (const std::size_t k : thinned(curve.values, kChartPoints)) {
        t.push_back(quantity.time[k]);
        y.push_back(curve.values[k]);
      }
      JsonObject json;
      json.add("name", curve.name);
      json.add_raw("t", json_list(t, 7));
      json.add_raw("y", json_list(y, 6));
      curves.push_back(json);
    }
    chart.add("curves", curves);
    charts.push_back(chart);
  }
  JsonObject holder;
  holder.add("charts", charts);
  return holder.text();
}

ReplayWorld world_of(const RunReader& run, const std::string& file) {
  ReplayWorld world;
  try {
    const Scene scene = parse_scene(run.scene_text(), run.scene_name() + ".toml",
                                    std::filesystem::path(file).parent_path(), run.attachments());
    const Vec3 gravity = scene.world.forces().gravity.acceleration;
    if (gravity.norm() > 0 && gravity.allFinite()) world.up = -gravity.normalized();
    world.planar = scene.world.options().planar;
    if (world.planar && gravity.norm() == 0) world.up = std::abs(world.planar->z()) > 0.5 ? Vec3::UnitY() : Vec3::UnitZ();
  } catch (const InputError&) {
    // A scene that this version no longer reads: z is up in most.
  }
  return world;
}

// A picture of the last frame that needs no script.
std::string still_of(const RunReader& run, const ReplayWorld& world, std::size_t bodies) {
  if (run.frame_count() == 0 || bodies > kStillBodies) return "";
  PictureOptions options;
  if (world.planar) options.view = std::abs(world.planar->y()) > 0.5 ? Vec3(0, 1, 0) : Vec3(-*world.planar);
  const std::string svg = svg_picture(run, options);
  return fmt::format(
      "<img class=\"still\" alt=\"The bodies at the end of the run\" src=\"data:image/svg+xml;base64,{}\">",
      base64({reinterpret_cast<const std::uint8_t*>(svg.data()), svg.size()}));
}

std::string verdict_html(const std::vector<Finding>& findings) {
  bool serious = false;
  for (const Finding& finding : findings) serious = serious || finding.serious;
  return serious            ? "<span class=\"badge bad\">not without a second look</span>"
         : findings.empty() ? "<span class=\"badge good\">no reason to doubt</span>"
                            : "<span class=\"badge warn\">trust it, knowing this</span>";
}

std::string findings_html(const std::vector<Finding>& findings) {
  if (findings.empty()) return "";
  std::string text = "<ul class=\"findings\" aria-label=\"warnings\">\n";
  for (const Finding& finding : findings)
    text += fmt::format("<li class=\"{}\">{}</li>\n", finding.serious ? "bad" : "warn", html_escaped(finding.text));
  return text + "</ul>\n";
}

std::string texts_html(const RunFile& run, const RunReportContent& content) {
  std::string text = fmt::format(
      "<details><summary>The run in words (carom info)</summary><pre>{}</pre></details>\n"
      "<noscript><p>Without scripts this page shows a still picture and these figures.</p><pre>{}</pre></noscript>\n",
      html_escaped(content.info_text), html_escaped(content.info_text));
  return text + fmt::format("<details><summary>The scene, {}.toml</summary><pre class=\"toml\">{}</pre></details>\n",
                            html_escaped(run.scene_name()), html_escaped(run.scene_text()));
}

}  // namespace

RunReport make_run_report(const std::string& file, const RunReportContent& content, const ReplayOptions& options) {
  require_page_packages();
  const QuantityReader quantities(file);
  const bool system = run_kind(file) == "system";
  PageParts page;
  RunReport report;
  JsonObject manifest;
  manifest.add("info", content.info);
  const std::string charts = charts_json(quantities);
  const auto describe = [&](const RunFile& run) {
    const std::string title = run.scene_title();
    page.title = title.empty() ? run.scene_name() : title;
    page.subtitle = html_escaped(fmt::format("{} · {}", std::filesystem::path(file).filename().string(),
                                             run.status() == "running"
                                                 ? (run.being_written() ? "still being written" : "killed while it ran")
                                                 : run.status()));
    page.verdict = verdict_html(content.findings);
    report.frames_of_run = run.frame_count();
  };
  std::string stage;
  if (system) {
    const SystemRunReader run(file);
    describe(run);
    page.body = findings_html(content.findings) + "<div class=\"cards\" id=\"cards\"></div>\n";
    page.body += "<h2>Over time</h2>\n<div class=\"charts\" id=\"charts\"></div>\n" + texts_html(run, content);
  } else {
    const RunReader run(file);
    describe(run);
    page.body = findings_html(content.findings);
    if (run.frame_count() > 0) {
      const ReplayWorld world = world_of(run, file);
      const Replay replay = make_replay(run, world, options);
      report.frames = replay.frames;
      manifest.add("replay", replay.manifest);
      for (const Replay::Block& block : replay.blocks)
        page.blocks += fmt::format("<script type=\"text/plain\" id=\"block-{}\">{}</script>\n", block.name,
                                   base64(block.bytes));
      std::string text = kStage;
      text.replace(text.find("{still}"), 7, still_of(run, world, run.bodies().size()));
      page.body += text;
    }
    page.body += "<div class=\"cards\" id=\"cards\"></div>\n";
    page.body += "<h2>Over time</h2>\n<div class=\"charts\" id=\"charts\"></div>\n" + texts_html(run, content);
  }
  // The lists of charts join the manifest as they are.
  page.manifest = manifest.text();
  page.manifest.pop_back();
  page.manifest += ", " + charts.substr(1);
  page.scripts = {"three.js", "orbit.js", "chart.js", "unpack.js", "page.js", "shaders.js", "replay.js", "run.js"};
  report.html = make_page(page);
  return report;
}

}  // namespace carom
