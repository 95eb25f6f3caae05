// Progress of a study on standard error: one live line with a bar on a terminal, plain lines elsewhere.
#pragma once

#include <cstdint>

#include "base/timer.h"

namespace carom {

class RockfallProgress {
 public:
  RockfallProgress(bool quiet, std::uint64_t all);
  ~RockfallProgress() { clear(); }
  RockfallProgress(const RockfallProgress&) = delete;
  RockfallProgress& operator=(const RockfallProgress&) = delete;

  void update(std::uint64_t done);
  void clear();

 private:
  bool quiet_, live_;
  std::uint64_t all_, first_ = 0;
  Stopwatch watch_;
  double next_ = 0, first_at_ = -1;
  bool shown_ = false;
};

}  // namespace carom
