// What the systems of this folder share: checks of parameters, and rows of planar contacts.
//
// A parameter struct describes its fields once, by the visit template of solvers/options.h; files, command line,
// documentation and these checks are fed from there.
#pragma once

#include <initializer_list>

#include "engine/lagrangian.h"
#include "solvers/options.h"

namespace carom {

inline constexpr double kStandardGravity = 9.81;  // m/s^2

inline constexpr OptionRange kPositive = {0, std::numeric_limits<double>::infinity(), true};
inline constexpr OptionRange kNotNegative = {0, std::numeric_limits<double>::max()};
inline constexpr OptionRange kFinite = {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
inline constexpr OptionRange kTangentialRestitution = {-1, 1};
inline constexpr OptionRange kExponent = {1, std::numeric_limits<double>::max()};

// InputError at "system.field".
[[noreturn]] void reject_parameter(std::string_view system, std::string_view field, const std::string& problem,
                                   const std::string& value);

void check_parameter(std::string_view system, std::string_view field, double value, const OptionRange& range);
void check_parameter(std::string_view system, std::string_view field, int value, const OptionRange& range);
void check_parameter(std::string_view system, std::string_view field, const std::vector<double>& value,
                     const OptionRange& range);
template <class Other>
void check_parameter(std::string_view, std::string_view, const Other&, const OptionRange&) {}  // flags and choices

// Throws InputError naming the first field that is out of its range or not finite, with its value.
template <class Parameters>
void check_parameters(std::string_view system, const Parameters& parameters) {
  Parameters::visit(parameters,
                    [&](std::string_view name, const auto& field, const OptionRange& range, std::string_view,
                        std::string_view) { check_parameter(system, name, field, range); });
}

// A list with one value for all or one each, as one each; InputError naming the field otherwise.
std::vector<double> spread(std::string_view system, std::string_view field, const std::vector<double>& list,
                           std::size_t count);

// A list of two numbers as a vector.
Vec2 point_of(std::string_view system, std::string_view field, const std::vector<double>& list);

// Throws InputError naming the contact when the system starts with bodies inside each other.
void check_start(const LagrangianSystem& system);

// ---- Planar geometry: x to the right, y up, angles counterclockwise unless a system says otherwise. ----

inline Vec2 turned(double angle, const Vec2& x) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * x.x() - s * x.y(), s * x.x() + c * x.y()};
}

// k x a: the velocity of a point at `a` from the centre of a body that turns at 1 rad/s.
inline Vec2 spun(const Vec2& a) { return {-a.y(), a.x()}; }

// Rows of a contact of dim 1 (n alone) or 2 (n, t).
inline void set_rows(int dim, std::initializer_list<int> coordinate, std::initializer_list<double> normal,
                     std::initializer_list<double> tangent, ContactRows& rows) {
  rows.coordinate.assign(coordinate);
  rows.direction[0].assign(normal);
  if (dim > 1) rows.direction[1].assign(tangent);
  rows.drift = {0, 0, 0};
}

}  // namespace carom
