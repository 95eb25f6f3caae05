// Maps and percentiles of a study. Records are added in the order of their numbers, so that sums have the same bits
// whoever computed the trajectories.
#pragma once

#include <array>

#include "engine/rockfall/record.h"

namespace carom::rockfall {

enum class Quantity : std::uint8_t { Speed, Translational, Rotational, Height };
inline constexpr int kQuantities = 4;

inline constexpr std::array<double, 4> kPercentiles = {50, 90, 95, 99};

// The smallest sample that at least p percent of all are not above (nearest rank). Sorted samples; NaN when empty.
double percentile(std::span<const double> sorted, double p);

// Numbers of samples in bins whose bounds grow by 1 %: a percentile read from them is within 0.5 % of that of the
// samples themselves. Merging is adding, so that the order of samples is of no account.
struct LogBins {
  static constexpr double kGrowth = 1.01;
  static constexpr double kLeast = 1e-6;  // smaller samples share bin 0 and count as 0
  static constexpr std::uint32_t kMost = 8191;
  static std::uint32_t bin_of(double x);
  static double value_of(std::uint32_t bin);  // no sample of the bin is farther from it than 0.5 %
};

// What the trajectories did over each raster cell. A trajectory counts once per cell, with its largest values there.
class CellStatistics {
 public:
  explicit CellStatistics(std::size_t cells);

  void add(const TrajectoryRecord& record, std::uint32_t end_cell);
  void finish();  // before percentiles are read

  std::uint64_t trajectories() const { return trajectories_; }
  std::uint32_t passages(std::size_t cell) const { return cells_[cell].passages; }
  std::uint32_t deposits(std::size_t cell) const { return cells_[cell].deposits; }
  double largest(std::size_t cell, Quantity q) const { return cells_[cell].most[static_cast<std::size_t>(q)]; }
  double mean(std::size_t cell, Quantity q) const;                  // NaN where nothing passed
  double percentile(std::size_t cell, Quantity q, double p) const;  // NaN where nothing passed

 private:
  struct Cell {
    std::uint32_t passages = 0, deposits = 0;
    std::array<float, kQuantities> most{};
    std::array<double, kQuantities> sum{};
  };
  struct Count {
    std::uint64_t key = ~std::uint64_t{0};  // cell, quantity, bin
    std::uint32_t count = 0;
  };
  void count(std::uint64_t key);
  void grow();

  std::vector<Cell> cells_;
  std::vector<Count> table_;  // open addressing until finish(), then sorted by key
  std::size_t used_ = 0;
  bool sorted_ = false;
  std::uint64_t trajectories_ = 0;
};

// Percentiles of a quantity over trajectories or crossings, exact.
struct Distribution {
  std::uint64_t count = 0;
  double mean = 0, most = 0;
  std::array<double, kPercentiles.size()> percentiles{};
};
Distribution distribution_of(std::vector<double> samples);  // of none: all NaN

}  // namespace carom::rockfall
