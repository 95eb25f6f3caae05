// Performance profiles as SVG: one panel per tolerance, time over the fastest across (logarithmic), problems reached
// up. Curves are named at their right end; names that would meet are pushed apart.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "io/comparison_report.h"
#include "io/text_file.h"

namespace carom {

namespace {

constexpr std::array<const char*, 12> kColours = {"#0b4f9e", "#d1495b", "#1b8a5a", "#e08a00", "#7b4fb5", "#0097a7",
                                                  "#8a5a2b", "#c2379a", "#222222", "#7f8a00", "#3fa0f0", "#66727f"};
// Beyond the colours, lines differ by their dashes.
constexpr std::array<const char*, 3> kDashes = {"", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\""};

// Pixels.
constexpr double kWidth = 860, kLeft = 62, kPlotWidth = 560, kPlotHeight = 210, kPanelHeight = 290;
constexpr double kRight = kLeft + kPlotWidth;
constexpr double kLabelGap = 14;   // between names of curves, at least
constexpr double kLabelRoom = 26;  // between the plot and the names
constexpr double kCharacter = 7;   // of 12 px text, generously
constexpr double kLegendLine = 18;

int count(const auto& list) { return static_cast<int>(list.size()); }
std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string stroke(int solver) {
  const std::size_t k = at(solver);
  return fmt::format("stroke=\"{}\"{}", kColours[k % kColours.size()], kDashes[k / kColours.size() % kDashes.size()]);
}

// ---- The axis of ratios, shared by all panels ----

struct RatioAxis {
  double last = 2;  // ratio at the right end

  double x(double ratio) const { return kLeft + kPlotWidth * std::log(std::min(ratio, last)) / std::log(last); }
  // 1, 2, 5, 10, ... while these are few, else powers of ten.
  std::vector<double> ticks() const {
    std::vector<double> list;
    const bool fine = last <= 1000;
    for (double power = 1; power <= last; power *= 10)
      for (double digit : {1.0, 2.0, 5.0})
        if ((fine || digit == 1) && digit * power <= last * (1 + 1e-9)) list.push_back(digit * power);
    return list;
  }
};

// The first of 2, 5, 10, 20, ... that no curve passes.
RatioAxis axis_of(const std::vector<std::vector<ProfileCurve>>& panels) {
  double largest = 1;
  for (const auto& curves : panels)
    for (const ProfileCurve& curve : curves)
      if (!curve.ratios.empty()) largest = std::max(largest, curve.ratios.back());
  for (double power = 1;; power *= 10)
    for (double last : {2 * power, 5 * power, 10 * power})
      if (last >= std::min(largest * 1.1, 1e9)) return {last};
}

// ---- Names beside the curves ----

// Moves the wanted heights, in increasing order, apart until neighbours keep the gap and all stay within [low, high]
// as far as they fit.
void spread(std::vector<double>& heights, double low, double high) {
  for (std::size_t i = 0; i < heights.size(); ++i)
    heights[i] = std::max(heights[i], i == 0 ? low : heights[i - 1] + kLabelGap);
  double limit = high;
  for (std::size_t i = heights.size(); i-- > 0; limit = heights[i] - kLabelGap)
    heights[i] = std::min(heights[i], limit);
  // When there are more names than room they run on downwards.
  const double over = heights.empty() ? 0 : low - heights.front();
  if (over > 0)
    for (double& height : heights) height += over;
}

// Mean height of a curve on the logarithmic axis: who is better, where ends agree.
double area(const ProfileCurve& curve, double last) {
  double sum = 0;
  for (double ratio : curve.ratios) sum += std::log(last / ratio);
  return sum;
}

double panel_height(int solvers) { return std::max(kPanelHeight, 80 + kLabelGap * solvers); }

class Panel {
 public:
  Panel(const Comparison& comparison, const std::vector<ProfileCurve>& curves, const RatioAxis& axis, double top)
      : comparison_(comparison), curves_(curves), axis_(axis), top_(top) {}

  std::string draw(double tolerance) const {
    std::string text = fmt::format("<text x=\"{}\" y=\"{:.1f}\" class=\"head\">tolerance {:.0e}</text>\n", kLeft,
                                   top_ - 10, tolerance);
    return text + grid() + lines() + names();
  }

 private:
  double y(double fraction) const { return top_ + kPlotHeight * (1 - fraction); }

  std::string grid() const {
    std::string text;
    for (int percent : {0, 25, 50, 75, 100}) {
      const double height = y(percent / 100.0);
      text += fmt::format(
          "<path d=\"M{} {:.1f}H{}\" class=\"grid\"/>\n<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}%</text>\n",
          kLeft, height, kRight, kLeft - 7, height + 4, percent);
    }
    for (double ratio : axis_.ticks())
      text += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" class=\"grid\"/>\n"
          "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4:g}</text>\n",
          axis_.x(ratio), top_, y(0), y(0) + 16, ratio);
    text += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"middle\">time / fastest solver's time</text>\n",
                        kLeft + kPlotWidth / 2, y(0) + 34);
    text += fmt::format(
        "<text transform=\"translate({} {:.1f}) rotate(-90)\" text-anchor=\"middle\">problems reached</text>\n", 14.0,
        top_ + kPlotHeight / 2);
    return text;
  }

