#include "io/report/comparison_page.h"

#include <fmt/format.h>

#include <cmath>

#include "io/comparison_report.h"
#include "io/comparison_table.h"
#include "io/report/page.h"

namespace carom {

namespace {

constexpr int kMostHistories = 12;  // problems whose convergence is drawn

int count(const auto& list) { return static_cast<int>(list.size()); }

// Residual over time to the tightest tolerance, a curve per solver.
std::string histories_html(const Comparison& c) {
  const int t = count(c.tolerances) - 1;
  std::string text;
  int drawn = 0;
  for (int p = 0; p < count(c.problems) && drawn < kMostHistories; ++p) {
    Plot plot{fmt::format("{} ({} contacts)", c.problems[static_cast<std::size_t>(p)], c.contacts[static_cast<std::size_t>(p)]),
              {"seconds", true},
              {"residual, natural map", true},
              {}};
    for (int s = 0; s < count(c.solvers); ++s) {
      const ComparisonRow& row = c.row(t, p, s);
      PlotSeries series{c.solvers[static_cast<std::size_t>(s)], {}, {}};
      series.colour = s;
      for (const HistoryEntry& entry : row.history)
        if (entry.residuals.natural_map > 0 && entry.seconds > 0) {
          series.x.push_back(entry.seconds);
          series.y.push_back(entry.residuals.natural_map);
        }
      if (!series.x.empty()) plot.series.push_back(series);
    }
    if (plot.series.empty()) continue;
    ++drawn;
    Figure figure;
    figure.panels = {plot};
    figure.panel_width = 420;
    figure.panel_height = 260;
    text += "<figure>" + figure_svg(figure, PlotTheme::Page) + "</figure>\n";
  }
  if (text.empty()) return "";
  return fmt::format("<h2>Convergence to {:.0e}</h2>\n<div class=\"charts\">\n{}</div>\n",
                     c.tolerances[static_cast<std::size_t>(t)], text);
}

std::string cell_html(const ComparisonRow& row, bool best) {
  const std::string tip = fmt::format("{}; {} iterations; residual {:.2e}{}", name_of(row.status), row.iterations,
                                      row.residuals.natural_map, row.message.empty() ? "" : "; " + row.message);
  const std::string word = row.reached() ? milliseconds_text(row.seconds) : std::string(name_of(row.outcome));
  return fmt::format("<td class=\"{}\" title=\"{}\">{}</td>", !row.reached() ? "missed" : best ? "best" : "",
                     html_escaped(tip), html_escaped(word));
}

std::string table_html(const Comparison& c, int t) {
  std::string text = "<div class=\"wide\"><table><thead><tr><th>problem</th><th>contacts</th>";
  for (const std::string& solver : c.solvers) text += fmt::format("<th>{}</th>", html_escaped(solver));
  text += "</tr></thead><tbody>\n";
  for (int p = 0; p < count(c.problems); ++p) {
    text += fmt::format("<tr><td>{}</td><td>{}</td>", html_escaped(c.problems[static_cast<std::size_t>(p)]),
                        c.contacts[static_cast<std::size_t>(p)]);
    const int best = best_solver(c, t, p);
    for (int s = 0; s < count(c.solvers); ++s) text += cell_html(c.row(t, p, s), s == best);
    text += "</tr>\n";
  }
  text += "<tr><td>reached</td><td></td>";
  const std::vector<ProfileCurve> curves = performance_profile(c, t);
  for (const ProfileCurve& curve : curves) text += fmt::format("<td>{}/{}</td>", curve.ratios.size(), curve.problems);
  return text + "</tr>\n</tbody></table></div>\n";
}

}  // namespace

std::string make_comparison_page(const Comparison& comparison, const Machine& machine) {
  PageParts page;
  page.title = "Solvers side by side";
  page.subtitle = html_escaped(fmt::format("{} problems, {} solvers · {}, {} cores · {}", comparison.problems.size(),
                                           comparison.solvers.size(), machine.processor, machine.cores, machine.date));
  page.body = "<style>" + figure_style_for_pages() +
              "td.best{font-weight:700;color:var(--good)} td.missed{color:var(--faint)}</style>\n"
              "<h2>Performance profiles</h2>\n<p class=\"sub\">How many problems a solver brought to the tolerance within "
              "so many times the fastest solver's time.</p>\n<figure>" +
              figure_svg(profile_figure(comparison, machine), PlotTheme::Page) + "</figure>\n" + histories_html(comparison);
  for (int t = 0; t < count(comparison.tolerances); ++t)
    page.body += fmt::format(
        "<h2>Milliseconds to {:.0e}</h2>\n<p class=\"sub\">Medians; the fastest in bold; a word where the tolerance was "
        "not reached. A time counts only when the residual recomputed from the answer is within the tolerance.</p>\n{}",
        comparison.tolerances[static_cast<std::size_t>(t)], table_html(comparison, t));
  std::string lines;
  for (const std::string& line : machine_lines(machine)) lines += line + "\n";
  page.body += fmt::format("<details><summary>The machine</summary><pre>{}</pre></details>\n", html_escaped(lines));
  page.manifest = "{}";
  page.scripts = {"unpack.js", "page.js", "plain.js"};
  return make_page(page);
}

}  // namespace carom
