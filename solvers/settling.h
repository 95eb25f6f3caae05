// Blocks that have settled are left out of some sweeps.
//
// A block is settled after three visits in a row that moved it by less than a thousandth of what the sweep before moved
// anyone. It is then left out of seven sweeps and visited again: one visit that moves it, and it takes part as before.
// No stop test is fooled: a sweep that left someone out never counts as at rest, residuals are recomputed from all
// blocks, and after each such check everyone is awake.
#pragma once

#include <cstdint>
#include <limits>

namespace carom {

// Of one block.
struct Settled {
  std::uint16_t quiet = 0;   // visits in a row that hardly moved it
  std::uint16_t asleep = 0;  // sweeps to leave it out
};

// Of one sweep. Changes are squares of velocities, (m/s)^2.
struct Settling {
  static constexpr int kVisits = 3, kSleep = 7;
  static constexpr double kQuiet = 1e-3;
  static constexpr double kNotSeen = std::numeric_limits<double>::min();  // change of a block left out: not zero

  bool on = false;
  double last_sweep = std::numeric_limits<double>::infinity();  // largest change

  bool leaves_out(Settled& block) const {
    if (block.asleep == 0) return false;
    --block.asleep;
    return true;
  }
  void visited(Settled& block, double change) const {
    if (!on) return;
    block.quiet = change <= kQuiet * kQuiet * last_sweep ? std::uint16_t(block.quiet + 1) : 0;
    block.asleep = block.quiet >= kVisits ? kSleep : 0;
  }
};

}  // namespace carom