  // A step up at each ratio; the first solvers are drawn last, on top.
  std::string lines() const {
    std::string text;
    for (int s = count(curves_); s-- > 0;) {
      const ProfileCurve& curve = curves_[at(s)];
      if (curve.ratios.empty()) continue;
      std::string path = fmt::format("M{} {:.1f}", kLeft, y(curve.fraction(1)));
      for (double ratio : curve.ratios)
        if (ratio > 1) path += fmt::format("H{:.1f}V{:.1f}", axis_.x(ratio), y(curve.fraction(ratio)));
      path += fmt::format("H{}", kRight);
      text += fmt::format("<path d=\"{}\" class=\"curve\" {}/>\n", path, stroke(s));
    }
    return text;
  }

  // "name 21", from the top down, joined to the ends of the curves.
  std::string names() const {
    std::vector<int> order(curves_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      const ProfileCurve &ca = curves_[at(a)], &cb = curves_[at(b)];
      if (ca.ratios.size() != cb.ratios.size()) return ca.ratios.size() > cb.ratios.size();
      return area(ca, axis_.last) > area(cb, axis_.last);
    });
    std::vector<double> heights;
    for (int s : order) heights.push_back(y(curves_[at(s)].fraction(axis_.last)));
    spread(heights, top_, top_ + panel_height(count(curves_)) - 70);
    std::string text;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const int s = order[k];
      const ProfileCurve& curve = curves_[at(s)];
      const double end = y(curve.fraction(axis_.last));
      text += fmt::format("<path d=\"M{} {:.1f}L{} {:.1f}\" class=\"leader\" {}/>\n", kRight, end,
                          kRight + kLabelRoom - 4, heights[k], stroke(s));
      text += fmt::format("<text x=\"{}\" y=\"{:.1f}\" style=\"fill:{}\">{} {}/{}</text>\n", kRight + kLabelRoom,
                          heights[k] + 4, kColours[at(s) % kColours.size()], xml_escaped(comparison_.solvers[at(s)]),
                          curve.ratios.size(), curve.problems);
    }
    return text;
  }

  const Comparison& comparison_;
  const std::vector<ProfileCurve>& curves_;
  const RatioAxis& axis_;
  double top_;
};

// Names with their lines, as many to a line as fit; `y` becomes the height below.
std::string legend(const Comparison& comparison, double& y) {
  std::string text;
  double x = kLeft;
  for (int s = 0; s < count(comparison.solvers); ++s) {
    const std::string& name = comparison.solvers[at(s)];
    const double needed = 34 + kCharacter * static_cast<double>(name.size()) + 16;
    if (x > kLeft && x + needed > kWidth) {
      x = kLeft;
      y += kLegendLine;
    }
    text +=
        fmt::format("<path d=\"M{:.1f} {:.1f}h26\" class=\"curve\" {}/>\n<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                    x, y - 4, stroke(s), x + 32, y, xml_escaped(name));
    x += needed;
  }
  y += kLegendLine;
  return text;
}

constexpr const char* kStyle =
    "<style>text{font:12px sans-serif;fill:#333}.title{font-size:16px;font-weight:bold}"
    ".head{font-size:13px;font-weight:bold}.note{font-size:10px;fill:#777}.grid{stroke:#e2e2e2;stroke-width:1}"
    ".curve{fill:none;stroke-width:2;stroke-linejoin:round}.leader{fill:none;stroke-width:1;opacity:.6}</style>\n";

}  // namespace

std::string profile_svg(const Comparison& comparison, const Machine& machine) {
  std::vector<std::vector<ProfileCurve>> panels;
  for (int t = 0; t < count(comparison.tolerances); ++t) panels.push_back(performance_profile(comparison, t));
  const RatioAxis axis = axis_of(panels);

  std::string body = fmt::format("<text x=\"{}\" y=\"28\" class=\"title\">Performance profile: {} problems</text>\n",
                                 kLeft, comparison.problems.size());
  double y = 54;
  body += legend(comparison, y);
  for (std::size_t t = 0; t < panels.size(); ++t) {
    body += Panel(comparison, panels[t], axis, y + 24).draw(comparison.tolerances[t]);
    y += panel_height(count(comparison.solvers));
  }
  body += fmt::format("<text x=\"{}\" y=\"{:.1f}\" class=\"note\">{}</text>\n", kLeft, y + 8,
                      xml_escaped(fmt::format("{}; {}, {} cores; {}; time limit {:g} s", machine.version,
                                              machine.processor, machine.cores, machine.date, comparison.max_seconds)));
  const double height = y + 20;
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
             "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n{2}<rect width=\"100%\" height=\"100%\" "
             "fill=\"#ffffff\"/>\n",
             kWidth, height, kStyle) +
         body + "</svg>\n";
}

}  // namespace carom
