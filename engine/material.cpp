#include "engine/material.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/error.h"

namespace carom {

PairLaw combine(const Material& a, const Material& b) {
  const double eta = 0.5 * (a.exponent + b.exponent);
  // x = x_a + x_b under one force
  const double yield = 0.5 * (std::pow(a.stiffness, -1 / eta) + std::pow(b.stiffness, -1 / eta));
  return {std::sqrt(a.friction * b.friction),
          std::sqrt(a.restitution * b.restitution),
          0.5 * (a.tangential_restitution + b.tangential_restitution),
          a.stiffness == b.stiffness ? a.stiffness : std::pow(yield, -eta),
          eta,
          std::min(a.cohesion, b.cohesion),
          std::min(a.tensile_strength, b.tensile_strength),
          std::sqrt(a.rolling_friction * b.rolling_friction)};
}

void check_law(const PairLaw& law, const std::string& whose) {
  const auto demand = [&](bool holds, const char* field, const char* range, double value) {
    if (!holds)
      throw InputError({"", 0, 0, whose}, fmt::format("{} must be {}", field, range), fmt::format("{}", value));
  };
  demand(std::isfinite(law.friction) && law.friction >= 0, "friction", "finite and >= 0", law.friction);
  demand(law.restitution >= 0 && law.restitution <= 1, "restitution", "in [0, 1]", law.restitution);
  demand(std::abs(law.tangential_restitution) <= 1, "tangential_restitution", "in [-1, 1]", law.tangential_restitution);
  demand(std::isfinite(law.stiffness) && law.stiffness > 0, "stiffness", "finite and > 0", law.stiffness);
  demand(std::isfinite(law.exponent) && law.exponent >= 1, "exponent", "finite and >= 1", law.exponent);
  demand(std::isfinite(law.cohesion) && law.cohesion >= 0, "cohesion", "finite and >= 0", law.cohesion);
  demand(std::isfinite(law.tensile_strength) && law.tensile_strength >= 0, "tensile_strength", "finite and >= 0",
         law.tensile_strength);
  demand(std::isfinite(law.rolling_friction) && law.rolling_friction >= 0, "rolling_friction", "finite and >= 0",
         law.rolling_friction);
}

MaterialTable::MaterialTable() { add({.name = "default"}); }

MaterialId MaterialTable::add(const Material& material) {
  check_law({material.friction, material.restitution, material.tangential_restitution, material.stiffness,
             material.exponent, material.cohesion, material.tensile_strength, material.rolling_friction},
            fmt::format("material \"{}\"", material.name));
  for (const Material& other : materials_)
    if (!material.name.empty() && other.name == material.name)
      throw InputError({"", 0, 0, "material"}, "this name is in use already", fmt::format("\"{}\"", material.name));

  // Grow the square table: explicit pairs stay, new pairs combine.
  const std::size_t n = materials_.size();
  std::vector<PairLaw> grown((n + 1) * (n + 1));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) grown[i * (n + 1) + j] = laws_[i * n + j];
  materials_.push_back(material);
  for (std::size_t i = 0; i <= n; ++i)
    grown[i * (n + 1) + n] = grown[n * (n + 1) + i] = combine(materials_[i], material);
  laws_ = std::move(grown);
  return {static_cast<int>(n)};
}

void MaterialTable::set_pair(MaterialId a, MaterialId b, const PairLaw& law) {
  const auto n = static_cast<int>(materials_.size());
  CAROM_CHECK(a.index >= 0 && a.index < n && b.index >= 0 && b.index < n, "material of this table");
  check_law(law, fmt::format("pair \"{}\" - \"{}\"", (*this)[a].name, (*this)[b].name));
  laws_[static_cast<std::size_t>(a.index * n + b.index)] = law;
  laws_[static_cast<std::size_t>(b.index * n + a.index)] = law;
}

}  // namespace carom
