#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/plot/panel.h"
#include "io/text_file.h"

namespace carom {

namespace {

// Classes, so that one rule turns all of them dark. `wrap` is put before each selector.
std::string rules(bool dark, const std::string& wrap) {
  std::string text;
  const auto rule = [&](const char* selector, const std::string& body) {
    text += fmt::format("{}.cp {}{{{}}}\n", wrap, selector, body);
  };
  rule(".paper", dark ? "fill:#161b22" : "fill:#ffffff");
  rule("text", dark ? "fill:#b9c1cb" : "fill:#47505c");
  rule(".title", dark ? "fill:#eef1f5" : "fill:#1e2530");
  rule(".head", dark ? "fill:#dfe4ea" : "fill:#2b333f");
  rule(".note", dark ? "fill:#808b97" : "fill:#8a929c");
  rule(".grid", dark ? "stroke:#2a323c" : "stroke:#e6e6e2");
  rule(".fine", dark ? "stroke:#20272f" : "stroke:#f1f1ee");
  rule(".axis", dark ? "stroke:#5d6875" : "stroke:#9aa1aa");
  for (int k = 0; k < kCurveColours; ++k) {
    rule(fmt::format(".s{}", k).c_str(), fmt::format("stroke:{}", curve_colour(k, dark)));
    rule(fmt::format(".f{}", k).c_str(), fmt::format("fill:{}", curve_colour(k, dark)));
  }
  return text;
}

const char* const kForms =
    ".cp text{font:12px system-ui,'Segoe UI',Helvetica,Arial,sans-serif}\n"
    ".cp .title{font-size:17px;font-weight:600}\n.cp .head{font-size:13.5px;font-weight:600}\n"
    ".cp .note{font-size:10.5px}\n.cp .grid,.cp .fine{stroke-width:1}\n.cp .axis{stroke-width:1;fill:none}\n"
    ".cp .curve{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}\n"
    ".cp .leader{fill:none;stroke-width:1;opacity:.6}\n.cp .bar{opacity:.75}\n.cp .dot{opacity:.75}\n";

}  // namespace

std::string figure_style_for_pages() {
  return std::string(kForms) + rules(false, "") + rules(true, ":root[data-shade=\"dark\"] ");
}

std::string figure_svg(const Figure& figure, PlotTheme theme) {
  std::string body;
  double y = 16, width = 0;
  if (!figure.title.empty()) y += 22;
  const double top = y;
  const auto columns = static_cast<std::size_t>(std::max(1, figure.columns));
  for (std::size_t first = 0; first < figure.panels.size(); first += columns) {
    double x = 0, tallest = 0;
    for (std::size_t k = first; k < std::min(first + columns, figure.panels.size()); ++k) {
      const DrawnPanel panel = draw_panel(figure.panels[k], figure.panel_width, figure.panel_height);
      body += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n", x, y, panel.svg);
      x += panel.width;
      tallest = std::max(tallest, panel.height);
    }
    width = std::max(width, x);
    y += tallest;
  }
  if (figure.panels.empty()) width = figure.panel_width;
  if (!figure.title.empty())
    body += fmt::format("<text x=\"16\" y=\"{:.1f}\" class=\"title\">{}</text>\n", top - 8, xml_escaped(figure.title));
  if (!figure.note.empty()) {
    body += fmt::format("<text x=\"16\" y=\"{:.1f}\" class=\"note\">{}</text>\n", y + 8, xml_escaped(figure.note));
    y += 18;
  }
  std::string style;
  if (theme == PlotTheme::File)
    style = fmt::format("<style>\n{}{}@media (prefers-color-scheme: dark){{\n{}}}\n</style>\n", kForms, rules(false, ""),
                        rules(true, ""));
  const char* head = theme == PlotTheme::File ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : "";
  return fmt::format(
             "{0}<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" class=\"cp\" "
             "width=\"{1:.0f}\" height=\"{2:.0f}\" viewBox=\"0 0 {1:.0f} {2:.0f}\" role=\"img\" aria-label=\"{3}\">\n{4}",
             head, width, y + 4, xml_escaped(figure.title.empty() && !figure.panels.empty() ? figure.panels[0].title
                                                                                           : figure.title),
             style) +
         (theme == PlotTheme::File ? "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n" : "") + body + "</svg>\n";
}

PlotSeries histogram(const std::string& name, std::vector<double> values) {
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  PlotSeries series{name, {}, {}, PlotMark::Bars};
  if (values.empty()) return series;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double bins = std::clamp(std::sqrt(static_cast<double>(values.size())), 5.0, 60.0);
  const double step = round_step(*high > *low ? (*high - *low) / bins : std::max(1e-12, 0.1 * std::abs(*low)));
  const double start = step * std::floor(*low / step);
  const auto count = static_cast<std::size_t>(std::max(1.0, std::floor((*high - start) / step) + 1));
  series.y.assign(count, 0);
  for (std::size_t k = 0; k <= count; ++k) series.x.push_back(start + static_cast<double>(k) * step);
  for (const double x : values) ++series.y[std::min(count - 1, static_cast<std::size_t>((x - start) / step))];
  return series;
}

}  // namespace carom
