#include "io/toml_edit.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace carom {

namespace {

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// The part of a table or list that the word names; nullptr when there is none.
const TomlNode* child(const TomlNode& node, const std::string& word) {
  if (const auto* table = std::get_if<TomlEntries>(&node.value)) {
    for (const TomlEntry& entry : *table)
      if (entry.key == word) return &entry.node;
    return nullptr;
  }
  const auto* list = std::get_if<TomlArray>(&node.value);
  if (list == nullptr) return nullptr;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || number < 1 || number > list->size()) return nullptr;
  return &(*list)[number - 1];
}

bool is_number(const TomlNode& node) {
  return std::holds_alternative<std::int64_t>(node.value) || std::holds_alternative<double>(node.value);
}

}  // namespace

const TomlNode* find_node(const TomlNode& root, const std::string& path) {
  const TomlNode* node = &root;
  for (const std::string& word : parts_of(path)) {
    node = child(*node, word);
    if (node == nullptr) return nullptr;
  }
  return node;
}

namespace {

// The node at the path; missing tables and a missing last key are added.
TomlNode& reach(TomlNode& root, const std::string& path, const Place& place) {
  TomlNode* node = &root;
  const std::vector<std::string> parts = parts_of(path);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) throw InputError(place, "a path is words with dots between them", path);
    if (const TomlNode* found = child(*node, parts[i])) {
      node = const_cast<TomlNode*>(found);
      continue;
    }
    if (const auto* list = std::get_if<TomlArray>(&node->value))
      throw InputError(place, fmt::format("the list has {} elements, counted from 1", list->size()), parts[i]);
    auto* table = std::get_if<TomlEntries>(&node->value);
    if (table == nullptr) throw InputError(place, fmt::format("{} has no parts", type_name(*node)), path);
    TomlEntry entry{parts[i], 0, 0, {}};
    if (i + 1 == parts.size())
      entry.node.value = 0.0;
    else
      entry.node.value = TomlEntries{};
    table->push_back(std::move(entry));
    node = &table->back().node;
  }
  return *node;
}

void assign(TomlNode& node, double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    node.value = static_cast<std::int64_t>(value);
  else
    node.value = value;
}

}  // namespace

void set_number(TomlNode& root, const std::string& path, double value, const Place& place) {
  TomlNode& node = reach(root, path, place);
  if (!is_number(node)) throw InputError(place, fmt::format("is {}, not a number", type_name(node)), path);
  assign(node, value);
}

void set_numbers(TomlNode& root, const std::string& path, const std::vector<double>& values, const Place& place) {
  TomlNode& node = reach(root, path, place);
  TomlArray list(values.size(), TomlNode{0.0, node.line, node.column});
  for (std::size_t i = 0; i < values.size(); ++i) assign(list[i], values[i]);
  node.value = std::move(list);
}

}  // namespace carom
