// Performance profiles (Dolan and More): one panel per tolerance, time over the fastest across (logarithmic), problems
// reached up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/comparison_report.h"

namespace carom {

namespace {

// The first of 2, 5, 10, 20, ... that no curve passes: the right end of all panels.
double last_ratio(const std::vector<std::vector<ProfileCurve>>& panels) {
  double largest = 1;
  for (const auto& curves : panels)
    for (const ProfileCurve& curve : curves)
      if (!curve.ratios.empty()) largest = std::max(largest, curve.ratios.back());
  for (double power = 1;; power *= 10)
    for (const double last : {2 * power, 5 * power, 10 * power})
      if (last >= std::min(largest * 1.1, 1e9)) return last;
}

// A step up at each ratio; nothing where no problem was reached.
PlotSeries steps_of(const ProfileCurve& curve, const std::string& name, double last) {
  PlotSeries series{name, {}, {}, PlotMark::Step};
  series.note = fmt::format("{}/{}", curve.ratios.size(), curve.problems);
  if (curve.ratios.empty()) return series;
  series.x = {1};
  series.y = {curve.fraction(1)};
  for (const double ratio : curve.ratios)
    if (ratio > 1) {
      series.x.push_back(std::min(ratio, last));
      series.y.push_back(curve.fraction(ratio));
    }
  series.x.push_back(last);
  series.y.push_back(curve.fraction(last));
  return series;
}

// Where curves end at one height, the name of the one that was faster stands above.
double area_of(const ProfileCurve& curve, double last) {
  return std::accumulate(curve.ratios.begin(), curve.ratios.end(), 0.0,
                         [&](double sum, double ratio) { return sum + std::log(last / ratio); });
}

}  // namespace

Figure profile_figure(const Comparison& comparison, const Machine& machine) {
  std::vector<std::vector<ProfileCurve>> panels;
  for (int t = 0; t < std::ssize(comparison.tolerances); ++t) panels.push_back(performance_profile(comparison, t));
  const double last = last_ratio(panels);

  Figure figure;
  figure.title = fmt::format("Performance profile: {} problems", comparison.problems.size());
  figure.note = fmt::format("{}; {}, {} cores; {}; time limit {:g} s", machine.version, machine.processor, machine.cores,
                            machine.date, comparison.max_seconds);
  figure.panel_width = 560;
  figure.panel_height = 220;
  for (std::size_t t = 0; t < panels.size(); ++t) {
    Plot plot{fmt::format("tolerance {:.0e}", comparison.tolerances[t]),
              {"time / fastest solver's time", true, 1, last},
              {"problems reached", false, 0, 1, true},
              {}};
    plot.names_at_ends = true;
    std::vector<std::size_t> order(panels[t].size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return area_of(panels[t][a], last) > area_of(panels[t][b], last);
    });
    for (const std::size_t s : order) {
      plot.series.push_back(steps_of(panels[t][s], comparison.solvers[s], last));
      plot.series.back().colour = static_cast<int>(s);
    }
    figure.panels.push_back(plot);
  }
  return figure;
}

std::string profile_svg(const Comparison& comparison, const Machine& machine) {
  return figure_svg(profile_figure(comparison, machine));
}

}  // namespace carom
