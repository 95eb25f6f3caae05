#include "io/comparison_report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "io/comparison_table.h"
#include "io/machine.h"

using namespace carom;

namespace {

// Two problems, three solvers, two tolerances: every outcome is somewhere.
Comparison sample() {
  Comparison c;
  c.problems = {"wall, \"dry\"", "<arch> & co"};
  c.contacts = {12, 345};
  c.solvers = {"first", "second", "third"};
  c.tolerances = {1e-4, 1e-8};
  c.max_seconds = 30;
  c.repeats = 3;
  const Outcome outcomes[] = {Outcome::Reached,    Outcome::Reached, Outcome::NotTaken, Outcome::NotReached,
                              Outcome::Lied,       Outcome::Reached, Outcome::Failed,   Outcome::Late,
                              Outcome::NotReached, Outcome::NotRun,  Outcome::NotRun,   Outcome::Reached};
  for (Outcome outcome : outcomes) {
    ComparisonRow row;
    row.outcome = outcome;
    row.status = outcome == Outcome::NotReached ? SolveStatus::Stalled : SolveStatus::Solved;
    row.seconds = 1e-3 * static_cast<double>(1 + c.rows.size());
    row.iterations = 5;
    row.message = outcome == Outcome::Failed ? "line one,\n\"line\" two" : "";
    c.rows.push_back(row);
  }
  c.row(1, 1, 2).history = {{0, 0.0, {}}, {10, 0.5, {}}};
  return c;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Fields of one line of CSV, as RFC 4180 reads them.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  return fields;
}

// Empty when every element is closed in order, no attribute or text holds a stray < or &, and there is one root.
std::string xml_complaint(const std::string& text) {
  std::vector<std::string> open;
  int roots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&') {
      const std::size_t end = text.find(';', i);
      if (end == std::string::npos || end - i > 6) return "stray & at " + text.substr(i, 20);
    }
    if (text[i] != '<') continue;
    const std::size_t end = text.find('>', i);
    if (end == std::string::npos) return "unclosed < at " + text.substr(i, 20);
    const std::string tag = text.substr(i + 1, end - i - 1);
    if (tag.find('<') != std::string::npos) return "stray < in " + tag;
    i = end;
    if (tag.starts_with("?")) continue;
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1)) return "unexpected " + tag;
      open.pop_back();
      continue;
    }
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "quotes in " + tag;
    if (open.empty()) ++roots;
    if (!tag.ends_with("/")) open.push_back(tag.substr(0, tag.find_first_of(" \n")));
  }
  if (!open.empty()) return "never closed: " + open.back();
  return roots == 1 ? "" : "not one root";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

int occurrences(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

double attribute(const std::string& element, const std::string& name) {
  const std::size_t at = element.find(" " + name + "=\"");
  REQUIRE_MESSAGE(at != std::string::npos, "no " << name << " in " << element);
  return std::stod(element.substr(at + name.size() + 3));
}

}  // namespace

TEST_CASE("every line of the table of solves has the columns of its header") {
  const Comparison c = sample();
  std::vector<std::vector<std::string>> rows;
  int comments = 0;
  for (const std::string& line : lines_of(comparison_csv(c, describe_machine())))
    if (line.starts_with("#"))
      ++comments;
    else
      rows.push_back(fields_of(line));
  CHECK(comments >= 5);
  REQUIRE(rows.size() == 1 + c.rows.size());
  for (const auto& row : rows) CHECK(row.size() == rows[0].size());
  CHECK(rows[1][0] == c.problems[0]);
  CHECK(rows[1][1] == "12");
  // row 1 is the fastest of its problem, row 2 takes twice as long
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin());
  };
  CHECK(rows[1][column("best")] == "1");
  CHECK(rows[2][column("best")] == "0");
  CHECK(std::stod(rows[2][column("ratio_to_best")]) == doctest::Approx(2));
  CHECK(rows[3][column("outcome")] == "not_taken");
  CHECK(rows[3][column("seconds_median")].empty());
  CHECK(rows[5][column("outcome")] == "lied");
  CHECK(rows[7][column("message")] == "line one, \"line\" two");
}

TEST_CASE("a file of measurements says what it was measured on") {
  const std::string text = comparison_csv(sample(), describe_machine());
  for (const char* part :
       {"# version: carom 0.", "# date: 2", "# processor: ", " cores", "# compiler: ", "time limit 30 s"})
    CHECK_MESSAGE(says(text, part), part);
}

