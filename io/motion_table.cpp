#include "io/motion_table.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace carom {

namespace {

constexpr std::size_t kShownCharacters = 40;

struct Field {
  std::string_view text;
  int column = 0;  // from 1
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_separator(char c) { return c == ',' || c == ';'; }

// Blanks separate; a comma or semicolon separates too, and two of them in a row hold an empty field.
std::vector<Field> split(std::string_view line) {
  std::vector<Field> fields;
  bool expects_field = false;  // after a comma
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
    } else if (is_separator(line[at])) {
      if (expects_field || fields.empty()) fields.push_back({{}, static_cast<int>(at) + 1});
      expects_field = true;
      ++at;
    } else {
      const std::size_t begin = at;
      while (at < line.size() && !is_blank(line[at]) && !is_separator(line[at])) ++at;
      fields.push_back({line.substr(begin, at - begin), static_cast<int>(begin) + 1});
      expects_field = false;
    }
  }
  return fields;
}

std::optional<double> number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class TableParser {
 public:
  explicit TableParser(const std::string& file) : file_(file) {}

  void add_line(std::string_view line) {
    ++line_;
    const std::vector<Field> fields = split(line.substr(0, line.find('#')));
    if (fields.empty()) return;
    const bool may_be_header = !seen_content_;
    seen_content_ = true;
    if (may_be_header && !number(fields[0].text)) return;
    if (fields.size() != 2)
      fail(fields[0].column, "expected two columns, time and acceleration", fmt::format("{}", fields.size()));
    add_row(fields[0], fields[1]);
  }

  MotionTable finish() {
    if (table_.time.size() < 2)
      throw InputError({file_, 0, 0, ""}, "needs at least two rows of time and acceleration",
                       fmt::format("{}", table_.time.size()));
    return std::move(table_);
  }

 private:
  void add_row(const Field& first, const Field& second) {
    const double t = finite(first, "time"), a = finite(second, "acceleration");
    if (t < 0) fail(first.column, "time must be >= 0", fmt::format("{}", t));
    if (!table_.time.empty() && t <= table_.time.back())
      fail(first.column, "time must increase from row to row", fmt::format("{} after {}", t, table_.time.back()));
    table_.time.push_back(t);
    table_.acceleration.push_back(a);
  }

  double finite(const Field& field, const char* what) const {
    const std::optional<double> value = number(field.text);
    if (!value)
      fail(field.column, fmt::format("{} is not a number", what),
           fmt::format("\"{}\"", field.text.substr(0, kShownCharacters)));
    if (!std::isfinite(*value)) fail(field.column, fmt::format("{} must be finite", what), std::string(field.text));
    return *value;
  }

  [[noreturn]] void fail(int column, const std::string& problem, const std::string& value) const {
    throw InputError({file_, line_, column, ""}, problem, value);
  }

  const std::string& file_;
  MotionTable table_;
  int line_ = 0;
  bool seen_content_ = false;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

// The number after "NAME=", or nothing.
std::optional<double> number_after(const std::string& line, const std::string& name) {
  const std::size_t at = line.find(name);
  if (at == std::string::npos) return std::nullopt;
  std::size_t from = line.find_first_not_of(" \t", at + name.size());
  if (from == std::string::npos || line[from] != '=') return std::nullopt;
  const std::vector<Field> fields = split(std::string_view(line).substr(from + 1));
  return fields.empty() ? std::nullopt : number(fields[0].text);
}

// Number of points and their interval from the fourth line of a record.
std::optional<std::pair<double, double>> points_and_interval(std::string_view text) {
  const std::string line = upper_case(text);
  if (line.find("NPTS") == std::string::npos || line.find("DT") == std::string::npos) return std::nullopt;
  std::optional<double> points = number_after(line, "NPTS"), interval = number_after(line, "DT");
  if (!points && !interval) {  // 4000 0.0050 NPTS, DT
    const std::vector<Field> fields = split(line);
    if (fields.size() >= 2) points = number(fields[0].text), interval = number(fields[1].text);
  }
  if (!points || !interval) return std::nullopt;
  return std::pair(*points, *interval);
}

}  // namespace

MotionTable parse_at2(const std::string& text, const std::string& file) {
  constexpr int kHeaderLines = 4;
  constexpr double kStandardGravity = 9.80665;  // m/s^2
  const auto fail = [&](std::size_t line, int column, const std::string& problem, std::string_view value) {
    throw InputError({file, static_cast<int>(line), column, ""}, problem,
                     fmt::format("\"{}\"", value.substr(0, kShownCharacters)));
  };
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.size() <= kHeaderLines)
    throw InputError({file, 0, 0, ""}, "is no .AT2 record: four header lines and then accelerations",
                     fmt::format("{} lines", lines.size()));
  const std::string units = upper_case(lines[2]);
  if (units.find("ACCELERATION") == std::string::npos ||
      (units.find("UNITS OF G") == std::string::npos && units.find("IN G") == std::string::npos))
    fail(3, 1, "the third line of an .AT2 record says \"ACCELERATION TIME SERIES IN UNITS OF G\"", lines[2]);
  const auto header = points_and_interval(lines[3]);
  if (!header) fail(4, 1, "the fourth line of an .AT2 record gives NPTS= and DT=", lines[3]);
  const auto [points, interval] = *header;
  if (!(points >= 2) || points != std::floor(points) || points > 1e8)
    fail(4, 1, "NPTS must be a whole number of points, at least 2", lines[3]);
  if (!(interval > 0) || !std::isfinite(interval)) fail(4, 1, "DT must be finite and > 0 (s)", lines[3]);

  MotionTable table;
  for (std::size_t i = kHeaderLines; i < lines.size(); ++i)
    for (const Field& field : split(lines[i])) {
      const std::optional<double> value = number(field.text);
      if (!value || !std::isfinite(*value)) fail(i + 1, field.column, "acceleration is not a finite number", field.text);
      table.time.push_back(interval * static_cast<double>(table.time.size()));
      table.acceleration.push_back(kStandardGravity * *value);
    }
  if (table.time.size() != static_cast<std::size_t>(points))
    throw InputError({file, 4, 1, ""}, fmt::format("the header promises {} points", points),
                     fmt::format("{}", table.time.size()));
  return table;
}

MotionTable parse_motion_file(const std::string& text, const std::string& file) {
  return upper_case(file).ends_with(".AT2") ? parse_at2(text, file) : parse_motion_table(text, file);
}

MotionTable parse_motion_table(const std::string& text, const std::string& file) {
  TableParser parser(file);
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // byte order mark of a spreadsheet
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    parser.add_line(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return parser.finish();
}

}  // namespace carom
