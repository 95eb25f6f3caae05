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
#include <vector>

namespace carom {

// How many threads a loop may use. 1 is serial; `all()` is what OpenMP would take.
struct Threads {
  int count = 1;
  static Threads all() { return {omp_get_max_threads()}; }
};

// Below this many indices a parallel region costs more than it saves.
inline constexpr std::ptrdiff_t kSerialBelow = 512;

// body(i) for i in [0, n). An exception in a body is rethrown after the loop: the one with the
// smallest index, whatever the thread count.
template <class Body>
void parallel_for(Threads threads, std::ptrdiff_t n, Body&& body) {
  if (threads.count <= 1 || n < kSerialBelow) {
    for (std::ptrdiff_t i = 0; i < n; ++i) body(i);
    return;
  }
  std::exception_ptr failure;
  std::ptrdiff_t failed_at = n;
#pragma omp parallel for num_threads(threads.count) schedule(static)
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    try {
      body(i);
    } catch (...) {
#pragma omp critical(carom_parallel_for)
      if (i < failed_at) {
        failed_at = i;
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

// Scratch of parallel_reduce: one partial result per block of kReduceBlock terms.
inline constexpr std::ptrdiff_t kReduceBlock = 1024;

template <class T>
struct ReduceScratch {
  std::vector<T> partial;
};

// combine(...combine(combine(zero, term(0)), term(1))..., term(n-1)), blockwise in a fixed order.
template <class T, class Term, class Combine>
T parallel_reduce(Threads threads, std::ptrdiff_t n, T zero, Term&& term, Combine&& combine, ReduceScratch<T>& scratch) {
  const std::ptrdiff_t blocks = (n + kReduceBlock - 1) / kReduceBlock;
  scratch.partial.assign(static_cast<std::size_t>(blocks), zero);
  const int team = n < 4 * kReduceBlock ? 1 : std::max(1, threads.count);
#pragma omp parallel for num_threads(team) schedule(static) if (team > 1)
  for (std::ptrdiff_t b = 0; b < blocks; ++b) {
    T sum = zero;
    const std::ptrdiff_t end = std::min(n, (b + 1) * kReduceBlock);
    for (std::ptrdiff_t i = b * kReduceBlock; i < end; ++i) sum = combine(sum, term(i));
    scratch.partial[static_cast<std::size_t>(b)] = sum;
  }
  T total = zero;
  for (const T& sum : scratch.partial) total = combine(total, sum);
  return total;
}

}  // namespace carom
