// The struck chain of balls by Siconos' multiple impact (OSNSMultipleImpact, MultipleImpact since 4.4), for
// comparison: plain arrays in and out, so that none of its headers meet ours.
#pragma once

#include <vector>

struct SiconosChain {
  int balls = 0;
  double stiffness = 1;
  double exponent = 1.5;
  double restitution = 1;
  double step = 1e-3;  // of the impulse of its primary contact, N s
  double most_seconds = 60;
};

struct SiconosOutcome {
  bool done = false;
  double seconds = 0;              // of the impact alone; when not done: until it was stopped
  std::vector<double> velocities;  // m/s, empty when not done
};

// Balls of 1 kg in a row that touch, the first at 1 m/s. Runs in a process of its own, which is ended when it takes
// too long: the library has no time limit and writes files where it is.
SiconosOutcome run_siconos_chain(const SiconosChain& chain);
