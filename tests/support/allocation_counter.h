// Counts heap allocations of the whole program (malloc and everything built on it, operator new included), to
// show that a steady state makes none. Eigen calls malloc itself, so counting operator new alone would miss it.
//
//     AllocationCounter counter;
//     solver.solve(problem, r);
//     if (AllocationCounter::available()) CHECK(counter.count() == 0);
#pragma once

namespace carom {

class AllocationCounter {
 public:
  AllocationCounter() : start_(total()) {}
  long count() const { return total() - start_; }  // since construction

  static long total();      // since the program began
  static bool available();  // false under sanitizers, which own malloc
 private:
  long start_;
};

}  // namespace carom
