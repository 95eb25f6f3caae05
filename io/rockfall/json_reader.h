// JSON as a tree that remembers lines, for GeoJSON.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"

namespace carom {

struct JsonValue {
  using List = std::vector<JsonValue>;
  using Fields = std::vector<std::pair<std::string, JsonValue>>;  // in the order of the text
  std::variant<std::nullptr_t, bool, double, std::string, List, Fields> value = nullptr;
  int line = 0;  // from 1

  const JsonValue* find(const std::string& key) const;  // nullptr: no such field, or no object
  const List* list() const { return std::get_if<List>(&value); }
  const double* number() const { return std::get_if<double>(&value); }
  const std::string* text() const { return std::get_if<std::string>(&value); }
};

// Throws InputError with file and line when the text is not JSON.
JsonValue parse_json(const std::string& text, const std::string& file);

}  // namespace carom
