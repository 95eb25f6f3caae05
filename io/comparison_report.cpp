#include "io/comparison_report.h"

#include <fmt/format.h>

namespace carom {

namespace {

int count(const auto& list) { return static_cast<int>(list.size()); }
std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string comment_lines(const Comparison& comparison, const Machine& machine) {
  std::string text;
  for (const std::string& line : machine_lines(machine)) text += "# " + line + "\n";
  text += fmt::format("# protocol: cold start, at least {} solves, time limit {:g} s; residuals recomputed from r\n",
                      comparison.repeats, comparison.max_seconds);
  return text;
}

// Visits rows in the order tolerance, problem, solver.
template <class Visit>
void for_each_row(const Comparison& comparison, const Visit& visit) {
  for (int t = 0; t < count(comparison.tolerances); ++t)
    for (int p = 0; p < count(comparison.problems); ++p)
      for (int s = 0; s < count(comparison.solvers); ++s) visit(t, p, s, comparison.row(t, p, s));
}

// The columns that say which row it is.
std::string key(const Comparison& comparison, int t, int p, int s) {
  return fmt::format("{},{},{},{:g}", csv_field(comparison.problems[at(p)]), comparison.contacts[at(p)],
                     csv_field(comparison.solvers[at(s)]), comparison.tolerances[at(t)]);
}

bool ran(const ComparisonRow& row) { return row.outcome != Outcome::NotRun && row.outcome != Outcome::NotTaken; }

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c == '\n' || c == '\r' ? ' ' : c;
  }
  return quoted + '"';
}

std::string comparison_csv(const Comparison& comparison, const Machine& machine) {
  std::string text = comment_lines(comparison, machine);
  text +=
      "problem,contacts,solver,tolerance,outcome,status,best,iterations,solves,seconds_median,seconds_min,seconds_iqr,"
      "ratio_to_best,natural_map_residual,velocity_residual,message\n";
  for_each_row(comparison, [&](int t, int p, int s, const ComparisonRow& row) {
    text += fmt::format("{},{}", key(comparison, t, p, s), name_of(row.outcome));
    if (!ran(row)) {
      text += ",,,,,,,,,,,\n";
      return;
    }
    const int best = best_solver(comparison, t, p);
    const std::string ratio = row.reached() ? fmt::format("{:.6g}", ratio_to_best(comparison, t, p, s)) : std::string();
    text += fmt::format(",{},{},{},{},{:.6g},{:.6g},{:.6g},{},{:.6e},{:.6e},{}\n", name_of(row.status),
                        best == s ? 1 : 0, row.iterations, row.solves, row.seconds, row.seconds_min, row.seconds_spread,
                        ratio, row.residuals.natural_map, row.residuals.velocity_worst, csv_field(row.message));
  });
  return text;
}

std::string history_csv(const Comparison& comparison, const Machine& machine) {
  std::string text = comment_lines(comparison, machine);
  text += "problem,contacts,solver,tolerance,iteration,seconds,natural_map_residual,velocity_residual\n";
  for_each_row(comparison, [&](int t, int p, int s, const ComparisonRow& row) {
    for (const HistoryEntry& entry : row.history)
      text += fmt::format("{},{},{:.6g},{:.6e},{:.6e}\n", key(comparison, t, p, s), entry.iteration, entry.seconds,
                          entry.residuals.natural_map, entry.residuals.velocity_worst);
  });
  return text;
}

}  // namespace carom