TEST_CASE("histories are one line per entry") {
  const std::vector<std::string> lines = lines_of(history_csv(sample(), describe_machine()));
  REQUIRE(lines.size() > 3);
  CHECK(fields_of(lines[lines.size() - 3]).size() == 8);  // header
  CHECK(fields_of(lines.back())[4] == "10");
  CHECK(fields_of(lines.back())[5] == "0.5");
}

TEST_CASE("the profile is well-formed XML with a panel per tolerance and a name per curve") {
  const std::string svg = profile_svg(sample(), describe_machine());
  CHECK(xml_complaint(svg) == "");
  CHECK(occurrences(svg, ">tolerance ") == 2);
  for (const char* name : {"first", "second", "third"}) CHECK(occurrences(svg, std::string(">") + name) == 2);
  // curves: in the first panel all three reached something, in the second only the third
  CHECK(occurrences(svg, "class=\"curve ") == 3 + 1);
  CHECK(says(svg, "first 1/2"));
  CHECK(says(svg, "third 1/2"));
}

TEST_CASE("a solver's name cannot break the picture") {
  Comparison c = sample();
  c.solvers[0] = "a<b>&\"c\"";
  CHECK(xml_complaint(profile_svg(c, describe_machine())) == "");
}

TEST_CASE("names beside the curves keep their distance, however many end together") {
  Comparison c;
  c.problems = {"one"};
  c.contacts = {1};
  c.tolerances = {1e-8};
  for (int s = 0; s < 30; ++s) {
    c.solvers.push_back("solver" + std::to_string(s));
    ComparisonRow row;
    row.outcome = s % 3 == 0 ? Outcome::NotReached : Outcome::Reached;
    row.seconds = 1e-3 * (1 + s);
    c.rows.push_back(row);
  }
  const std::string svg = profile_svg(c, describe_machine());
  std::vector<double> heights;
  double lowest = 0;
  for (const std::string& line : lines_of(svg)) {
    if (line.starts_with("<svg")) lowest = attribute(line, "height");
    if (line.starts_with("<text") && says(line, "class=\"f")) heights.push_back(attribute(line, "y"));
  }
  REQUIRE(heights.size() == 30);
  std::sort(heights.begin(), heights.end());
  for (std::size_t k = 1; k < heights.size(); ++k) CHECK(heights[k] - heights[k - 1] >= 13.9);
  CHECK(heights.back() < lowest);
}

TEST_CASE("a table where nobody reached anything is still a picture") {
  Comparison c = sample();
  for (ComparisonRow& row : c.rows) row.outcome = Outcome::NotReached;
  CHECK(xml_complaint(profile_svg(c, describe_machine())) == "");
  CHECK(says(comparison_table(c, 200), "stalled"));
}

TEST_CASE("the printed table marks the fastest and says why a time is missing") {
  const std::string table = comparison_table(sample(), 200);
  CHECK(says(table, "1.00* "));
  for (const char* word : {"2.00", "LIED", "failed", "stalled", " -", " ."}) CHECK_MESSAGE(says(table, word), word);
  CHECK(occurrences(table, "tolerance 1e-0") == 2);
}

TEST_CASE("a table wider than the terminal is broken into blocks that fit") {
  for (int width : {40, 200}) {
    const std::vector<std::string> lines = lines_of(comparison_table(sample(), width));
    int heads = 0;
    for (const std::string& line : lines) {
      heads += line.starts_with("tolerance 1e");
      if (says(line, "wall") || says(line, "arch")) CHECK(line.size() <= static_cast<std::size_t>(width));
    }
    CHECK((width == 200 ? heads == 2 : heads > 2));
  }
}

TEST_CASE("times keep three digits from microseconds to minutes") {
  CHECK(milliseconds_text(1.234e-6) == "0.0012");
  CHECK(milliseconds_text(1.234e-4) == "0.123");
  CHECK(milliseconds_text(1.234e-3) == "1.23");
  CHECK(milliseconds_text(1.234e-2) == "12.3");
  CHECK(milliseconds_text(12.34) == "12340");
}

TEST_CASE("the machine is described") {
  const Machine machine = describe_machine();
  CHECK(!machine.processor.empty());
  CHECK(machine.cores >= 1);
  CHECK(says(machine.version, "carom"));
  CHECK(machine.date.size() == 16);
  CHECK(!machine.compiler.empty());
}
