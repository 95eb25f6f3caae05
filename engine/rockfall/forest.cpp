#include "engine/rockfall/forest.h"

#include <algorithm>
#include <cmath>

namespace carom::rockfall {

double breaking_energy(double diameter, double share) { return share * 38.7 * std::pow(100 * diameter, 2.31); }

void Forest::build(const HeightField& field) {
  const double width = field.spacing_x * (field.columns - 1), depth = field.spacing_y * (field.rows - 1);
  // Stems beyond the map or over no data stand on nothing.
  std::erase_if(stems, [&](const Stem& s) { return !field.ground(s.at.x(), s.at.y()).has_value(); });
  if (stems.empty()) return;
  cell_ = std::sqrt(2 * width * depth / static_cast<double>(stems.size()));
  cell_ = std::max(cell_, std::max(width, depth) / 4096);
  columns_ = static_cast<std::uint32_t>(width / cell_) + 1;
  rows_ = static_cast<std::uint32_t>(depth / cell_) + 1;
  const auto cell_of = [&](const Stem& s) {
    return std::min(static_cast<std::uint32_t>(s.at.y() / cell_), rows_ - 1) * columns_ +
           std::min(static_cast<std::uint32_t>(s.at.x() / cell_), columns_ - 1);
  };
  std::stable_sort(stems.begin(), stems.end(), [&](const Stem& a, const Stem& b) { return cell_of(a) < cell_of(b); });
  first_.assign(std::size_t{columns_} * rows_ + 1, 0);
  for (const Stem& s : stems) ++first_[cell_of(s) + 1];
  for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
  base_.clear();
  for (const Stem& s : stems) {
    base_.push_back(field.ground(s.at.x(), s.at.y())->height);
    widest_ = std::max(widest_, 0.5 * s.diameter);
  }
}

Pose Forest::pose_of(std::uint32_t number) const {
  const Stem& s = stems[number];
  return {Vec3(s.at.x(), s.at.y(), base_[number] - kRoot + half_length_of(number)), Quat::Identity()};
}

}  // namespace carom::rockfall
