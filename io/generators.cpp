#include "io/generators.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace carom {

namespace {

// Positions within one cell of a cubic crystal, in units of its edge.
const std::vector<Vec3>& cell_basis(Packing packing) {
  static const std::vector<Vec3> fcc = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  static const std::vector<Vec3> bcc = {{0, 0, 0}, {0.5, 0.5, 0.5}};
  static const std::vector<Vec3> single = {{0, 0, 0}};
  return packing == Packing::Fcc ? fcc : packing == Packing::Bcc ? bcc : single;
}

// Edges of a cell whose nearest neighbours are d apart: fcc a = d sqrt(2), bcc a = 2 d / sqrt(3).
Vec3 cell_edges(const LatticeSpec& spec) {
  if (spec.packing == Packing::Fcc) return Vec3::Constant(spec.spacing.x() * std::sqrt(2.0));
  if (spec.packing == Packing::Bcc) return Vec3::Constant(spec.spacing.x() * 2.0 / std::sqrt(3.0));
  return spec.spacing;
}

Vec3 hexagonal_place(std::int64_t i, std::int64_t j, std::int64_t k, double d) {
  const double shift = 0.5 * static_cast<double>((j + k) % 2);
  return d * Vec3(static_cast<double>(i) + shift,
                  std::sqrt(3.0) / 2.0 * (static_cast<double>(j) + static_cast<double>(k % 2) / 3.0),
                  std::sqrt(6.0) / 3.0 * static_cast<double>(k));
}

}  // namespace

std::int64_t lattice_size(const LatticeSpec& spec) {
  const auto per_cell = static_cast<std::int64_t>(cell_basis(spec.packing).size());
  return per_cell * spec.counts[0] * spec.counts[1] * spec.counts[2];
}

std::vector<Vec3> lattice_positions(const LatticeSpec& spec, const GroupSeed& seed) {
  std::vector<Vec3> positions;
  positions.reserve(static_cast<std::size_t>(lattice_size(spec)));
  const Vec3 edges = cell_edges(spec);
  for (std::int64_t k = 0; k < spec.counts[2]; ++k)
    for (std::int64_t j = 0; j < spec.counts[1]; ++j)
      for (std::int64_t i = 0; i < spec.counts[0]; ++i) {
        if (spec.packing == Packing::Hexagonal) {
          positions.emplace_back(spec.origin + hexagonal_place(i, j, k, spec.spacing.x()));
          continue;
        }
        const Vec3 cell(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k));
        for (const Vec3& inside : cell_basis(spec.packing))
          positions.emplace_back(spec.origin + edges.cwiseProduct(cell + inside));
      }

  if (spec.jitter > 0) {
    for (std::size_t n = 0; n < positions.size(); ++n) {
      RandomStream random = seed.stream(GroupSeed::Purpose::Place, n);
      for (int axis = 0; axis < 3; ++axis)
        positions[n][axis] += spec.jitter_axes[axis] * random.uniform(-spec.jitter, spec.jitter);
    }
  }
  return positions;
}

std::vector<Vec3> chain_positions(const std::vector<double>& radii, const Vec3& start, const Vec3& unit_direction,
                                  double gap) {
  std::vector<Vec3> positions;
  positions.reserve(radii.size());
  double along = 0;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    if (i > 0) along += radii[i - 1] + gap + radii[i];
    positions.emplace_back(start + along * unit_direction);
  }
  return positions;
}

std::vector<double> random_radii(std::size_t count, double low, double high, const GroupSeed& seed) {
  std::vector<double> radii(count, low);
  if (high > low)
    for (std::size_t i = 0; i < count; ++i) radii[i] = seed.stream(GroupSeed::Purpose::Size, i).uniform(low, high);
  return radii;
}

