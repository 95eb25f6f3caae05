// A forest: stems as upright cylinders that a block rubs and strikes, each of which breaks once it has taken up more
// energy than it can.
#pragma once

#include <cstdint>
#include <optional>

#include "base/types.h"
#include "contact/height_field.h"

namespace carom::rockfall {

struct Stem {
  Vec2 at = Vec2::Zero();  // local map coordinates, m
  double diameter = 0.3;   // at breast height, m
  double height = 20;      // m
};

// Energy that fells a tree, J: 38.7 d^2.31 with d in centimetres, times the species' share (Dorren & Berger 2006).
double breaking_energy(double diameter, double share);

struct Forest {
  std::vector<Stem> stems;
  double friction = 0.4;
  double restitution = 0.2;
  double energy_share = 0.93;  // of breaking_energy: 0.93 is silver fir's

  // Stems sorted into square cells of the map.
  void build(const HeightField& field);
  bool empty() const { return stems.empty(); }
  // Calls visit(number) for every stem that may come within the box's window on the map.
  template <class Visit>
  void for_each_near(const Vec3& low, const Vec3& high, Visit&& visit) const {
    if (stems.empty()) return;
    const auto clamped = [](double x, std::uint32_t count) {
      return static_cast<std::uint32_t>(std::clamp(std::floor(x), 0.0, count - 1.0));
    };
    const std::uint32_t i0 = clamped((low.x() - widest_) / cell_, columns_),
                        i1 = clamped((high.x() + widest_) / cell_, columns_),
                        j0 = clamped((low.y() - widest_) / cell_, rows_),
                        j1 = clamped((high.y() + widest_) / cell_, rows_);
    for (std::uint32_t j = j0; j <= j1; ++j)
      for (std::uint32_t k = first_[std::size_t{j} * columns_ + i0]; k < first_[std::size_t{j} * columns_ + i1 + 1];
           ++k) {
        const Stem& s = stems[k];
        const double r = 0.5 * s.diameter;
        if (s.at.x() + r >= low.x() && s.at.x() - r <= high.x() && s.at.y() + r >= low.y() &&
            s.at.y() - r <= high.y() && base_[k] + s.height >= low.z() && base_[k] - kRoot <= high.z())
          visit(k);
      }
  }
  // The stem as a cylinder: from kRoot under the ground to its top.
  Pose pose_of(std::uint32_t number) const;
  double half_length_of(std::uint32_t number) const { return 0.5 * (stems[number].height + kRoot); }

  static constexpr double kRoot = 1;  // m

 private:
  double cell_ = 1, widest_ = 0;
  std::uint32_t columns_ = 0, rows_ = 0;
  std::vector<std::uint32_t> first_;  // per cell, and one past the last
  std::vector<double> base_;          // height of the ground at each stem
};

}  // namespace carom::rockfall
