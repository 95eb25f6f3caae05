#include "io/motion_table.h"

#include <fmt/format.h>

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

}  // namespace

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
