#include "app/rockfall_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/terminal.h"

namespace carom {

namespace {

constexpr double kLivePeriod = 0.1, kPlainPeriod = 5;  // s
constexpr int kBar = 24;

}  // namespace

RockfallProgress::RockfallProgress(bool quiet, std::uint64_t all)
    : quiet_(quiet), live_(is_live(stderr)), all_(all), next_(live_ ? kLivePeriod : kPlainPeriod) {}

void RockfallProgress::update(std::uint64_t done) {
  const double now = watch_.seconds();
  if (first_at_ < 0) first_at_ = now, first_ = done;
  if (quiet_ || now < next_) return;
  next_ = now + (live_ ? kLivePeriod : kPlainPeriod);
  const double share = all_ > 0 ? static_cast<double>(done) / static_cast<double>(all_) : 1;
  // Resumed trajectories took no time now: the rate counts from the first block on.
  const double rate = now > first_at_ ? static_cast<double>(done - first_) / (now - first_at_) : 0;
  const std::string left = rate > 0 ? duration_text(static_cast<double>(all_ - done) / rate) : "?";
  const std::string figures =
      fmt::format("{} of {} trajectories  {:.1f} %  {:.3g}/s  {} left", with_commas(static_cast<std::int64_t>(done)),
                  with_commas(static_cast<std::int64_t>(all_)), 100 * share, rate, left);
  if (!live_) {
    fmt::print(stderr, "{}\n", figures);
    return;
  }
  const int full = static_cast<int>(share * kBar);
  std::string line = fmt::format("[{}{}]  {}", std::string(static_cast<std::size_t>(full), '#'),
                                 std::string(static_cast<std::size_t>(kBar - full), '.'), figures);
  const auto width = static_cast<std::size_t>(std::max(20, terminal_width(stderr) - 1));
  fmt::print(stderr, "\r\x1b[K{}", line.substr(0, width));
  std::fflush(stderr);
  shown_ = true;
}

void RockfallProgress::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

}  // namespace carom
