// Loops over OpenMP whose results do not depend on the number of threads.
//
// Two rules make that true: a loop body writes only what its own index owns, and sums are taken over
// blocks of fixed size whose partial results are added in block order. The thread count is an
// argument, never a global setting, so that a host program's own OpenMP use is left alone.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <vector>

namespace carom {

// How many threads a loop may use. 1 is serial; `all()` is what OpenMP would take.
struct Threads {
  int count = 1;
  static Threads all() { return {omp_get_max_threads()}; }
};

// Below this many indices a parallel region costs more than it saves.
inline constexpr std::ptrdiff_t kSerialBelow = 512;

// Keeps the exception of the smallest index, whatever the order in which threads fail. An exception must
// not leave an OpenMP region: that would end the program.
class LowestFailure {
 public:
  // Call from within a catch block.
  void record(std::ptrdiff_t index) {
#pragma omp critical(carom_lowest_failure)
    if (!failure_ || index < index_) {
      index_ = index;
      failure_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::ptrdiff_t index_ = 0;
  std::exception_ptr failure_;
};

// body(i) for i in [0, n). An exception in a body is rethrown after the loop: the one with the
// smallest index, whatever the thread count. Give a smaller `serial_below` when one index is much work.
template <class Body>
void parallel_for(Threads threads, std::ptrdiff_t n, Body&& body, std::ptrdiff_t serial_below = kSerialBelow) {
  if (threads.count <= 1 || n < serial_below) {
    for (std::ptrdiff_t i = 0; i < n; ++i) body(i);
    return;
  }
  LowestFailure failure;
#pragma omp parallel for num_threads(threads.count) schedule(static)
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    try {
      body(i);
    } catch (...) {
      failure.record(i);
    }
  }
  failure.rethrow();
}

// Scratch of parallel_reduce: one partial result per block of kReduceBlock terms.
inline constexpr std::ptrdiff_t kReduceBlock = 1024;

template <class T>
struct ReduceScratch {
  std::vector<T> partial;
};

// combine(...combine(combine(zero, term(0)), term(1))..., term(n-1)), blockwise in a fixed order. `zero`
// starts every block, so it must leave its partner unchanged. Exceptions as in parallel_for.
template <class T, class Term, class Combine>
T parallel_reduce(Threads threads, std::ptrdiff_t n, T zero, Term&& term, Combine&& combine,
                  ReduceScratch<T>& scratch) {
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> packs bits: threads would write to the same word");
  const std::ptrdiff_t blocks = (n + kReduceBlock - 1) / kReduceBlock;
  scratch.partial.assign(static_cast<std::size_t>(blocks), zero);
  const int team = n < 4 * kReduceBlock ? 1 : std::max(1, threads.count);
  LowestFailure failure;
#pragma omp parallel for num_threads(team) schedule(static) if (team > 1)
  for (std::ptrdiff_t b = 0; b < blocks; ++b) {
    try {
      T sum = zero;
      const std::ptrdiff_t end = std::min(n, (b + 1) * kReduceBlock);
      for (std::ptrdiff_t i = b * kReduceBlock; i < end; ++i) sum = combine(sum, term(i));
      scratch.partial[static_cast<std::size_t>(b)] = sum;
    } catch (...) {
      failure.record(b);
    }
  }
  failure.rethrow();
  T total = zero;
  for (const T& sum : scratch.partial) total = combine(total, sum);
  return total;
}

}  // namespace carom
