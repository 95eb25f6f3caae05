#include "io/toml_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace carom {

namespace {

// Optimal string alignment distance: edits and swaps of neighbours, each costing 1.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> two_ago(width), previous(width), row(width);
  for (std::size_t j = 0; j < width; ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], two_ago[j - 2] + 1);
    }
    std::swap(two_ago, previous);
    std::swap(previous, row);
  }
  return previous[b.size()];
}

constexpr std::size_t kLongestComparedName = 64;

}  // namespace

std::string nearest_name(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t fewest = std::string::npos;
  if (word.size() > kLongestComparedName) return best;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestComparedName) continue;
    // Close: at most a third of the letters are wrong; one letter may always be.
    const std::size_t close = std::max<std::size_t>(1, std::min(word.size(), candidate.size()) / 3);
    const std::size_t length_gap = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
    if (length_gap > close) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance <= close && distance < fewest && distance < word.size()) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  if (candidates.empty()) return {};
  const std::string nearest = nearest_name(word, candidates);
  if (!nearest.empty()) return fmt::format("; did you mean \"{}\"?", nearest);
  constexpr std::size_t kListed = 40;
  const auto listed = candidates.first(std::min(kListed, candidates.size()));
  return fmt::format("; valid here: {}{}", fmt::join(listed, ", "), candidates.size() > kListed ? ", ..." : "");
}

std::string RealRange::text() const {
  const bool below = std::isfinite(low), above = std::isfinite(high);
  if (below && above) return fmt::format("in {}{}, {}]", low_excluded ? "(" : "[", low, high);
  if (below) return fmt::format("{} {}", low_excluded ? ">" : ">=", low);
  if (above) return fmt::format("<= {}", high);
  return "a finite number";
}

// ---- TomlValue ----

void TomlValue::fail(const std::string& problem) const { throw InputError(place(), problem, short_text(*node_)); }

void TomlValue::fail_plainly(const std::string& problem) const { throw InputError(place(), problem); }

void TomlValue::fail_type(const std::string& expected) const {
  fail(fmt::format("expected {}, found {}", expected, type_name(*node_)));
}

bool TomlValue::is_number() const {
  return std::holds_alternative<std::int64_t>(node_->value) || std::holds_alternative<double>(node_->value);
}

double TomlValue::real(const RealRange& range) const {
  double value = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&node_->value))
    value = static_cast<double>(*whole);
  else if (const auto* real = std::get_if<double>(&node_->value))
    value = *real;
  else
    fail_type("a number");
  if (!std::isfinite(value))
    fail(fmt::format("must be a finite number, not {}", std::isnan(value) ? "NaN" : "infinity"));
  if (!range.contains(value)) fail(fmt::format("must be {}", range.text()));
  return value;
}

std::int64_t TomlValue::integer(std::int64_t low, std::int64_t high) const {
  const auto* value = std::get_if<std::int64_t>(&node_->value);
  if (value == nullptr) fail_type("an integer");
  if (*value < low || *value > high) {
    if (high == std::numeric_limits<std::int64_t>::max()) fail(fmt::format("must be >= {}", low));
    fail(fmt::format("must be an integer in [{}, {}]", low, high));
  }
  return *value;
}

bool TomlValue::flag() const {
  const auto* value = std::get_if<bool>(&node_->value);
  if (value == nullptr) fail_type("true or false");
  return *value;
}

const std::string& TomlValue::text() const {
  const auto* value = std::get_if<std::string>(&node_->value);
  if (value == nullptr) fail_type("a text in quotes");
  return *value;
}

std::vector<double> TomlValue::reals(std::size_t count, const RealRange& range) const {
  const auto* list = std::get_if<TomlArray>(&node_->value);
  if (list == nullptr || list->size() != count) fail_type(fmt::format("a list of {} numbers", count));
  std::vector<double> values;
  for (const TomlValue& item : items()) values.push_back(item.real(range));
  return values;
}

Vec3 TomlValue::vector3(const RealRange& range) const {
  const std::vector<double> values = reals(3, range);
  return {values[0], values[1], values[2]};
}

Vec3 TomlValue::direction() const {
  const Vec3 v = vector3();
  const double length = v.stableNorm();
  if (!(length > 0)) fail("must not be the zero vector");
  if (!std::isfinite(length)) fail("is too large to be a direction");
  // Dividing by the largest component first keeps tiny and huge vectors accurate.
  return (v / v.cwiseAbs().maxCoeff()).normalized();
}

std::vector<TomlValue> TomlValue::items() const {
  const auto* list = std::get_if<TomlArray>(&node_->value);
  if (list == nullptr) fail_type("a list");
  std::vector<TomlValue> values;
  values.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i)
    values.emplace_back((*list)[i], *file_, fmt::format("{}[{}]", path_, i));
  return values;
}

