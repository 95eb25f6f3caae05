#include "engine/rockfall/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::rockfall {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::uint64_t key_of(std::size_t cell, std::size_t quantity, std::uint32_t bin) {
  return std::uint64_t{cell} << 16 | quantity << 14 | bin;
}

std::uint64_t mixed(std::uint64_t x) {
  x *= 0x9E3779B97F4A7C15ULL;
  return x ^ x >> 29;
}

// Rank, from 1, of the percentile among n samples.
std::uint64_t rank_of(double p, std::uint64_t n) {
  const auto rank = static_cast<std::uint64_t>(std::ceil(p / 100 * static_cast<double>(n) * (1 - 1e-14)));
  return std::clamp<std::uint64_t>(rank, 1, n);
}

}  // namespace

double percentile(std::span<const double> sorted, double p) {
  return sorted.empty() ? kNaN : sorted[rank_of(p, sorted.size()) - 1];
}

std::uint32_t LogBins::bin_of(double x) {
  if (!(x > kLeast)) return 0;
  // bin k > 0: kLeast growth^(k-1) < x <= kLeast growth^k
  const double k = std::ceil(std::log(x / kLeast) / std::log(kGrowth));
  return static_cast<std::uint32_t>(std::clamp(k, 1.0, static_cast<double>(kMost)));
}

double LogBins::value_of(std::uint32_t bin) {
  if (bin == 0) return 0;
  return 2 * kLeast * std::pow(kGrowth, bin) / (kGrowth + 1);
}

CellStatistics::CellStatistics(std::size_t cells) : cells_(cells), table_(1024) {}

void CellStatistics::add(const TrajectoryRecord& record, std::uint32_t end_cell) {
  ++trajectories_;
  if (record.summary.reason == StopReason::AtRest) ++cells_[end_cell].deposits;
  for (const CellVisit& v : record.visits) {
    Cell& cell = cells_[v.cell];
    ++cell.passages;
    const std::array<float, kQuantities> values = {v.speed, v.translational, v.rotational, v.height};
    for (std::size_t q = 0; q < kQuantities; ++q) {
      cell.most[q] = std::max(cell.most[q], values[q]);
      cell.sum[q] += values[q];
      count(key_of(v.cell, q, LogBins::bin_of(values[q])));
    }
  }
}

void CellStatistics::count(std::uint64_t key) {
  if (2 * used_ >= table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t at = mixed(key) & mask;
  while (table_[at].count > 0 && table_[at].key != key) at = (at + 1) & mask;
  if (table_[at].count == 0) ++used_;
  table_[at].key = key;
  ++table_[at].count;
}

void CellStatistics::grow() {
  std::vector<Count> old(2 * table_.size());
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (const Count& c : old) {
    if (c.count == 0) continue;
    std::size_t at = mixed(c.key) & mask;
    while (table_[at].count > 0) at = (at + 1) & mask;
    table_[at] = c;
  }
}

void CellStatistics::finish() {
  if (sorted_) return;
  std::erase_if(table_, [](const Count& c) { return c.count == 0; });
  std::sort(table_.begin(), table_.end(), [](const Count& a, const Count& b) { return a.key < b.key; });
  sorted_ = true;
}

double CellStatistics::mean(std::size_t cell, Quantity q) const {
  const Cell& c = cells_[cell];
  return c.passages == 0 ? kNaN : c.sum[static_cast<std::size_t>(q)] / c.passages;
}

double CellStatistics::percentile(std::size_t cell, Quantity q, double p) const {
  const Cell& c = cells_[cell];
  if (c.passages == 0) return kNaN;
  const std::uint64_t rank = rank_of(p, c.passages), first = key_of(cell, static_cast<std::size_t>(q), 0);
  auto at = std::lower_bound(table_.begin(), table_.end(), first,
                             [](const Count& entry, std::uint64_t key) { return entry.key < key; });
  std::uint64_t below = 0;
  for (; at != table_.end() && at->key >> 14 == first >> 14; ++at) {
    below += at->count;
    if (below >= rank)
      return std::min(LogBins::value_of(static_cast<std::uint32_t>(at->key & 0x3FFF)), largest(cell, q));
  }
  return largest(cell, q);
}

Distribution distribution_of(std::vector<double> samples) {
  Distribution d;
  d.count = samples.size();
  std::sort(samples.begin(), samples.end());
  double sum = 0;
  for (const double x : samples) sum += x;
  d.mean = samples.empty() ? kNaN : sum / static_cast<double>(samples.size());
  d.most = samples.empty() ? kNaN : samples.back();
  for (std::size_t k = 0; k < kPercentiles.size(); ++k) d.percentiles[k] = percentile(samples, kPercentiles[k]);
  return d;
}

}  // namespace carom::rockfall
