#include "io/toml_options.h"

#include <fmt/format.h>

namespace carom {

namespace {

std::vector<std::string> split_choices(const std::string& type) {
  std::vector<std::string> choices;
  for (std::size_t begin = 0; begin <= type.size();) {
    const std::size_t end = std::min(type.find('|', begin), type.size());
    choices.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

double checked(const TomlValue& value, const OptionInfo& info, double number) {
  if (!info.range.contains(number)) value.fail(fmt::format("must be in {}", info.range.text()));
  return number;
}

std::vector<double> read_numbers(const TomlValue& value, const OptionInfo& info) {
  if (value.is_number()) return {checked(value, info, value.real())};
  if (!value.is_list()) value.fail_type("a number or a list of numbers");
  std::vector<double> numbers;
  for (const TomlValue& item : value.items()) numbers.push_back(checked(item, info, item.real()));
  return numbers;
}

std::string read_matrix(const TomlValue& value, const OptionInfo& info) {
  if (value.is_text()) return value.text();
  const std::vector<TomlValue> rows = value.items();
  if (rows.empty()) return "none";
  MatrixXd matrix;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].is_list()) rows[i].fail_type("a row of the matrix, a list of numbers");
    const std::vector<TomlValue> row = rows[i].items();
    if (i == 0) matrix.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(row.size()));
    if (static_cast<Eigen::Index>(row.size()) != matrix.cols())
      rows[i].fail(fmt::format("must have {} entries like the first row", matrix.cols()));
    for (std::size_t j = 0; j < row.size(); ++j)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = checked(row[j], info, row[j].real());
  }
  return matrix_text(matrix);
}

}  // namespace

OptionValue read_option(const TomlValue& value, const OptionInfo& info) {
  if (info.type == "flag") return value.flag();
  if (info.type == "real") return checked(value, info, value.real());
  if (info.type == "integer") {
    using Limits = std::numeric_limits<std::int64_t>;
    const std::int64_t number = value.integer(Limits::min(), Limits::max());
    checked(value, info, static_cast<double>(number));
    return number;
  }
  if (info.type == "numbers") return read_numbers(value, info);
  if (info.type == "matrix") return read_matrix(value, info);
  const std::vector<std::string> choices = split_choices(info.type);
  return choices[value.choice(choices)];
}

OptionValues read_options(TomlTable& table, const std::vector<OptionInfo>& list) {
  OptionValues values;
  for (const OptionInfo& info : list)
    if (const auto value = table.find(info.name)) values[info.name] = read_option(*value, info);
  return values;
}

}  // namespace carom
