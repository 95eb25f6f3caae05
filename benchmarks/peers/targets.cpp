#include "benchmarks/peers/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/error.h"
#include "io/text_file.h"

namespace carom::peers {

namespace {

constexpr const char* kPreferred = "auto";

int count(const auto& list) { return static_cast<int>(list.size()); }
std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Ours against others, problem by problem: a time each, infinite where there is none.
struct Duel {
  int problems = 0, solved = 0, faster = 0, both = 0;
  double logarithms = 0;

  void add(double our_seconds, double their_seconds) {
    ++problems;
    if (!std::isfinite(our_seconds)) return;
    ++solved;
    faster += our_seconds < their_seconds;
    if (!std::isfinite(their_seconds)) return;
    ++both;
    logarithms += std::log(our_seconds / their_seconds);
  }
  std::string text(const std::string& opponent) const {
    if (problems == 0) return fmt::format("no problem in common with {}", opponent);
    return fmt::format("faster than {} on {} of {} ({:.0f}%), time ratio {:.2f} over the {} both solved", opponent,
                       faster, problems, 100.0 * faster / problems, std::exp(logarithms / std::max(1, both)), both);
  }
};

double best_seconds(const Comparison& comparison, int t, int p, const std::vector<int>& among) {
  const int best = best_solver(comparison, t, p, among);
  return best < 0 ? std::numeric_limits<double>::infinity() : comparison.row(t, p, best).seconds;
}

// Who speaks for us: auto where it is in the table, and the best of all of ours.
struct Champion {
  std::string name;
  std::vector<int> solvers;
};
std::vector<Champion> champions(const Comparison& comparison, const std::vector<int>& ours) {
  std::vector<Champion> list;
  for (int s : ours)
    if (comparison.solvers[at(s)] == kPreferred) list.push_back({kPreferred, {s}});
  list.push_back({"best of ours", ours});
  return list;
}

}  // namespace

std::string target_lines(const Comparison& comparison, const std::vector<int>& ours, const std::vector<int>& peers,
                         const std::string& named_peer) {
  std::vector<int> named;
  for (int s : peers)
    if (comparison.solvers[at(s)] == named_peer) named.push_back(s);
  std::string text;
  for (int t = 0; t < count(comparison.tolerances); ++t)
    for (const Champion& champion : champions(comparison, ours)) {
      Duel against_best, against_named;
      for (int p = 0; p < count(comparison.problems); ++p) {
        const double seconds = best_seconds(comparison, t, p, champion.solvers);
        against_best.add(seconds, best_seconds(comparison, t, p, peers));
        if (!named.empty()) against_named.add(seconds, best_seconds(comparison, t, p, named));
      }
      const std::string head = fmt::format("{:.0e}  {:<12}", comparison.tolerances[at(t)], champion.name);
      text += fmt::format("{}  solved {} of {}; {}\n", head, against_best.solved, against_best.problems,
                          against_best.text("the fastest peer"));
      if (!named.empty()) text += fmt::format("{}  {}\n", head, against_named.text(named_peer));
    }
  return text;
}

std::string recorded_lines(const Comparison& comparison, const std::vector<int>& ours, const std::string& csv_file) {
  std::istringstream lines(read_text_file(csv_file));
  const auto split = [](const std::string& line) {
    std::vector<std::string> fields(1);
    for (char c : line)
      if (c == ',')
        fields.emplace_back();
      else if (c != '\r')
        fields.back() += c;
    return fields;
  };
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> header = split(line);
  const auto column = [&](const char* name) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) throw InputError({csv_file, 1, 0, name}, "no such column");
    return static_cast<std::size_t>(found - header.begin());
  };
  const std::size_t problem = column("problem"), tolerance = column("tolerance"), time = column("best_peer_ms");

  std::vector<std::vector<std::string>> rows;
  while (std::getline(lines, line))
    if (std::vector<std::string> fields = split(line); fields.size() == header.size())
      rows.push_back(std::move(fields));
  std::string text;
  for (int t = 0; t < count(comparison.tolerances); ++t)
    for (const Champion& champion : champions(comparison, ours)) {
      Duel duel;
      for (const auto& row : rows) {
        const auto found = std::find(comparison.problems.begin(), comparison.problems.end(), row[problem]);
        const double recorded = std::strtod(row[tolerance].c_str(), nullptr);
        if (found == comparison.problems.end() || std::abs(recorded / comparison.tolerances[at(t)] - 1) > 1e-6)
          continue;
        const int p = static_cast<int>(found - comparison.problems.begin());
        duel.add(best_seconds(comparison, t, p, champion.solvers),
                 row[time].empty() ? std::numeric_limits<double>::infinity()
                                   : 1e-3 * std::strtod(row[time].c_str(), nullptr));
      }
      text += fmt::format("{:.0e}  {:<12}  {}\n", comparison.tolerances[at(t)], champion.name,
                          duel.text("the recorded best"));
    }
  return text;
}

}  // namespace carom::peers
