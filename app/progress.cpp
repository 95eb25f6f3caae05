#include "app/progress.h"

#include <fmt/format.h>

#include <cmath>

#include "app/terminal.h"

namespace carom {

namespace {

constexpr double kLivePeriod = 0.1;   // s
constexpr double kPlainPeriod = 5.0;  // s

}  // namespace

Progress::Progress(bool quiet, std::int64_t first_step, std::int64_t last_step, Measure measure)
    : style_(quiet             ? Style::Silent
             : is_live(stderr) ? Style::Live
                               : Style::Plain),
      first_step_(first_step),
      last_step_(last_step),
      measure_(measure),
      next_(style_ == Style::Live ? kLivePeriod : kPlainPeriod) {}

void Progress::update(const StepReport& report) {
  if (style_ == Style::Silent) return;
  recent_ += report.phase_seconds;
  const double now = watch_.seconds();
  if (now < next_) return;
  if (style_ == Style::Live) {
    // The last column stays free: some terminals wrap when it is written.
    fmt::print(stderr, "\r{}\x1b[K", fit_line(fields(report), terminal_width(stderr) - 1));
    std::fflush(stderr);
    shown_ = true;
  } else {
    fmt::print(stderr, "{}\n", fit_line(fields(report), 1000));
  }
  next_ = now + (style_ == Style::Live ? kLivePeriod : kPlainPeriod);
  recent_ = {};
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

// In the order of importance: a narrow terminal loses the last ones.
std::vector<std::string> Progress::fields(const StepReport& report) const {
  const std::int64_t done = report.step - first_step_;
  const std::int64_t left = last_step_ - report.step;
  const double remaining = done > 0 ? watch_.seconds() / static_cast<double>(done) * static_cast<double>(left) : 0;
  const SlowestPhase slowest = slowest_phase(recent_);
  return {
      fmt::format("step {}/{}", report.step, last_step_),
      fmt::format("left {}", duration_text(std::ceil(remaining))),
      fmt::format("t {:.4g} s", report.time),
      fmt::format("{} contacts", report.contacts),
      fmt::format("{} it", report.iterations),
      fmt::format("res {:.1e}", measured(report.residuals, measure_)),
      fmt::format("{} {:.0f}%", name_of(slowest.phase), slowest.percent),
      fmt::format("{}% done", 100 * report.step / std::max<std::int64_t>(1, last_step_)),
  };
}

std::string fit_line(const std::vector<std::string>& fields, int width) {
  std::string line;
  for (const std::string& field : fields) {
    const std::size_t needed = line.size() + (line.empty() ? 0 : 2) + field.size();
    if (needed > static_cast<std::size_t>(std::max(0, width))) break;
    if (!line.empty()) line += "  ";
    line += field;
  }
  return line;
}

SlowestPhase slowest_phase(const PhaseTimes<StepPhase>& times) {
  SlowestPhase slowest;
  const double total = times.total();
  for (int i = 0; total > 0 && i < static_cast<int>(StepPhase::Count); ++i) {
    const auto phase = static_cast<StepPhase>(i);
    const double percent = 100 * times[phase] / total;
    if (percent > slowest.percent) slowest = {phase, percent};
  }
  return slowest;
}

}  // namespace carom
