// Typed solver options, described once. Each options struct has
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
#include <variant>
#include <vector>

#include "solvers/solver.h"

namespace carom {

using OptionValue = std::variant<bool, std::int64_t, double, std::string>;
using OptionValues = std::map<std::string, OptionValue>;

struct OptionRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

struct OptionInfo {
  std::string name;
  std::string type;           // "real", "integer", "flag" or the choices "natural_map|velocity"
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
    visit("tolerance", o.tolerance, OptionRange{0, 1}, "of the measure", "solved when the recomputed residual is at most this");
    visit("measure", o.measure, OptionRange{}, "", "natural_map: relative to |q|; velocity: worst contact, m/s");
    visit("max_iterations", o.max_iterations, OptionRange{1, 1e9}, "", "iteration limit");
    visit("max_seconds", o.max_seconds, OptionRange{0, std::numeric_limits<double>::infinity()}, "s", "time limit of one solve");
  }
};

}  // namespace carom
