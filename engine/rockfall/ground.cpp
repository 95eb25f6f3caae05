#include "engine/rockfall/ground.h"

#include <algorithm>
#include <cmath>

namespace carom::rockfall {

namespace {

constexpr std::uint32_t kBlock = HeightField::kBlock;

std::uint32_t nearest_sample(double x, double spacing, std::uint32_t samples) {
  return static_cast<std::uint32_t>(std::clamp(std::floor(x / spacing + 0.5), 0.0, samples - 1.0));
}

// The first and the last of `count` windows, each `width` wide, that [low, high] meets.
std::pair<std::uint32_t, std::uint32_t> windows(double low, double high, double width, std::uint32_t count) {
  const double last = count - 1.0;
  return {static_cast<std::uint32_t>(std::clamp(std::floor(low / width), 0.0, last)),
          static_cast<std::uint32_t>(std::clamp(std::floor(high / width), 0.0, last))};
}

}  // namespace

std::uint32_t Ground::cell_at(double x, double y) const {
  return nearest_sample(y, field->spacing_y, field->rows) * field->columns +
         nearest_sample(x, field->spacing_x, field->columns);
}

GroundDistance::GroundDistance(const HeightField& field) {
  constexpr float kNoData = std::numeric_limits<float>::infinity();
  Level level{(field.columns + kBlock - 2) / kBlock, (field.rows + kBlock - 2) / kBlock, {}};
  level.steepest.assign(std::size_t{level.columns} * level.rows, 0);
  for (std::uint32_t j = 0; j + 1 < field.rows; ++j)
    for (std::uint32_t i = 0; i + 1 < field.columns; ++i) {
      float& most = level.steepest[std::size_t{j / kBlock} * level.columns + i / kBlock];
      if (!field.cell_has_surface(i, j)) {
        most = kNoData;
        continue;
      }
      const double z00 = field.height(i, j), z10 = field.height(i + 1, j), z01 = field.height(i, j + 1),
                   z11 = field.height(i + 1, j + 1), dx = field.spacing_x, dy = field.spacing_y;
      const double slope =
          std::max(std::hypot((z10 - z00) / dx, (z11 - z10) / dy), std::hypot((z11 - z01) / dx, (z01 - z00) / dy));
      most = std::max(most, std::nextafter(static_cast<float>(slope), kNoData));
    }
  while (level.columns > 1 || level.rows > 1) {
    Level next{(level.columns + 1) / 2, (level.rows + 1) / 2, {}};
    next.steepest.assign(std::size_t{next.columns} * next.rows, 0);
    for (std::uint32_t j = 0; j < level.rows; ++j)
      for (std::uint32_t i = 0; i < level.columns; ++i) {
        float& most = next.steepest[std::size_t{j / 2} * next.columns + i / 2];
        most = std::max(most, level.steepest[std::size_t{j} * level.columns + i]);
      }
    levels_.push_back(std::move(level));
    level = std::move(next);
  }
  levels_.push_back(std::move(level));
}

float GroundDistance::steepest_near(const HeightField& field, const Vec3& x, double reach) const {
  const double cells = 2 * reach / std::min(field.spacing_x, field.spacing_y);
  std::size_t k = 0;
  while (k + 1 < levels_.size() && std::ldexp(kBlock, static_cast<int>(k)) < cells) ++k;
  const Level& level = levels_[k];
  const double width = std::ldexp(kBlock, static_cast<int>(k));
  const auto [i0, i1] = windows(x.x() - reach, x.x() + reach, width * field.spacing_x, level.columns);
  const auto [j0, j1] = windows(x.y() - reach, x.y() + reach, width * field.spacing_y, level.rows);
  float most = 0;
  for (std::uint32_t j = j0; j <= j1; ++j)
    for (std::uint32_t i = i0; i <= i1; ++i) most = std::max(most, level.steepest[std::size_t{j} * level.columns + i]);
  return most;
}

double GroundDistance::at_least(const HeightField& field, const Vec3& x) const {
  const auto below = field.ground(x.x(), x.y());
  if (!below) return 0;
  const double clearance = x.z() - below->height;
  if (!(clearance > 0)) return 0;
  // No reach is wanted beyond the clearance itself.
  const double slope = steepest_near(field, x, clearance);
  return clearance / std::sqrt(1 + slope * slope);
}

}  // namespace carom::rockfall