TomlTable TomlValue::table() const {
  if (!is_table()) fail_type("a table");
  return {*node_, *file_, path_};
}

std::size_t TomlValue::choice(std::span<const std::string> choices) const {
  const std::string& word = text();
  const auto found = std::find(choices.begin(), choices.end(), word);
  if (found == choices.end())
    fail_plainly(fmt::format("unknown value {}{}", short_text(*node_), suggestion(word, choices)));
  return static_cast<std::size_t>(found - choices.begin());
}

// ---- TomlTable ----

TomlTable::TomlTable(const TomlNode& node, const std::string& file, std::string path)
    : node_(&node), file_(&file), path_(std::move(path)) {}

std::vector<std::string> TomlTable::keys() const {
  std::vector<std::string> names;
  for (const TomlEntry& e : entries()) names.push_back(e.key);
  return names;
}

const TomlEntry* TomlTable::entry(const std::string& key) const {
  for (const TomlEntry& e : entries())
    if (e.key == key) return &e;
  return nullptr;
}

bool TomlTable::has(const std::string& key) const { return entry(key) != nullptr; }

bool TomlTable::asked(const std::string& key) const {
  return std::find(asked_.begin(), asked_.end(), key) != asked_.end();
}

void TomlTable::allow(const std::string& key) {
  if (!asked(key)) asked_.push_back(key);
}

std::optional<TomlValue> TomlTable::find(const std::string& key) {
  allow(key);
  const TomlEntry* e = entry(key);
  if (e == nullptr) return std::nullopt;
  return TomlValue(e->node, *file_, path_of(key));
}

TomlValue TomlTable::need(const std::string& key) {
  if (auto value = find(key)) return *value;
  // The key may be there, misspelt: then that is the better message.
  const std::string wanted[] = {key};
  for (const TomlEntry& e : entries())
    if (!asked(e.key) && !nearest_name(e.key, wanted).empty()) fail_unknown(e, wanted);
  fail(fmt::format("the key \"{}\" is missing", key));
}

double TomlTable::real(const std::string& key, const RealRange& range, double fallback) {
  const auto value = find(key);
  return value ? value->real(range) : fallback;
}

std::int64_t TomlTable::integer(const std::string& key, std::int64_t low, std::int64_t high, std::int64_t fallback) {
  const auto value = find(key);
  return value ? value->integer(low, high) : fallback;
}

bool TomlTable::flag(const std::string& key, bool fallback) {
  const auto value = find(key);
  return value ? value->flag() : fallback;
}

std::string TomlTable::text(const std::string& key, const std::string& fallback) {
  const auto value = find(key);
  return value ? value->text() : fallback;
}

Vec3 TomlTable::vector3(const std::string& key, const Vec3& fallback) {
  const auto value = find(key);
  return value ? value->vector3() : fallback;
}

std::optional<TomlTable> TomlTable::table(const std::string& key) {
  const auto value = find(key);
  if (!value) return std::nullopt;
  if (value->is_list()) value->fail_plainly(fmt::format("is written [{}], once, not [[{}]]", key, key));
  return value->table();
}

std::vector<TomlTable> TomlTable::tables(const std::string& key) {
  std::vector<TomlTable> list;
  const auto value = find(key);
  if (!value) return list;
  if (value->is_table()) value->fail_plainly(fmt::format("is a list: write [[{}]], with two brackets", key));
  for (const TomlValue& item : value->items()) list.push_back(item.table());
  return list;
}

void TomlTable::forbid(const std::string& key, const std::string& why) {
  if (const TomlEntry* e = entry(key)) throw InputError({*file_, e->line, e->column, path_of(key)}, why);
}

void TomlTable::forbid_both(const std::string& a, const std::string& b) {
  if (has(a)) forbid(b, fmt::format("give either \"{}\" or \"{}\", not both", a, b));
}

void TomlTable::finish() const {
  for (const TomlEntry& e : entries())
    if (!asked(e.key)) fail_unknown(e, asked_);
}

void TomlTable::fail_unknown(const TomlEntry& e, std::span<const std::string> candidates) const {
  const std::string kind = path_.empty() && (std::holds_alternative<TomlEntries>(e.node.value) ||
                                             std::holds_alternative<TomlArray>(e.node.value))
                               ? "section"
                               : "key";
  throw InputError({*file_, e.line, e.column, path_of(e.key)},
                   fmt::format("unknown {}{}", kind, suggestion(e.key, candidates)));
}

void TomlTable::fail(const std::string& problem, const std::string& value) const {
  throw InputError(place(), problem, value);
}

}  // namespace carom
