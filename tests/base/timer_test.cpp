#include "base/timer.h"

#include <doctest/doctest.h>

#include <thread>

using namespace carom;

namespace {

enum class Phase { Sleep, Idle, Count };

void sleep_milliseconds(int n) { std::this_thread::sleep_for(std::chrono::milliseconds(n)); }

}  // namespace

TEST_CASE("a scope's time goes to its phase and to no other") {
  PhaseTimes<Phase> times;
  const Stopwatch whole;
  for (int k = 0; k < 3; ++k) {
    const ScopedPhase scope(times, Phase::Sleep);
    sleep_milliseconds(4);
  }
  CHECK(times[Phase::Sleep] >= 0.012);
  CHECK(times[Phase::Sleep] <= whole.seconds());
  CHECK(times[Phase::Idle] == 0);
  CHECK(times.total() == times[Phase::Sleep]);
}

TEST_CASE("a phase is timed also when its scope ends by an exception") {
  PhaseTimes<Phase> times;
  try {
    const ScopedPhase scope(times, Phase::Sleep);
    sleep_milliseconds(2);
    throw 1;
  } catch (int) {
  }
  CHECK(times[Phase::Sleep] >= 0.002);
}

TEST_CASE("phase times add up phase by phase") {
  PhaseTimes<Phase> a, b;
  a[Phase::Sleep] = 1, a[Phase::Idle] = 2;
  b[Phase::Sleep] = 10, b[Phase::Idle] = 20;
  a += b;
  CHECK(a[Phase::Sleep] == 11);
  CHECK(a[Phase::Idle] == 22);
  CHECK(a.total() == 33);
}
