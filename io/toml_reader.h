// A typed cursor over a TOML tree. It knows its path ("body[3].radius") and its line and column, checks types and
// ranges, and remembers which keys were asked for, so that any other key is an error with a suggestion.
//
//     TomlTable run = root.table("run");
//     const double step = run.need("step").real(positive());
//     const double theta = run.real("theta", within(0.5, 1), 0.5);
//     run.finish();
//
// Every complaint is an InputError with file, line, column, path and value.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/types.h"
#include "io/toml_document.h"

namespace carom {

// The candidate a misspelt word most likely meant: fewest edits (insert, delete, replace, swap neighbours),
// case ignored, the first on a tie; empty when none is close.
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

// "; did you mean \"x\"?" or, with nothing close, "; valid are a, b, c" (or "" without candidates).
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

// Reals a key accepts. NaN and infinity are never accepted.
struct RealRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false;

  bool contains(double x) const { return (low_excluded ? x > low : x >= low) && x <= high; }
  std::string text() const;  // "> 0", ">= 0", "in [0, 1]"
};
inline RealRange any_real() { return {}; }
inline RealRange positive() { return {0, std::numeric_limits<double>::infinity(), true}; }
inline RealRange not_negative() { return {0, std::numeric_limits<double>::infinity(), false}; }
inline RealRange within(double low, double high) { return {low, high, false}; }

class TomlTable;

// One value. Refers to the tree, which must outlive it.
class TomlValue {
 public:
  TomlValue(const TomlNode& node, const std::string& file, std::string path)
      : node_(&node), file_(&file), path_(std::move(path)) {}

  Place place() const { return {*file_, node_->line, node_->column, path_}; }
  const std::string& path() const { return path_; }
  const TomlNode& node() const { return *node_; }
  bool is_flag() const { return std::holds_alternative<bool>(node_->value); }
  bool is_number() const;
  bool is_text() const { return std::holds_alternative<std::string>(node_->value); }
  bool is_list() const { return std::holds_alternative<TomlArray>(node_->value); }
  bool is_table() const { return std::holds_alternative<TomlEntries>(node_->value); }

  double real(const RealRange& range = {}) const;  // integers are reals too
  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  bool flag() const;
  const std::string& text() const;
  Vec3 vector3(const RealRange& range = {}) const;  // [x, y, z]
  Vec3 direction() const;                           // [x, y, z], not zero; returned with length 1
  std::vector<double> reals(std::size_t count, const RealRange& range = {}) const;
  std::vector<TomlValue> items() const;
  TomlTable table() const;
  // The index of the text among the choices.
  std::size_t choice(std::span<const std::string> choices) const;
  template <class T>
  T choice(std::initializer_list<std::pair<const char*, T>> choices) const {
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) names.emplace_back(name);
    return (choices.begin() + choice(names))->second;
  }

  [[noreturn]] void fail(const std::string& problem) const;          // with the value as "got"
  [[noreturn]] void fail_plainly(const std::string& problem) const;  // without
  [[noreturn]] void fail_type(const std::string& expected) const;    // "expected ..., found ..."

 private:
  const TomlNode* node_;
  const std::string* file_;
  std::string path_;
};

// One table, with the keys asked for so far. Refers to the tree, which must outlive it.
class TomlTable {
 public:
  TomlTable(const TomlNode& node, const std::string& file, std::string path);

  Place place() const { return {*file_, node_->line, node_->column, path_}; }
  const std::string& file() const { return *file_; }
  const std::string& path() const { return path_; }
  bool empty() const { return entries().empty(); }
  std::vector<std::string> keys() const;  // in the order of the text

  bool has(const std::string& key) const;                 // asks nothing
  std::optional<TomlValue> find(const std::string& key);  // nullopt when absent
  TomlValue need(const std::string& key);                 // absent: an error, aware of misspellings
  double real(const std::string& key, const RealRange& range, double fallback);
  std::int64_t integer(const std::string& key, std::int64_t low, std::int64_t high, std::int64_t fallback);
  bool flag(const std::string& key, bool fallback);
  std::string text(const std::string& key, const std::string& fallback);
  Vec3 vector3(const std::string& key, const Vec3& fallback);
  std::optional<TomlTable> table(const std::string& key);  // [key]
  std::vector<TomlTable> tables(const std::string& key);   // [[key]]

  void allow(const std::string& key);                           // valid here, read elsewhere
  void forbid(const std::string& key, const std::string& why);  // when present: an error that tells why
  void forbid_both(const std::string& a, const std::string& b);
  void finish() const;  // a key nobody asked for is an error

  [[noreturn]] void fail(const std::string& problem, const std::string& value = {}) const;

 private:
  const TomlEntries& entries() const { return std::get<TomlEntries>(node_->value); }
  const TomlEntry* entry(const std::string& key) const;
  std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  bool asked(const std::string& key) const;
  [[noreturn]] void fail_unknown(const TomlEntry& entry, std::span<const std::string> candidates) const;

  const TomlNode* node_;
  const std::string* file_;
  std::string path_;
  std::vector<std::string> asked_;  // in the order of asking
};

}  // namespace carom
