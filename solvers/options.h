// Typed options of solvers and impact laws, and parameters of systems, described once. Each options struct has
//
//     template <class Self, class Visitor> static void visit(Self& options, Visitor&& visit);
//
// that calls visit(name, field, range, unit, help) for each field; files, command line and documentation
// are all fed by visitors from there.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "solvers/solver.h"

namespace carom {

using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>>;
using OptionValues = std::map<std::string, OptionValue>;

struct OptionRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open = false;  // the ends themselves are not allowed

  bool contains(double value) const { return open ? value > low && value < high : value >= low && value <= high; }
  std::string text() const;  // "[0, 1]", "(0, 2)"
};

struct OptionInfo {
  std::string name;
  std::string type;  // "real", "integer", "flag", "numbers", "matrix" or the choices "natural_map|velocity"
  std::string default_value;
  OptionRange range;
  std::string unit;
  std::string help;
};

// When to stop: shared by all iterative solvers.
struct StopOptions {
  double tolerance = 1e-8;
  Measure measure = Measure::NaturalMap;
  int max_iterations = 10000;
  double max_seconds = std::numeric_limits<double>::infinity();

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    visit("tolerance", o.tolerance, OptionRange{0, 1}, "of the measure",
          "solved when the recomputed residual is at most this");
    visit("measure", o.measure, OptionRange{}, "", "natural_map: relative to |q|; velocity: worst contact, m/s");
    visit("max_iterations", o.max_iterations, OptionRange{1, 1e9}, "", "iteration limit");
    visit("max_seconds", o.max_seconds, OptionRange{0, std::numeric_limits<double>::infinity()}, "s",
          "time limit of one solve");
  }
};

// ---- Visitors ----

std::string text_of(const OptionValue& value);

// Writes one value into a field, or throws InputError naming the option, the value and what is allowed.
void set_option(const OptionInfo& info, const OptionValue& value, double& field);
void set_option(const OptionInfo& info, const OptionValue& value, int& field);
void set_option(const OptionInfo& info, const OptionValue& value, bool& field);
void set_option(const OptionInfo& info, const OptionValue& value, std::vector<double>& field);  // a number is a list
void set_option(const OptionInfo& info, const OptionValue& value, MatrixXd& field);

// A matrix as text, rows apart by semicolons, "0 0.5; 0.5 0": what an OptionValue holds for one, so that command lines
// and files spell it alike. No rows: "none". Reading throws InputError naming the item; both ways lose no digit.
std::string matrix_text(const MatrixXd& matrix);
MatrixXd parse_matrix(const std::string& text, const std::string& item);

OptionInfo describe_option(std::string_view name, double field, const OptionRange& range, std::string_view unit = {},
                           std::string_view help = {});
OptionInfo describe_option(std::string_view name, int field, const OptionRange& range, std::string_view unit = {},
                           std::string_view help = {});
OptionInfo describe_option(std::string_view name, bool field, const OptionRange& range, std::string_view unit = {},
                           std::string_view help = {});
OptionInfo describe_option(std::string_view name, const std::vector<double>& field, const OptionRange& range,
                           std::string_view unit = {}, std::string_view help = {});
OptionInfo describe_option(std::string_view name, const MatrixXd& field, const OptionRange& range,
                           std::string_view unit = {}, std::string_view help = {});

// A choice between words: an enum whose choices_of(E) lists all its values and whose name_of(E) spells each.
template <class E>
concept OptionChoice = std::is_enum_v<E> && requires(E e) {
  name_of(e);
  choices_of(e);
};

// The position in `names` of the word given, or InputError listing them.
std::size_t chosen_option(const OptionInfo& info, const OptionValue& value, const std::vector<std::string>& names);
OptionInfo describe_choice(std::string_view name, std::string_view chosen, const std::vector<std::string>& names,
                           std::string_view unit, std::string_view help);

template <OptionChoice E>
std::vector<std::string> choice_names() {
  std::vector<std::string> names;
  for (E e : choices_of(E{})) names.emplace_back(name_of(e));
  return names;
}
template <OptionChoice E>
void set_option(const OptionInfo& info, const OptionValue& value, E& field) {
  field = choices_of(E{})[chosen_option(info, value, choice_names<E>())];
}
template <OptionChoice E>
OptionInfo describe_option(std::string_view name, E field, const OptionRange&, std::string_view unit = {},
                           std::string_view help = {}) {
  return describe_choice(name, name_of(field), choice_names<E>(), unit, help);
}

// All options of a struct with their defaults, for documentation and messages.
template <class Options>
std::vector<OptionInfo> describe_options() {
  std::vector<OptionInfo> list;
  const Options defaults;
  Options::visit(defaults,
                 [&](std::string_view name, const auto& field, const OptionRange& range, std::string_view unit,
                     std::string_view help) { list.push_back(describe_option(name, field, range, unit, help)); });
  return list;
}

// Throws InputError listing the valid names when `values` holds one that is not in `list`; the owner is "solver nsgs".
void check_option_names(std::string_view owner, const std::vector<OptionInfo>& list, const OptionValues& values);

// Defaults with `values` written over them.
template <class Options>
Options make_options(std::string_view owner, const OptionValues& values) {
  check_option_names(owner, describe_options<Options>(), values);
  Options options;
  Options::visit(options,
                 [&](std::string_view name, auto& field, const OptionRange& range, std::string_view, std::string_view) {
                   const auto given = values.find(std::string(name));
                   if (given != values.end()) set_option(describe_option(name, field, range), given->second, field);
                 });
  return options;
}

}  // namespace carom
