// Percentiles and maps against brute force.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"
#include "engine/rockfall/statistics.h"

using namespace carom;
using namespace carom::rockfall;

TEST_CASE("exact percentiles are the nearest ranks") {
  std::vector<double> samples;
  for (int k = 1; k <= 100; ++k) samples.push_back(k);
  for (const double p : {1.0, 50.0, 90.0, 95.0, 99.0, 100.0}) CHECK(percentile(samples, p) == p);
  CHECK(percentile(std::vector<double>{7}, 50) == 7);
  CHECK(std::isnan(percentile({}, 50)));
  const Distribution none = distribution_of({});
  CHECK(std::isnan(none.mean));
  CHECK(std::isnan(none.percentiles[0]));
}

TEST_CASE("percentiles of cells are within half a percent of brute force, means and maxima exact") {
  RandomStream random(3, 1);
  constexpr std::size_t kCells = 40;
  CellStatistics cells(kCells);
  std::map<std::uint32_t, std::array<std::vector<double>, kQuantities>> samples;
  for (std::uint64_t n = 0; n < 3000; ++n) {
    TrajectoryRecord record;
    record.summary.number = n;
    record.summary.reason = StopReason::AtRest;
    for (std::uint32_t c = 0; c < kCells - 1; ++c) {
      if (random.uniform() < 0.5) continue;
      const CellVisit v{
          c, static_cast<float>(30 * random.uniform()), static_cast<float>(std::exp(8 + 2 * random.normal())),
          static_cast<float>(c == 3 ? 0 : std::exp(6 + 3 * random.normal())), static_cast<float>(random.uniform(0, 1))};
      record.visits.push_back(v);
      const double values[] = {v.speed, v.translational, v.rotational, v.height};
      for (int q = 0; q < kQuantities; ++q) samples[c][static_cast<std::size_t>(q)].push_back(values[q]);
    }
    cells.add(record, static_cast<std::uint32_t>(n % kCells));
  }
  cells.finish();
  CHECK(cells.trajectories() == 3000);
  double worst = 0;
  for (auto& [cell, quantities] : samples)
    for (std::size_t q = 0; q < kQuantities; ++q) {
      std::vector<double>& s = quantities[q];
      std::sort(s.begin(), s.end());
      CHECK(cells.passages(cell) == s.size());
      CHECK(cells.largest(cell, static_cast<Quantity>(q)) == s.back());
      double sum = 0;
      for (const double x : s) sum += x;
      CHECK(cells.mean(cell, static_cast<Quantity>(q)) ==
            doctest::Approx(sum / static_cast<double>(s.size())).epsilon(1e-12));
      for (const double p : kPercentiles) {
        const double exact = percentile(s, p), ours = cells.percentile(cell, static_cast<Quantity>(q), p);
        worst = std::max(worst, std::abs(ours - exact) / std::max(exact, 1e-5));
      }
    }
  CHECK(worst < 0.005);
  MESSAGE("worst relative error ", worst);
  // Nothing ever passed the last cell.
  CHECK(cells.passages(kCells - 1) == 0);
  CHECK(std::isnan(cells.percentile(kCells - 1, Quantity::Speed, 95)));
  CHECK(std::isnan(cells.mean(kCells - 1, Quantity::Speed)));
  CHECK(cells.deposits(0) == 75);
}
