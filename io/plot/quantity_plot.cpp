#include "io/plot/quantity_plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace carom {

Plot quantity_plot(const Quantity& quantity) {
  const QuantityInfo& info = quantity.info;
  Plot plot;
  plot.title = info.title;
  plot.x.label = "time [s]";
  if (!quantity.time.empty()) plot.x.low = std::min(0.0, quantity.time.front());
  plot.y.label = info.unit == "count" ? "" : fmt::format("[{}]", info.unit);
  plot.y.logarithmic = info.logarithmic;
  for (const Quantity::Curve& curve : quantity.curves) plot.series.push_back({curve.name, quantity.time, curve.values});
  return plot;
}

}  // namespace carom
