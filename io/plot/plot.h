// Plots as SVG: the one layer by which carom plot, carom compare and reports draw axes, curves, points, histograms and
// rasters. A plot says what to show; how it looks is decided here, alike for all, in light and dark.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/plot/colour_scale.h"

namespace carom {

struct PlotAxis {
  std::string label;  // with its unit in brackets
  bool logarithmic = false;
  std::optional<double> low = {}, high = {};  // default: what the data need, rounded to ticks
  bool percent = false;             // values 0..1 shown as 0%..100%
};

enum class PlotMark : std::uint8_t {
  Line,    // through the points; breaks where a value is not finite
  Step,    // level up to the next point, as of a distribution
  Points,  // dots
  Bars,    // a histogram: x has one value more than y, the edges
};

struct PlotSeries {
  std::string name;
  std::vector<double> x, y;
  PlotMark mark = PlotMark::Line;
  int colour = -1;            // number of its colour; default: its place in the list
  std::string note = {};      // said after the name where names stand at the ends of curves
};

// Values on a grid of cells, row by row from the lowest y up; NaN: nothing there.
struct PlotRaster {
  int columns = 0, rows = 0;
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  std::vector<double> values;
  std::string label;  // of the colour bar
  ColourScale scale = ColourScale::Sequential;
  bool logarithmic = false;
  std::optional<double> low = {}, high = {};
  // Grey values 0..1 under the colours, of the same cells (shaded relief); empty: none.
  std::vector<double> relief = {};
  double opacity = 1;  // of the colours over the relief
};

struct Plot {
  std::string title;
  PlotAxis x, y;
  std::vector<PlotSeries> series = {};
  std::optional<PlotRaster> raster = {};
  bool names_at_ends = false;  // of curves, instead of a legend
  bool equal_scales = false;   // a metre across is a metre up
};

// Panels below each other, or in columns.
struct Figure {
  std::string title, note;
  std::vector<Plot> panels;
  int columns = 1;
  double panel_width = 640, panel_height = 300;  // px, of the area that axes enclose
};

enum class PlotTheme : std::uint8_t {
  File,  // for itself, light or dark as the viewer prefers
  Page,  // inside a page of ours, which says what is dark
};
std::string figure_svg(const Figure& figure, PlotTheme theme = PlotTheme::File);

// The style of figures of theme Page, for the page to carry once.
std::string figure_style_for_pages();

// A histogram with bins of a round width: about as many as the square root of the number of values, 5 to 60.
PlotSeries histogram(const std::string& name, std::vector<double> values);

}  // namespace carom
