#include "io/plot/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/text_file.h"

namespace carom {

namespace {

constexpr double kLegendLine = 18, kNameGap = 15, kNameRoom = 26;  // px

int colour_of(const PlotSeries& series, std::size_t place) {
  return series.colour >= 0 ? series.colour : static_cast<int>(place);
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void include(const std::vector<double>& values, bool logarithmic) {
    for (const double x : values)
      if (std::isfinite(x) && (!logarithmic || x > 0)) low = std::min(low, x), high = std::max(high, x);
  }
};

TickScale scale_of(const PlotAxis& axis, Range range, bool widen, int wanted) {
  if (!(range.low <= range.high)) range = axis.logarithmic ? Range{0.1, 1} : Range{0, 1};
  const double low = axis.low.value_or(range.low), high = axis.high.value_or(range.high);
  TickScale scale = axis.logarithmic ? logarithmic_scale(low, high, !axis.low && widen, !axis.high && widen)
                                     : linear_scale(low, high, !axis.low && widen, !axis.high && widen, wanted);
  if (axis.percent) show_percent(scale);
  return scale;
}

void set_scales(const Plot& plot, PlotArea& area) {
  Range x, y;
  bool bars = false;
  for (const PlotSeries& series : plot.series) {
    x.include(series.x, plot.x.logarithmic);
    y.include(series.y, plot.y.logarithmic);
    bars = bars || series.mark == PlotMark::Bars;
  }
  if (plot.raster) {
    x.include({plot.raster->x_low, plot.raster->x_high}, plot.x.logarithmic);
    y.include({plot.raster->y_low, plot.raster->y_high}, plot.y.logarithmic);
  }
  // What lies near zero is told from zero.
  if (!plot.y.logarithmic && !plot.raster && y.low > 0 && (bars || y.low < 0.6 * y.high)) y.low = 0;
  area.x = scale_of(plot.x, x, false, static_cast<int>(area.width / 90));
  area.y = scale_of(plot.y, y, !plot.raster, static_cast<int>(std::max(2.0, area.height / 48)));
}

std::string draw_axes(const Plot& plot, const PlotArea& area, double labels) {
  std::string text;
  const auto line = [&](const char* kind, bool across, double value) {
    const double at = across ? area.py(value) : area.px(value);
    text += across ? fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", kind, area.left, at, area.right())
                   : fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", kind, at, area.top, area.bottom());
  };
  if (!plot.raster) {
    for (const double v : area.x.minor) line("fine", false, v);
    for (const double v : area.y.minor) line("fine", true, v);
    for (const double v : area.x.major) line("grid", false, v);
    for (const double v : area.y.major) line("grid", true, v);
  }
  for (std::size_t i = 0; i < area.x.major.size(); ++i)
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", area.px(area.x.major[i]),
                        area.bottom() + 17, area.x.labels[i]);
  for (std::size_t i = 0; i < area.y.major.size(); ++i)
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", area.left - 8,
                        area.py(area.y.major[i]) + 4, area.y.labels[i]);
  const auto named = [](const PlotAxis& axis, const TickScale& scale) {
    return xml_escaped(axis.label + (scale.factor.empty() ? "" : "  " + scale.factor));
  };
  text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", area.left + 0.5 * area.width,
                      area.bottom() + 36, named(plot.x, area.x));
  if (!plot.y.label.empty() || !area.y.factor.empty())
    text += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                        area.left - labels - 16, area.top + 0.5 * area.height, named(plot.y, area.y));
  return text;
}

// Names with their marks in lines above the area; `height` becomes what they need.
std::string draw_legend(const Plot& plot, double left, double top, double width, double& height) {
  std::string text;
  double x = left, y = top + 12;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const PlotSeries& series = plot.series[i];
    const double needed = 32 + text_width(series.name) + 18;
    if (x > left && x + needed > left + width) x = left, y += kLegendLine;
    const int colour = colour_of(series, i);
    if (series.mark == PlotMark::Points || series.mark == PlotMark::Bars)
      text += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" rx=\"2\"/>\n",
                          fill_of(colour), x + 8, y - 9);
    else
      text += fmt::format("<path class=\"curve {} d=\"M{:.1f} {:.1f}h22\"/>\n", stroke_of(colour), x, y - 4);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 28, y, xml_escaped(series.name));
    x += needed;
  }
  height = y - top + 8;
  return text;
}

