// Progress of a run on standard error: one live line on a terminal, plain lines every few seconds elsewhere.
#pragma once

#include "io/run_loop.h"

namespace carom {

class Progress {
 public:
  Progress(bool quiet, std::int64_t first_step, std::int64_t last_step, Measure measure);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(const StepReport& report);
  void clear();  // no half line is left for what is printed next

 private:
  std::vector<std::string> fields(const StepReport& report) const;

  enum class Style : std::uint8_t { Silent, Plain, Live } style_;
  std::int64_t first_step_, last_step_;
  Measure measure_;
  Stopwatch watch_;
  double next_ = 0;  // when to print again, s on watch_
  bool shown_ = false;
  PhaseTimes<StepPhase> recent_;  // since the last print
};

// The fields joined by two spaces, leaving out those at the end that do not fit into `width` columns.
std::string fit_line(const std::vector<std::string>& fields, int width);

// The phase that took longest and its share of all, in percent.
struct SlowestPhase {
  StepPhase phase = StepPhase::Solve;
  double percent = 0;
};
SlowestPhase slowest_phase(const PhaseTimes<StepPhase>& times);

}  // namespace carom
