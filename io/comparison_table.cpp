#include "io/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

constexpr const char* kReached = "reached";
constexpr const char* kFastest = "fastest on";
constexpr const char* kMeanRatio = "time / fastest, mean";
constexpr int kNarrowest = 8;  // columns of a solver

int count(const auto& list) { return static_cast<int>(list.size()); }
std::size_t at(int i) { return static_cast<std::size_t>(i); }

const char* word_of(SolveStatus status) {
  switch (status) {
    case SolveStatus::Solved:
      return "short";
    case SolveStatus::MaxIterations:
      return "iter";
    case SolveStatus::MaxTime:
      return "time";
    case SolveStatus::Stalled:
      return "stalled";
    case SolveStatus::NumericalError:
      return "numeric";
    case SolveStatus::Infeasible:
      return "infeas";
    case SolveStatus::RayTermination:
      return "ray";
  }
  return "?";
}

std::string cell(const ComparisonRow& row, bool best) {
  switch (row.outcome) {
    case Outcome::NotRun:
      return ".";
    case Outcome::NotTaken:
      return "-";
    case Outcome::Reached:
      return milliseconds_text(row.seconds) + (best ? "*" : "");
    case Outcome::NotReached:
      return word_of(row.status);
    case Outcome::Late:
      return "time";
    case Outcome::Lied:
      return "LIED";
    case Outcome::Failed:
      return "failed";
  }
  return "?";
}

// A time's star hangs out to the right, so that digits stay in line.
std::string aligned(const std::string& text, int width) {
  return text.ends_with('*') ? fmt::format("{:>{}}", text, width + 1) : fmt::format("{:>{}} ", text, width);
}

int name_width(const Comparison& comparison) {
  std::size_t width = std::string_view(kMeanRatio).size();
  for (const std::string& name : comparison.problems) width = std::max(width, name.size());
  return static_cast<int>(width);
}

int column_width(const std::string& solver) { return std::max(kNarrowest, static_cast<int>(solver.size())) + 1; }

// Solvers [first, last) of one tolerance.
std::string block(const Comparison& comparison, int t, int first, int last) {
  const int names = name_width(comparison);
  const std::vector<Standing> table = standings(comparison, t);
  const auto line = [&](const std::string& label, const std::string& contacts, const auto& text_of_solver) {
    std::string text = fmt::format("{:<{}} {:>8}", label, names, contacts);
    for (int s = first; s < last; ++s) text += aligned(text_of_solver(s), column_width(comparison.solvers[at(s)]));
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };

  std::string text = line(fmt::format("tolerance {:.0e}", comparison.tolerances[at(t)]), "contacts",
                          [&](int s) { return comparison.solvers[at(s)]; });
  for (int p = 0; p < count(comparison.problems); ++p) {
    const int best = best_solver(comparison, t, p);
    text += line(comparison.problems[at(p)], fmt::format("{}", comparison.contacts[at(p)]),
                 [&](int s) { return cell(comparison.row(t, p, s), s == best); });
  }
  text += line(kReached, fmt::format("of {}", count(comparison.problems)),
               [&](int s) { return fmt::format("{}", table[at(s)].reached); });
  text += line(kFastest, "", [&](int s) { return fmt::format("{}", table[at(s)].wins); });
  text += line(kMeanRatio, "", [&](int s) {
    const double ratio = table[at(s)].mean_ratio;
    return std::isnan(ratio) ? std::string("-") : fmt::format("{:.2f}", ratio);
  });
  return text;
}

}  // namespace

std::string milliseconds_text(double seconds) {
  const double ms = 1e3 * seconds;
  const int decimals = ms < 0.1 ? 4 : ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0;
  return fmt::format("{:.{}f}", ms, decimals);
}

std::string comparison_table(const Comparison& comparison, int width) {
  std::string text;
  for (int t = 0; t < count(comparison.tolerances); ++t)
    for (int first = 0, last = 0; first < count(comparison.solvers); first = last) {
      int used = name_width(comparison) + 9;
      for (last = first; last < count(comparison.solvers); ++last) {
        used += column_width(comparison.solvers[at(last)]) + 1;
        if (used > width && last > first) break;
      }
      if (!text.empty()) text += "\n";
      text += block(comparison, t, first, last);
    }
  text += "\nTimes in ms, medians, * fastest. ";
  text += "A time stands only where the residual recomputed from the answer is within the\n";
  text += "tolerance; else: time (limit), iter (limit), stalled, numeric, infeas, ray, failed, LIED (said solved), ";
  text += "- cones not\ntaken. The mean is geometric, over the problems reached.\n";
  return text;
}

std::string comparison_details(const Comparison& comparison) {
  std::size_t solvers = 6;
  for (const std::string& name : comparison.solvers) solvers = std::max(solvers, name.size());
  const int names = name_width(comparison);
  std::string text =
      fmt::format("{:<{}} {:<{}} {:>7} {:<11} {:<15} {:>10} {:>7} {:>10} {:>10} {:>10} {:>9} {:>9}  {}\n", "problem",
                  names, "solver", solvers, "tol", "outcome", "status", "iterations", "solves", "median ms", "min ms",
                  "iqr ms", "natural", "m/s", "message");
  for (int p = 0; p < count(comparison.problems); ++p)
    for (int t = 0; t < count(comparison.tolerances); ++t)
      for (int s = 0; s < count(comparison.solvers); ++s) {
        const ComparisonRow& row = comparison.row(t, p, s);
        text += fmt::format("{:<{}} {:<{}} {:>7.0e} {:<11} ", comparison.problems[at(p)], names,
                            comparison.solvers[at(s)], solvers, comparison.tolerances[at(t)], name_of(row.outcome));
        if (row.outcome != Outcome::NotRun && row.outcome != Outcome::NotTaken)
          text += fmt::format("{:<15} {:>10} {:>7} {:>10} {:>10} {:>10} {:>9.2e} {:>9.2e}  {}", name_of(row.status),
                              row.iterations, row.solves, milliseconds_text(row.seconds),
                              milliseconds_text(row.seconds_min), milliseconds_text(row.seconds_spread),
                              row.residuals.natural_map, row.residuals.velocity_worst, row.message);
        text.erase(text.find_last_not_of(' ') + 1);
        text += "\n";
      }
  return text;
}

}  // namespace carom
