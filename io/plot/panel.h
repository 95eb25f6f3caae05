// One plot of a figure; for io/plot/ only.
#pragma once

#include "io/plot/plot.h"
#include "io/plot/ticks.h"

namespace carom {

struct DrawnPanel {
  std::string svg;
  double width = 0, height = 0;  // px, with all that stands around the axes
};
DrawnPanel draw_panel(const Plot& plot, double width, double height);

// A rectangle of the panel, px, y down, with the scales that fill it.
struct PlotArea {
  double left = 0, top = 0, width = 0, height = 0;
  TickScale x, y;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
  double px(double value) const { return left + width * x.place(value); }
  double py(double value) const { return bottom() - height * y.place(value); }
};

std::string draw_series(const PlotArea& area, const PlotSeries& series, int number);
std::string draw_raster(const PlotArea& area, const PlotRaster& raster);
// Beside the area, from `left` on; its width in px.
std::string draw_colour_bar(const PlotArea& area, const PlotRaster& raster, double left);
TickScale raster_scale(const PlotRaster& raster);

// "s3" or "f3", and dashes where colours repeat.
std::string stroke_of(int number);
std::string fill_of(int number);
double text_width(const std::string& text);  // px at 12 px, about

}  // namespace carom
