#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/plot/panel.h"
#include "io/png_image.h"
#include "io/run_quantities.h"

namespace carom {

namespace {

constexpr std::size_t kMostPoints = 2400;  // of a curve: more than there are pixels
constexpr const char* kDashes[] = {"", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\""};

bool is_sorted_and_long(const PlotSeries& series) {
  return series.x.size() > kMostPoints && std::is_sorted(series.x.begin(), series.x.end());
}

std::string path_of(const PlotArea& area, const PlotSeries& series) {
  std::vector<std::size_t> points(series.x.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = i;
  if (series.mark == PlotMark::Line && is_sorted_and_long(series)) points = thinned(series.y, kMostPoints);
  std::string path;
  bool pen_down = false;
  double last_y = 0;
  for (const std::size_t i : points) {
    const double x = area.px(series.x[i]), y = area.py(series.y[i]);
    if (!std::isfinite(x) || !std::isfinite(y)) {
      pen_down = false;
      continue;
    }
    if (!pen_down)
      path += fmt::format("M{:.1f} {:.1f}", x, y);
    else if (series.mark == PlotMark::Step)
      path += y == last_y ? fmt::format("H{:.1f}", x) : fmt::format("H{:.1f}V{:.1f}", x, y);
    else
      path += fmt::format("L{:.1f} {:.1f}", x, y);
    pen_down = true;
    last_y = y;
  }
  return path;
}

double fraction_in(const TickScale& scale, double value) { return std::clamp(scale.place(value), 0.0, 1.0); }

}  // namespace

std::string stroke_of(int number) {
  return fmt::format("s{}\"{}", number % kCurveColours, kDashes[static_cast<std::size_t>(number / kCurveColours % 3)]);
}
std::string fill_of(int number) { return fmt::format("f{}", number % kCurveColours); }

double text_width(const std::string& text) {
  double width = 0;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) width += c == 'i' || c == 'l' || c == '.' || c == ' ' ? 4 : 7;
  return width;
}

std::string draw_series(const PlotArea& area, const PlotSeries& series, int number) {
  std::string text;
  if (series.y.empty()) return text;
  switch (series.mark) {
    case PlotMark::Line:
    case PlotMark::Step:
      // One point alone is a dot.
      if (series.x.size() > 1)
        return fmt::format("<path class=\"curve {} d=\"{}\"/>\n", stroke_of(number), path_of(area, series));
      [[fallthrough]];
    case PlotMark::Points:
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        const double x = area.px(series.x[i]), y = area.py(series.y[i]);
        if (std::isfinite(x) && std::isfinite(y))
          text += fmt::format("<circle class=\"dot {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\"/>\n", fill_of(number), x, y);
      }
      return text;
    case PlotMark::Bars:
      for (std::size_t i = 0; i < series.y.size(); ++i) {
        const double left = area.px(series.x[i]), right = area.px(series.x[i + 1]), top = area.py(series.y[i]);
        if (series.y[i] > 0 && std::isfinite(left) && std::isfinite(top))
          text += fmt::format("<rect class=\"bar {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                              fill_of(number), left + 0.5, top, std::max(0.5, right - left - 1), area.bottom() - top);
      }
      return text;
  }
  return text;
}

TickScale raster_scale(const PlotRaster& raster) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double x : raster.values)
    if (std::isfinite(x) && (!raster.logarithmic || x > 0)) low = std::min(low, x), high = std::max(high, x);
  if (!(low <= high)) low = 0, high = 1;
  low = raster.low.value_or(low);
  high = raster.high.value_or(high);
  return raster.logarithmic ? logarithmic_scale(low, high, !raster.low, !raster.high)
                            : linear_scale(low, high, !raster.low, !raster.high, 5);
}

std::string draw_raster(const PlotArea& area, const PlotRaster& raster) {
  const TickScale scale = raster_scale(raster);
  const auto columns = static_cast<std::size_t>(raster.columns), rows = static_cast<std::size_t>(raster.rows);
  Bytes pixels;
  pixels.reserve(4 * columns * rows);
  for (std::size_t j = rows; j-- > 0;)
    for (std::size_t i = 0; i < columns; ++i) {
      const double value = raster.values[j * columns + i];
      const double grey = raster.relief.empty() ? std::numeric_limits<double>::quiet_NaN() : raster.relief[j * columns + i];
      const bool told = std::isfinite(value) && (!raster.logarithmic || value > 0), shaded = std::isfinite(grey);
      Rgb colour = shaded ? mixed({60, 60, 58}, {250, 249, 245}, std::clamp(grey, 0.0, 1.0)) : Rgb{0, 0, 0};
      if (told) {
        Rgb over = scale_colour(raster.scale, fraction_in(scale, value));
        if (shaded) {
          // The relief stays to be felt under the colours.
          const double light = 0.62 + 0.55 * std::clamp(grey, 0.0, 1.0);
          for (double& c : over) c = std::min(255.0, c * light);
          colour = mixed(colour, over, raster.opacity);
        } else {
          colour = over;
        }
      }
      for (const double c : colour) pixels.push_back(static_cast<std::uint8_t>(std::clamp(c, 0.0, 255.0)));
      pixels.push_back(told || shaded ? 255 : 0);
    }
  const Bytes png = png_rgba(static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(rows), pixels);
  const double left = area.px(raster.x_low), right = area.px(raster.x_high);
  const double top = area.py(raster.y_high), bottom = area.py(raster.y_low);
  return fmt::format(
      "<image x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" preserveAspectRatio=\"none\" "
      "style=\"image-rendering:{}\" xlink:href=\"data:image/png;base64,{}\"/>\n",
      left, top, right - left, bottom - top, columns * rows > 40000 ? "auto" : "pixelated", base64(png));
}

std::string draw_colour_bar(const PlotArea& area, const PlotRaster& raster, double left) {
  const TickScale scale = raster_scale(raster);
  constexpr int kSteps = 48;
  const double step = area.height / kSteps;
  std::string text = "<g shape-rendering=\"crispEdges\">\n";
  for (int k = 0; k < kSteps; ++k)
    text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.2f}\" width=\"14\" height=\"{:.2f}\" fill=\"{}\"/>\n", left,
                        area.bottom() - (k + 1) * step, step + 0.4, hex_colour(scale_colour(raster.scale, (k + 0.5) / kSteps)));
  text += "</g>\n";
  double widest = 0;
  for (std::size_t i = 0; i < scale.major.size(); ++i) {
    const double y = area.bottom() - area.height * scale.place(scale.major[i]);
    if (y < area.top - 1 || y > area.bottom() + 1) continue;
    text += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}h4\"/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                        left + 14, y, left + 21, y + 4, scale.labels[i]);
    widest = std::max(widest, text_width(scale.labels[i]));
  }
  const std::string label = raster.label + (scale.factor.empty() ? "" : " " + scale.factor);
  return text + fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                            left + 36 + widest, area.top + 0.5 * area.height, label);
}

}  // namespace carom
