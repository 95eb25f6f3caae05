#include "app/option_text.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "base/error.h"

namespace carom {

namespace {

// true, 12, 1e-9 or a word: what the text looks like.
OptionValue parse_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  const char *begin = text.data(), *end = begin + text.size();
  std::int64_t whole = 0;
  if (const auto [stop, error] = std::from_chars(begin, end, whole); error == std::errc{} && stop == end) return whole;
  double real = 0;
  if (const auto [stop, error] = std::from_chars(begin, end, real); error == std::errc{} && stop == end) return real;
  return text;
}

std::string range_text(const OptionRange& range) {
  // The largest numbers are there to keep infinities out; nobody wants to read them.
  const bool low = range.low > std::numeric_limits<double>::lowest(),
             high = range.high < std::numeric_limits<double>::max();
  if (low && high) return range.open ? "in " + range.text() : fmt::format("{:g} to {:g}", range.low, range.high);
  if (low) return fmt::format("{} {:g}", range.open ? ">" : ">=", range.low);
  if (high) return fmt::format("{} {:g}", range.open ? "<" : "<=", range.high);
  return "";
}

}  // namespace

void add_option_value(OptionValues& values, const std::string& name, const std::string& text) {
  if (!values.emplace(name, parse_value(text)).second)
    throw InputError({"", 0, 0, "--option " + name}, "is given twice", text);
}

OptionValues parse_options(const std::vector<std::string>& arguments) {
  OptionValues values;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == argument.size())
      throw InputError({"", 0, 0, "--option"}, "must read name=value", argument);
    add_option_value(values, argument.substr(0, equals), argument.substr(equals + 1));
  }
  return values;
}

std::string described(const std::string& name, const std::string& summary, const std::vector<OptionInfo>& options) {
  std::string text = fmt::format("{}: {}\n", name, summary);
  for (const OptionInfo& option : options) {
    std::string about = fmt::format("{}, default {}", option.type, option.default_value);
    const std::string range = range_text(option.range);
    if (!range.empty()) about += ", " + range;
    if (!option.unit.empty()) about += ", " + option.unit;
    text += fmt::format("  {:<22} {}\n  {:<22} ({})\n", option.name, option.help, "", about);
  }
  return text;
}

}  // namespace carom