namespace {

// Cells at least one diameter (plus gap) wide, so that whatever touches a sphere is in the 27 cells around it.
class CellGrid {
 public:
  CellGrid(const Vec3& low, const Vec3& high, double reach, std::size_t bodies) : low_(low) {
    const double most = static_cast<double>(std::max<std::size_t>(64, 4 * bodies));
    const Vec3 extent = high - low;
    edge_ = reach;
    // Sparse boxes: larger cells until their number is of the order of the number of bodies.
    while (((extent / edge_).array().floor() + 1.0).prod() > most) edge_ *= 2;
    for (int axis = 0; axis < 3; ++axis)
      counts_[axis] = static_cast<std::int64_t>(std::floor(extent[axis] / edge_)) + 1;
    first_.assign(static_cast<std::size_t>(counts_[0] * counts_[1] * counts_[2]), kNone);
    next_.assign(bodies, kNone);
  }

  void add(std::int64_t body, const Vec3& position) {
    std::int64_t& head = first_[cell(coordinates(position))];
    next_[static_cast<std::size_t>(body)] = head;
    head = body;
  }

  // Whether test(body) holds for a body of the cells around the position.
  template <class Test>
  bool any_near(const Vec3& position, Test&& test) const {
    const auto centre = coordinates(position);
    for (std::int64_t k = std::max<std::int64_t>(0, centre[2] - 1); k <= std::min(counts_[2] - 1, centre[2] + 1); ++k)
      for (std::int64_t j = std::max<std::int64_t>(0, centre[1] - 1); j <= std::min(counts_[1] - 1, centre[1] + 1); ++j)
        for (std::int64_t i = std::max<std::int64_t>(0, centre[0] - 1); i <= std::min(counts_[0] - 1, centre[0] + 1);
             ++i)
          for (std::int64_t b = first_[cell({i, j, k})]; b != kNone; b = next_[static_cast<std::size_t>(b)])
            if (test(b)) return true;
    return false;
  }

 private:
  static constexpr std::int64_t kNone = -1;

  std::array<std::int64_t, 3> coordinates(const Vec3& position) const {
    std::array<std::int64_t, 3> c{};
    for (int axis = 0; axis < 3; ++axis)
      c[axis] = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor((position[axis] - low_[axis]) / edge_)),
                                         0, counts_[axis] - 1);
    return c;
  }
  std::size_t cell(const std::array<std::int64_t, 3>& c) const {
    return static_cast<std::size_t>((c[2] * counts_[1] + c[1]) * counts_[0] + c[0]);
  }

  Vec3 low_;
  double edge_ = 0;
  std::array<std::int64_t, 3> counts_{};
  std::vector<std::int64_t> first_;  // of each cell, or kNone
  std::vector<std::int64_t> next_;   // of each body in its cell
};

Vec3 throw_into(const Vec3& low, const Vec3& high, double radius, RandomStream& random) {
  Vec3 position = low;
  for (int axis = 0; axis < 3; ++axis)
    if (high[axis] > low[axis]) position[axis] = random.uniform(low[axis] + radius, high[axis] - radius);
  return position;
}

}  // namespace

RandomPlaces random_positions(const RandomSpec& spec, const GroupSeed& seed) {
  RandomPlaces places;
  const std::size_t count = spec.radii.size();
  places.positions.assign(count, Vec3::Zero());
  if (count == 0) return places;
  const double largest = *std::max_element(spec.radii.begin(), spec.radii.end());
  CAROM_CHECK(largest > 0 && (spec.high - spec.low).minCoeff() >= 0,
              "spheres with a size and a box that is not inside out");

  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return spec.radii[a] > spec.radii[b]; });

  CellGrid grid(spec.low, spec.high, 2 * largest + spec.gap, count);
  for (const std::size_t i : order) {
    const double radius = spec.radii[i];
    RandomStream random = seed.stream(GroupSeed::Purpose::Place, i);
    bool fits = false;
    for (int attempt = 0; attempt < spec.attempts && !fits; ++attempt) {
      const Vec3 candidate = throw_into(spec.low, spec.high, radius, random);
      fits = !grid.any_near(candidate, [&](std::int64_t other) {
        const auto j = static_cast<std::size_t>(other);
        const double apart = radius + spec.radii[j] + spec.gap;
        return (places.positions[j] - candidate).squaredNorm() < apart * apart;
      });
      if (fits) places.positions[i] = candidate;
    }
    if (!fits) return places;
    grid.add(static_cast<std::int64_t>(i), places.positions[i]);
    ++places.placed;
  }
  return places;
}

}  // namespace carom
