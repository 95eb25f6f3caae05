// One JSON object, built field by field in the order given.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

class JsonObject {
 public:
  void add(std::string_view name, std::string_view text);
  void add(std::string_view name, const char* text) { add(name, std::string_view(text)); }
  void add(std::string_view name, bool value);
  void add(std::string_view name, double value);  // null when not finite: JSON has no word for it
  template <std::integral Integer>
  void add(std::string_view name, Integer value) {
    add_raw(name, std::to_string(value));
  }
  void add(std::string_view name, const JsonObject& object) { add_raw(name, object.text()); }
  void add(std::string_view name, const std::vector<std::string>& texts);
  void add(std::string_view name, const std::vector<double>& values);
  void add(std::string_view name, const std::vector<JsonObject>& objects);

  void add_raw(std::string_view name, std::string_view value);  // value: JSON already

  std::string text() const { return "{" + fields_ + "}"; }

 private:
  std::string fields_;
};

std::string json_text(std::string_view text);                                    // quoted and escaped
std::string json_list(const std::vector<double>& values, int significant_digits);  // null where not finite

}  // namespace carom
