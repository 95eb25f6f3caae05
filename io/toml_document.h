// A TOML text as a plain tree that remembers where everything stands. The parser behind it (toml++) is seen by
// toml_document.cpp alone.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace carom {

struct TomlNode;
struct TomlEntry;

using TomlArray = std::vector<TomlNode>;
using TomlEntries = std::vector<TomlEntry>;  // a table, in the order of the text

struct TomlDate {
  std::string text;
};

struct TomlNode {
  std::variant<bool, std::int64_t, double, std::string, TomlDate, TomlArray, TomlEntries> value;
  int line = 0;  // both from 1, of the value's first character
  int column = 0;
};

struct TomlEntry {
  std::string key;
  int line = 0;  // of the key
  int column = 0;
  TomlNode node;
};

// The root table of the text. Throws InputError with `file`, line and column when it is not TOML or nests too deeply.
TomlNode parse_toml(const std::string& text, const std::string& file);

// "a real number", "a text", ...: what a value is, for messages.
std::string type_name(const TomlNode& node);

// The value as written in TOML, shortened to about 60 characters.
std::string short_text(const TomlNode& node);

}  // namespace carom
