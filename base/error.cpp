#include "base/error.h"

#include <fmt/format.h>

#include "base/check.h"

namespace carom {

std::string Place::text() const {
  std::string where = file;
  if (line > 0) where += fmt::format(":{}", line);
  if (line > 0 && column > 0) where += fmt::format(":{}", column);
  if (item.empty()) return where;
  return where.empty() ? item : where + ": " + item;
}

namespace {

std::string message(const Place& place, const std::string& problem, const std::string& value) {
  std::string text = place.text();
  if (!text.empty()) text += ": ";
  text += problem;
  if (!value.empty()) text += fmt::format(" (got {})", value);
  return text;
}

}  // namespace

InputError::InputError(Place place, const std::string& problem, std::string value)
    : std::runtime_error(message(place, problem, value)),
      place_(std::move(place)),
      problem_(problem),
      value_(std::move(value)) {}

void check_failed(const char* file, int line, const char* condition, const char* meaning) {
  throw InternalError(fmt::format("{}:{}: internal check failed: {} ({})", file, line, condition, meaning));
}

}  // namespace carom
