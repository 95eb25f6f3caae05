#include "io/json.h"

#include <fmt/format.h>

#include <cmath>

namespace carom {

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string json_list(const std::vector<double>& values, int significant_digits) {
  std::string out = "[";
  for (const double value : values) {
    if (out.size() > 1) out += ',';
    out += std::isfinite(value) ? fmt::format("{:.{}g}", value, significant_digits) : "null";
  }
  return out + "]";
}

namespace {

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

template <class Items, class Text>
std::string list(const Items& items, Text&& text) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() > 1 ? ", " : "") + text(item);
  return out + "]";
}

}  // namespace

void JsonObject::add_raw(std::string_view name, std::string_view value) {
  if (!fields_.empty()) fields_ += ", ";
  fields_ += json_text(name) + ": ";
  fields_ += value;
}

void JsonObject::add(std::string_view name, std::string_view text) { add_raw(name, json_text(text)); }
void JsonObject::add(std::string_view name, bool value) { add_raw(name, value ? "true" : "false"); }
void JsonObject::add(std::string_view name, double value) { add_raw(name, json_number(value)); }
void JsonObject::add(std::string_view name, const std::vector<std::string>& texts) {
  add_raw(name, list(texts, [](const std::string& text) { return json_text(text); }));
}
void JsonObject::add(std::string_view name, const std::vector<double>& values) {
  add_raw(name, list(values, json_number));
}
void JsonObject::add(std::string_view name, const std::vector<JsonObject>& objects) {
  add_raw(name, list(objects, [](const JsonObject& object) { return object.text(); }));
}

}  // namespace carom
