#include "io/toml_document.h"

#include <fmt/format.h>

// Where toml++ is compiled into this file and not linked, a header like "[=]" fails an assertion of its parser before
// it is rejected properly; bad input must not abort.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/error.h"

namespace carom {

namespace {

constexpr int kMaxDottedDepth = 64;
constexpr std::size_t kShownCharacters = 60;

// Two things that toml++ 3.3 does not survive on its own. It limits nested brackets but not dotted keys, and takes its
// tables apart by recursion: a key of 500,000 dots would overflow the stack. And a character beyond ASCII outside
// strings and comments, where TOML has none, runs into undefined behaviour before it is rejected. This walks the text
// once, past strings and comments, to reject both.
class TextCheck {
 public:
  TextCheck(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  void run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_begin_ = 3;  // a byte order mark is allowed
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
      } else if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        check_outside_strings(c);
        ++at_;
      }
    }
  }

 private:
  void check_outside_strings(char c) {
    if (static_cast<unsigned char>(c) >= 0x80)
      fail("not valid TOML: letters beyond ASCII stand in quotes or comments only");
    if (c == '.') {
      if (++dots_ > kMaxDottedDepth) fail(fmt::format("a key with more than {} dots", kMaxDottedDepth));
    } else if (c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}') {
      dots_ = 0;
    }
    if (c == '\n') start_line(at_ + 1);
  }

  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool multi_line = text_.compare(at_, 3, triple) == 0;
    at_ += multi_line ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;  // the escaped character is looked at by nobody, unless it ends the line
        if (at_ < text_.size() && text_[at_] == '\n') start_line(at_ + 1);
      } else if (text_[at_] == '\n') {
        if (!multi_line) return;
        start_line(at_ + 1);
      } else if (multi_line ? text_.compare(at_, 3, triple) == 0 : text_[at_] == quote) {
        at_ += multi_line ? 3 : 1;
        // A multi-line string may end with up to two quotes of its own before the closing three.
        for (int extra = 0; multi_line && extra < 2 && at_ < text_.size() && text_[at_] == quote; ++extra) ++at_;
        return;
      }
      ++at_;
    }
  }

  void start_line(std::size_t begin) {
    ++line_;
    line_begin_ = begin;
  }

  [[noreturn]] void fail(const std::string& problem) const {
    const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const auto before = std::count_if(text_.begin() + static_cast<std::ptrdiff_t>(line_begin_),
                                      text_.begin() + static_cast<std::ptrdiff_t>(at_), begins_character);
    throw InputError({file_, line_, static_cast<int>(before) + 1, ""}, problem);
  }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;
  int dots_ = 0;  // since the last character that cannot be inside a key
};

TomlNode convert(const toml::node& node);

TomlNode place_of(const toml::node& node) {
  TomlNode out;
  out.line = static_cast<int>(node.source().begin.line);
  out.column = static_cast<int>(node.source().begin.column);
  return out;
}

TomlEntries convert_table(const toml::table& table) {
  TomlEntries entries;
  entries.reserve(table.size());
  for (auto&& [key, value] : table) {
    const toml::source_position at = key.source().begin;
    entries.push_back({std::string(key.str()), static_cast<int>(at.line), static_cast<int>(at.column), convert(value)});
  }
  // toml++ sorts by name; the order of the text is what a reader expects messages and materials to follow.
  std::stable_sort(entries.begin(), entries.end(), [](const TomlEntry& a, const TomlEntry& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  return entries;
}

template <class T>
std::string streamed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TomlNode convert(const toml::node& node) {
  TomlNode out = place_of(node);
  switch (node.type()) {
    case toml::node_type::boolean:
      out.value = node.as_boolean()->get();
      break;
    case toml::node_type::integer:
      out.value = node.as_integer()->get();
      break;
    case toml::node_type::floating_point:
      out.value = node.as_floating_point()->get();
      break;
    case toml::node_type::string:
      out.value = node.as_string()->get();
      break;
    case toml::node_type::date:
      out.value = TomlDate{streamed(node.as_date()->get())};
      break;
    case toml::node_type::time:
      out.value = TomlDate{streamed(node.as_time()->get())};
      break;
    case toml::node_type::date_time:
      out.value = TomlDate{streamed(node.as_date_time()->get())};
      break;
    case toml::node_type::array: {
      TomlArray items;
      items.reserve(node.as_array()->size());
      for (const toml::node& item : *node.as_array()) items.push_back(convert(item));
      out.value = std::move(items);
      break;
    }
    case toml::node_type::table:
      out.value = convert_table(*node.as_table());
      break;
    case toml::node_type::none:
      break;
  }
  return out;
}

struct TypeNamer {
  std::string operator()(bool) const { return "a flag (true or false)"; }
  std::string operator()(std::int64_t) const { return "an integer"; }
  std::string operator()(double value) const {
    return std::isnan(value) ? "nan" : std::isinf(value) ? "infinity" : "a real number";
  }
  std::string operator()(const std::string&) const { return "a text"; }
  std::string operator()(const TomlDate&) const { return "a date or time"; }
  std::string operator()(const TomlArray& items) const {
    return items.empty() ? "an empty list" : fmt::format("a list of {}", items.size());
  }
  std::string operator()(const TomlEntries&) const { return "a table"; }
};

void append_text(const TomlNode& node, std::string& out);

struct TextAppender {
  std::string& out;
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(std::int64_t value) const { out += fmt::format("{}", value); }
  void operator()(double value) const { out += fmt::format("{}", value); }
  void operator()(const std::string& value) const { out += fmt::format("\"{}\"", value.substr(0, kShownCharacters)); }
  void operator()(const TomlDate& value) const { out += value.text; }
  void operator()(const TomlArray& items) const {
    out += "[";
    for (std::size_t i = 0; i < items.size() && out.size() <= kShownCharacters; ++i) {
      if (i > 0) out += ", ";
      append_text(items[i], out);
    }
    out += "]";
  }
  void operator()(const TomlEntries& entries) const {
    out += "{";
    for (std::size_t i = 0; i < entries.size() && out.size() <= kShownCharacters; ++i) {
      out += (i > 0 ? ", " : "") + entries[i].key + " = ";
      append_text(entries[i].node, out);
    }
    out += "}";
  }
};

void append_text(const TomlNode& node, std::string& out) { std::visit(TextAppender{out}, node.value); }

}  // namespace

TomlNode parse_toml(const std::string& text, const std::string& file) {
  TextCheck(text, file).run();
  try {
    return convert(toml::parse(text));
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw InputError({file, static_cast<int>(at.line), static_cast<int>(at.column), ""},
                     fmt::format("not valid TOML: {}", error.description()));
  }
}

std::string type_name(const TomlNode& node) { return std::visit(TypeNamer{}, node.value); }

std::string short_text(const TomlNode& node) {
  std::string text;
  append_text(node, text);
  if (text.size() <= kShownCharacters) return text;
  // Never cut inside a UTF-8 character.
  std::size_t end = kShownCharacters;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

}  // namespace carom
