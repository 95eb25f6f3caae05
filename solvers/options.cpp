#include "solvers/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace carom {

namespace {

[[noreturn]] void reject(const OptionInfo& info, const OptionValue& value, const std::string& problem) {
  throw InputError(Place{.file = {}, .line = 0, .column = 0, .item = info.name}, problem, text_of(value));
}

std::string_view type_of(const OptionValue& value) {
  constexpr std::string_view kTypes[] = {"flag", "integer", "real", "text", "numbers"};
  return kTypes[value.index()];
}

// Numbers: an integer is a real too, never the other way round.
double number(const OptionInfo& info, const OptionValue& value, bool whole) {
  double result = 0;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    result = static_cast<double>(*integer);
  } else if (const auto* real = std::get_if<double>(&value); real && !whole) {
    result = *real;
  } else {
    reject(info, value, fmt::format("must be of type {} in {}, not {}", info.type, info.range.text(), type_of(value)));
  }
  if (!info.range.contains(result)) reject(info, value, fmt::format("must be in {}", info.range.text()));
  return result;
}

OptionInfo info_of(std::string_view name, std::string_view type, std::string default_value, const OptionRange& range,
                   std::string_view unit, std::string_view help) {
  return {.name = std::string(name),
          .type = std::string(type),
          .default_value = std::move(default_value),
          .range = range,
          .unit = std::string(unit),
          .help = std::string(help)};
}

}  // namespace

std::string OptionRange::text() const {
  // The largest numbers are there to keep infinities out.
  const bool from = low > std::numeric_limits<double>::lowest(), to = high < std::numeric_limits<double>::max();
  return fmt::format("{}, {}", from ? fmt::format("{}{:g}", open ? '(' : '[', low) : "(-inf",
                     to ? fmt::format("{:g}{}", high, open ? ')' : ']') : "inf)");
}

std::string text_of(const OptionValue& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

void set_option(const OptionInfo& info, const OptionValue& value, double& field) { field = number(info, value, false); }

void set_option(const OptionInfo& info, const OptionValue& value, int& field) {
  field = static_cast<int>(number(info, value, true));
}

void set_option(const OptionInfo& info, const OptionValue& value, bool& field) {
  const bool* flag = std::get_if<bool>(&value);
  if (!flag) reject(info, value, fmt::format("must be true or false, not {}", type_of(value)));
  field = *flag;
}

void set_option(const OptionInfo& info, const OptionValue& value, std::vector<double>& field) {
  const auto* list = std::get_if<std::vector<double>>(&value);
  if (!list) {
    field = {number(info, value, false)};
    return;
  }
  for (double entry : *list)
    if (!info.range.contains(entry)) reject(info, value, fmt::format("each must be in {}", info.range.text()));
  field = *list;
}

std::string matrix_text(const MatrixXd& matrix) {
  std::string text;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    if (i > 0) text += "; ";
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) text += fmt::format("{}{}", j > 0 ? " " : "", matrix(i, j));
  }
  return text.empty() ? "none" : text;
}

MatrixXd parse_matrix(const std::string& text, const std::string& item) {
  const auto wrong = [&](const std::string& problem) { return InputError({"", 0, 0, item}, problem, text); };
  if (text == "none") return {};
  std::vector<std::vector<double>> rows(1);
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    if (*at == ';') rows.emplace_back();
    if (*at == ';' || *at == ' ' || *at == ',' || *at == '\t' || *at == '\n') {
      ++at;
      continue;
    }
    double value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc()) throw wrong("a matrix reads \"0 0.5; 0.5 0\", rows apart by semicolons");
    rows.back().push_back(value);
    at = rest;
  }
  MatrixXd matrix(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows[0].size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != rows[0].size() || rows[i].empty())
      throw wrong(fmt::format("row {} has {} entries where the first has {}", i + 1, rows[i].size(), rows[0].size()));
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
  }
  return matrix;
}

// A single number is a matrix of one entry: what a command line makes of it.
void set_option(const OptionInfo& info, const OptionValue& value, MatrixXd& field) {
  if (std::holds_alternative<bool>(value)) reject(info, value, "must be a matrix, not a flag");
  field = parse_matrix(text_of(value), info.name);
  for (double entry : field.reshaped())
    if (!std::isfinite(entry) || !info.range.contains(entry))
      reject(info, value, fmt::format("entries must be finite and in {}", info.range.text()));
}

std::size_t chosen_option(const OptionInfo& info, const OptionValue& value, const std::vector<std::string>& names) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    const auto found = std::find(names.begin(), names.end(), *text);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  reject(info, value, fmt::format("must be one of {}", info.type));
}

OptionInfo describe_option(std::string_view name, double field, const OptionRange& range, std::string_view unit,
                           std::string_view help) {
  return info_of(name, "real", fmt::format("{:g}", field), range, unit, help);
}
OptionInfo describe_option(std::string_view name, int field, const OptionRange& range, std::string_view unit,
                           std::string_view help) {
  return info_of(name, "integer", fmt::format("{}", field), range, unit, help);
}
OptionInfo describe_option(std::string_view name, bool field, const OptionRange& range, std::string_view unit,
                           std::string_view help) {
  return info_of(name, "flag", field ? "true" : "false", range, unit, help);
}
OptionInfo describe_option(std::string_view name, const std::vector<double>& field, const OptionRange& range,
                           std::string_view unit, std::string_view help) {
  return info_of(name, "numbers", text_of(field), range, unit, help);
}
OptionInfo describe_option(std::string_view name, const MatrixXd& field, const OptionRange& range,
                           std::string_view unit, std::string_view help) {
  return info_of(name, "matrix", matrix_text(field), range, unit, help);
}
OptionInfo describe_choice(std::string_view name, std::string_view chosen, const std::vector<std::string>& names,
                           std::string_view unit, std::string_view help) {
  return info_of(name, fmt::format("{}", fmt::join(names, "|")), std::string(chosen), {}, unit, help);
}

void check_option_names(std::string_view owner, const std::vector<OptionInfo>& list, const OptionValues& values) {
  for (const auto& [name, value] : values) {
    bool known = false;
    std::string valid;
    for (const OptionInfo& info : list) {
      known |= info.name == name;
      valid += fmt::format("{}{}", valid.empty() ? "" : ", ", info.name);
    }
    if (!known)
      throw InputError(Place{.file = {}, .line = 0, .column = 0, .item = name},
                       fmt::format("{} has no such option; it has {}", owner, valid.empty() ? "none" : valid),
                       text_of(value));
  }
}

}  // namespace carom
