// Scoped phase timers. A phase is an enumerator; PhaseTimes is one double per phase, so that timing
// allocates nothing and reports add up by index.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace carom {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Stopwatch {
 public:
  double seconds() const { return seconds_now() - start_; }

 private:
  double start_ = seconds_now();
};

// Phase is an enum class whose last enumerator is Count.
template <class Phase>
struct PhaseTimes {
  std::array<double, static_cast<std::size_t>(Phase::Count)> seconds{};

  double& operator[](Phase p) { return seconds[static_cast<std::size_t>(p)]; }
  double operator[](Phase p) const { return seconds[static_cast<std::size_t>(p)]; }
  double total() const {
    double sum = 0;
    for (double s : seconds) sum += s;
    return sum;
  }
  PhaseTimes& operator+=(const PhaseTimes& other) {
    for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] += other.seconds[i];
    return *this;
  }
};

// Adds the time of its own scope to one phase.
template <class Phase>
class ScopedPhase {
 public:
  ScopedPhase(PhaseTimes<Phase>& times, Phase phase) : seconds_(times[phase]) {}
  ~ScopedPhase() { seconds_ += watch_.seconds(); }
  ScopedPhase(const ScopedPhase&) = delete;
  ScopedPhase& operator=(const ScopedPhase&) = delete;

 private:
  double& seconds_;
  Stopwatch watch_;
};

}  // namespace carom
