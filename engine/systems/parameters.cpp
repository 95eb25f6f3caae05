#include "engine/systems/parameters.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace carom {

namespace {

std::string range_text(const OptionRange& range) {
  if (range.low == kPositive.low && range.open) return "must be > 0 and finite";
  if (range.high == kFinite.high)
    return range.low == kFinite.low ? "must be finite" : fmt::format("must be >= {:g} and finite", range.low);
  return fmt::format("must be in {}", range.text());
}

}  // namespace

void reject_parameter(std::string_view system, std::string_view field, const std::string& problem,
                      const std::string& value) {
  throw InputError({"", 0, 0, fmt::format("{}.{}", system, field)}, problem, value);
}

void check_parameter(std::string_view system, std::string_view field, double value, const OptionRange& range) {
  if (!range.contains(value) || !std::isfinite(value))
    reject_parameter(system, field, range_text(range), fmt::format("{}", value));
}

void check_parameter(std::string_view system, std::string_view field, int value, const OptionRange& range) {
  if (!range.contains(value)) reject_parameter(system, field, range_text(range), fmt::format("{}", value));
}

void check_parameter(std::string_view system, std::string_view field, const std::vector<double>& value,
                     const OptionRange& range) {
  for (std::size_t k = 0; k < value.size(); ++k)
    check_parameter(system, value.size() == 1 ? std::string(field) : fmt::format("{}[{}]", field, k), value[k], range);
}

std::vector<double> spread(std::string_view system, std::string_view field, const std::vector<double>& list,
                           std::size_t count) {
  if (list.size() == count) return list;
  if (list.size() != 1)
    reject_parameter(system, field, fmt::format("must have one value for all or {}", count),
                     fmt::format("{} values", list.size()));
  return std::vector<double>(count, list[0]);
}

Vec2 point_of(std::string_view system, std::string_view field, const std::vector<double>& list) {
  if (list.size() != 2)
    reject_parameter(system, field, "must be two numbers, x and y", fmt::format("{} values", list.size()));
  return {list[0], list[1]};
}

void check_start(const LagrangianSystem& system) {
  const LagrangianState start = system.initial_state();
  VectorXd g(system.contacts());
  system.gaps(0, start.q, g);
  const double rounding = 1e-12 * (1 + start.q.lpNorm<Eigen::Infinity>());
  for (int i = 0; i < system.contacts(); ++i)
    if (!(g[i] >= -rounding))
      throw InputError({"", 0, 0, std::string(system.name())},
                       fmt::format("starts with contact \"{}\" overlapping", system.contact_name(i)),
                       fmt::format("a gap of {} m", g[i]));
}

}  // namespace carom