// Moves the wanted heights, in increasing order, apart until neighbours keep the gap and all stay within [low, high]
// as far as they fit.
void spread(std::vector<double>& heights, double low, double high) {
  for (std::size_t i = 0; i < heights.size(); ++i)
    heights[i] = std::max(heights[i], i == 0 ? low : heights[i - 1] + kNameGap);
  double limit = high;
  for (std::size_t i = heights.size(); i-- > 0; limit = heights[i] - kNameGap)
    heights[i] = std::min(heights[i], limit);
  // When there are more names than room they run on downwards.
  const double over = heights.empty() ? 0 : low - heights.front();
  if (over > 0)
    for (double& height : heights) height += over;
}

// Names right of the area, each joined to the end of its curve, the highest first.
std::string draw_names(const Plot& plot, const PlotArea& area) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < plot.series.size(); ++i)
    if (!plot.series[i].name.empty()) order.push_back(i);
  const auto end = [&](std::size_t i) {
    const double y = plot.series[i].y.empty() ? area.bottom() : area.py(plot.series[i].y.back());
    return std::isfinite(y) ? std::clamp(y, area.top, area.bottom()) : area.bottom();
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return end(a) < end(b); });
  std::vector<double> heights;
  for (const std::size_t i : order) heights.push_back(end(i));
  spread(heights, area.top, std::max(area.bottom(), area.top + kNameGap * static_cast<double>(order.size())));
  std::string text;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const PlotSeries& series = plot.series[order[k]];
    const int colour = colour_of(series, order[k]);
    text += fmt::format(
        "<path class=\"leader {} d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n<text x=\"{:.1f}\" y=\"{:.1f}\" "
        "class=\"{}\">{}{}</text>\n",
        stroke_of(colour), area.right(), end(order[k]), area.right() + kNameRoom - 4, heights[k],
        area.right() + kNameRoom, heights[k] + 4, fill_of(colour), xml_escaped(series.name),
        series.note.empty() ? "" : " " + xml_escaped(series.note));
  }
  return text;
}

double names_width(const Plot& plot) {
  double widest = 0;
  for (const PlotSeries& series : plot.series) widest = std::max(widest, text_width(series.name + " " + series.note));
  return kNameRoom + widest;
}

}  // namespace

DrawnPanel draw_panel(const Plot& plot, double width, double height) {
  PlotArea area;
  area.width = width;
  area.height = height;
  set_scales(plot, area);
  if (plot.equal_scales && area.y.high > area.y.low) {
    // The longer side fits.
    const double across = area.x.high - area.x.low, up = area.y.high - area.y.low;
    const double scale = std::min(width / across, 1.6 * height / up);
    area.width = scale * across;
    area.height = scale * up;
  }
  double labels = 0;
  for (const std::string& label : area.y.labels) labels = std::max(labels, text_width(label));
  area.left = 34 + labels + 8;
  area.top = plot.title.empty() ? 12 : 32;
  std::string text;
  if (!plot.title.empty())
    text += fmt::format("<text x=\"{:.1f}\" y=\"16\" class=\"head\">{}</text>\n", area.left, xml_escaped(plot.title));
  const std::size_t named = static_cast<std::size_t>(std::count_if(
      plot.series.begin(), plot.series.end(), [](const PlotSeries& series) { return !series.name.empty(); }));
  if (!plot.names_at_ends && named > 1) {
    double legend = 0;
    text += draw_legend(plot, area.left, area.top - 8, area.width, legend);
    area.top += legend;
  }
  if (plot.raster) text += draw_raster(area, *plot.raster);
  text += draw_axes(plot, area, labels + 8);
  text += fmt::format("<clipPath id=\"c{0:.0f}x{1:.0f}x{2:.0f}\"><rect x=\"{3:.1f}\" y=\"{4:.1f}\" width=\"{0:.1f}\" "
                      "height=\"{1:.1f}\"/></clipPath>\n<g clip-path=\"url(#c{0:.0f}x{1:.0f}x{2:.0f})\">\n",
                      area.width + 4, area.height + 4, area.left + 1000 * area.top, area.left - 2, area.top - 2);
  // The first are drawn last, on top.
  for (std::size_t i = plot.series.size(); i-- > 0;)
    text += draw_series(area, plot.series[i], colour_of(plot.series[i], i));
  text += "</g>\n";
  text += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>\n", area.left, area.top, area.bottom(),
                      area.right());
  double right = area.right() + 24;
  if (plot.names_at_ends) {
    text += draw_names(plot, area);
    right = area.right() + names_width(plot) + 12;
  }
  double below = area.bottom() + 48;
  if (plot.names_at_ends) below = std::max(below, area.top + kNameGap * static_cast<double>(plot.series.size()) + 12);
  if (plot.raster) {
    text += draw_colour_bar(area, *plot.raster, area.right() + 18);
    right = area.right() + 110;
  }
  return {text, right, below};
}

}  // namespace carom
