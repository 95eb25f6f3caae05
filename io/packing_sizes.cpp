#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/packing.h"

namespace carom {

namespace {

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

[[noreturn]] void refuse(const std::string& item, const std::string& problem, double value) {
  throw InputError({"", 0, 0, item}, problem, fmt::format("{:g}", value));
}

void check_radius(const std::string& item, double value) {
  if (!(value > 0) || !std::isfinite(value)) refuse(item, "a radius is positive and finite", value);
}

double cube(double x) { return x * x * x; }

}  // namespace

SizeDistribution SizeDistribution::uniform(double low, double high) {
  check_radius("radius.low", low);
  check_radius("radius.high", high);
  if (high < low) refuse("radius.high", "is below the lowest radius", high);
  SizeDistribution d;
  d.low_ = low;
  d.high_ = high;
  return d;
}

SizeDistribution SizeDistribution::log_normal(double median, double sigma, double low, double high) {
  SizeDistribution d = uniform(low, high);
  check_radius("radius.median", median);
  if (!(sigma > 0) || !std::isfinite(sigma)) refuse("radius.sigma", "a deviation is positive and finite", sigma);
  if (median < low || median > high) refuse("radius.median", "lies outside of the lowest and highest radius", median);
  d.kind_ = Kind::LogNormal;
  d.median_ = median;
  d.sigma_ = sigma;
  return d;
}

SizeDistribution SizeDistribution::sieve(std::vector<double> diameters, std::vector<double> passing) {
  if (diameters.size() < 2 || diameters.size() != passing.size())
    throw InputError({"", 0, 0, "sieve"}, "needs at least two openings and as many passing shares",
                     fmt::format("{} and {}", diameters.size(), passing.size()));
  SizeDistribution d;
  d.kind_ = Kind::Sieve;
  for (std::size_t k = 0; k < diameters.size(); ++k) {
    check_radius(fmt::format("sieve.diameters[{}]", k), diameters[k]);
    if (!(passing[k] >= 0 && passing[k] <= 1))
      refuse(fmt::format("sieve.passing[{}]", k), "a share of the mass is in [0, 1]", passing[k]);
    if (k > 0 && !(diameters[k] > diameters[k - 1]))
      refuse(fmt::format("sieve.diameters[{}]", k), "openings increase", diameters[k]);
    if (k > 0 && !(passing[k] >= passing[k - 1]))
      refuse(fmt::format("sieve.passing[{}]", k), "what passes a larger opening is no less", passing[k]);
    d.radii_.push_back(0.5 * diameters[k]);
  }
  if (passing.front() != 0) refuse("sieve.passing[0]", "the smallest opening lets nothing pass: 0", passing.front());
  if (passing.back() != 1)
    refuse(fmt::format("sieve.passing[{}]", passing.size() - 1), "the largest opening lets all pass: 1",
           passing.back());
  // Numbers: mass m spread over ln r between a and b holds m / ln(b/a) int r^-3 dr/r ~ m (a^-3 - b^-3) / (3 ln(b/a)).
  d.cumulative_.assign(1, 0.0);
  for (std::size_t k = 1; k < d.radii_.size(); ++k) {
    const double a = d.radii_[k - 1], b = d.radii_[k];
    const double number = (passing[k] - passing[k - 1]) * (1 / cube(a) - 1 / cube(b)) / (3 * std::log(b / a));
    d.cumulative_.push_back(d.cumulative_.back() + number);
  }
  for (double& c : d.cumulative_) c /= d.cumulative_.back();
  d.low_ = d.radii_.front();
  d.high_ = d.radii_.back();
  return d;
}

double SizeDistribution::quantile(double u) const {
  if (kind_ == Kind::Uniform) return low_ + u * (high_ - low_);
  if (kind_ == Kind::LogNormal) {
    // CDF between the cuts, inverted by bisection in ln r: 60 halvings leave less than rounding.
    const auto cdf = [&](double log_r) { return normal_cdf((log_r - std::log(median_)) / sigma_); };
    double from = std::log(low_), to = std::log(high_);
    const double wanted = cdf(from) + u * (cdf(to) - cdf(from));
    for (int k = 0; k < 60 && to > from; ++k) {
      const double middle = 0.5 * (from + to);
      (cdf(middle) < wanted ? from : to) = middle;
    }
    return std::clamp(std::exp(0.5 * (from + to)), low_, high_);
  }
  // Density ~ r^-4 within an interval: r^-3 falls linearly with the rank.
  const auto above = std::upper_bound(cumulative_.begin() + 1, cumulative_.end() - 1, u);
  const auto k = static_cast<std::size_t>(above - cumulative_.begin());
  const double share = cumulative_[k] - cumulative_[k - 1];
  const double t = share > 0 ? std::clamp((u - cumulative_[k - 1]) / share, 0.0, 1.0) : 0.0;
  const double a = 1 / cube(radii_[k - 1]), b = 1 / cube(radii_[k]);
  return std::clamp(std::cbrt(1 / (a - t * (a - b))), low_, high_);
}

std::vector<double> radii_filling(const SizeDistribution& sizes, double volume, std::size_t most) {
  const auto grain_volume = [](double r) { return 4.0 / 3.0 * M_PI * cube(r); };
  // Mean over the middles of n equal parts of the distribution; n = volume / mean, to a fixed point.
  const auto mean_volume = [&](std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      sum += grain_volume(sizes.quantile((static_cast<double>(i) + 0.5) / static_cast<double>(n)));
    return sum / static_cast<double>(n);
  };
  std::size_t n = 4096;
  double wanted = volume / mean_volume(n);
  for (int pass = 0; pass < 4; ++pass) {
    if (!(wanted <= static_cast<double>(most)))
      throw InputError({"", 0, 0, "packing"},
                       fmt::format("needs {:.3g} grains of these sizes; at most {} are allowed", wanted, most));
    const auto rounded = static_cast<std::size_t>(std::llround(wanted));
    if (rounded == 0)
      throw InputError({"", 0, 0, "packing"}, "the container is too small for a single grain of these sizes");
    if (rounded == n) break;
    n = rounded;
    wanted = volume / mean_volume(n);
  }
  std::vector<double> radii(n);
  for (std::size_t i = 0; i < n; ++i)
    radii[i] = sizes.quantile((static_cast<double>(i) + 0.5) / static_cast<double>(n));
  return radii;
}

}  // namespace carom
