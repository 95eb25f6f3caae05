#include "app/reproduce.h"

#include <fmt/format.h>

#include <cmath>

#include "app/command.h"
#include "io/json.h"
#include "app/terminal.h"
#include "base/timer.h"
#include "io/reproduction/reproduction.h"

namespace carom {

namespace {

std::string number(double x) { return std::isnan(x) ? "-" : fmt::format("{:.6g}", x == 0 ? 0.0 : x); }

std::string figure_line(int section, const Figure& figure, std::size_t width) {
  const double reference = std::isnan(figure.corrected) ? figure.published : figure.corrected;
  const std::string mark = figure.note != 0 ? fmt::format(" ({})", figure.note) : "";
  return fmt::format("{:>2}  {:<{}}  {:>11}  {:>11}  {:>10}  {:>9}  {}{}\n", section, figure.quantity, width,
                     number(figure.published), number(figure.ours), fmt::format("{:.1e}", figure.ours - reference),
                     std::isnan(figure.tolerance) ? "-" : fmt::format("{:.0e}", figure.tolerance),
                     name_of(figure.verdict()), mark);
}

void print_section(const ReproducedSection& section, double seconds) {
  std::size_t width = 8;
  for (const Figure& figure : section.figures) width = std::max(width, figure.quantity.size());
  std::string text = fmt::format("{}. {}  ({})\n", section.number, section.title, duration_text(seconds));
  text += fmt::format("{:>2}  {:<{}}  {:>11}  {:>11}  {:>10}  {:>9}  {}\n", "", "quantity", width, "published", "ours",
                      "difference", "tolerance", "verdict");
  for (const Figure& figure : section.figures) text += figure_line(section.number, figure, width);
  for (const auto& [letter, note] : section.notes) text += fmt::format("    ({}) {}\n", letter, note);
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

JsonObject section_json(const ReproducedSection& section, double seconds) {
  JsonObject json, notes;
  std::vector<JsonObject> figures;
  for (const Figure& figure : section.figures) {
    JsonObject entry;
    entry.add("quantity", figure.quantity);
    entry.add("published", figure.published);
    entry.add("corrected", figure.corrected);
    entry.add("ours", figure.ours);
    entry.add("tolerance", figure.tolerance);
    entry.add("verdict", name_of(figure.verdict()));
    if (figure.note != 0) entry.add("note", std::string(1, figure.note));
    figures.push_back(entry);
  }
  for (const auto& [letter, note] : section.notes) notes.add(std::string(1, letter), note);
  json.add("section", section.number);
  json.add("title", section.title);
  json.add("seconds", seconds);
  json.add("figures", figures);
  json.add("notes", notes);
  return json;
}

struct Counts {
  int agree = 0, corrected = 0, shown = 0, missed = 0;

  void add(const Figure& figure) {
    switch (figure.verdict()) {
      case Verdict::Agrees:
        ++agree;
        return;
      case Verdict::Corrected:
        ++corrected;
        return;
      case Verdict::Shown:
        ++shown;
        return;
      case Verdict::Missed:
        ++missed;
        return;
    }
  }
};

}  // namespace

int reproduce(int only, double tighten, bool json) {
  Counts counts;
  std::vector<JsonObject> sections;
  std::vector<int> missing;
  const Stopwatch watch;
  for (int number = only > 0 ? only : 1; number <= (only > 0 ? only : kSections); ++number) {
    const Stopwatch section_watch;
    ReproducedSection section = reproduce_section(number);
    for (Figure& figure : section.figures) figure.tolerance /= tighten;
    for (const Figure& figure : section.figures) counts.add(figure);
    if (section.missed() > 0) missing.push_back(number);
    if (json)
      sections.push_back(section_json(section, section_watch.seconds()));
    else
      print_section(section, section_watch.seconds());
  }
  const int code = counts.missed == 0 ? kSuccess : kRunFailed;
  if (json) {
    JsonObject whole;
    whole.add("exit_code", code);
    whole.add("agree", counts.agree);
    whole.add("corrected", counts.corrected);
    whole.add("shown", counts.shown);
    whole.add("missed", counts.missed);
    whole.add("sections", sections);
    fmt::print("{}\n", whole.text());
  } else {
    fmt::print("{} figures agree, {} agree with a corrected value, {} are shown, {} are missed; {}\n", counts.agree,
               counts.corrected, counts.shown, counts.missed, duration_text(watch.seconds()));
  }
  if (code != kSuccess)
    print_error(
        fmt::format("{} published figures were missed, in sections {}", counts.missed, fmt::join(missing, ", ")));
  return code;
}

}  // namespace carom
