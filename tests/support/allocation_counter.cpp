#include "allocation_counter.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAROM_COUNTS_ALLOCATIONS 1
#else
#define CAROM_COUNTS_ALLOCATIONS 0
#endif

namespace {
constinit std::atomic<long> allocations{0};
}

namespace carom {
long AllocationCounter::total() { return allocations.load(std::memory_order_relaxed); }
bool AllocationCounter::available() { return CAROM_COUNTS_ALLOCATIONS; }
}  // namespace carom

#if CAROM_COUNTS_ALLOCATIONS

// glibc's own allocator under its internal names; defining the public ones in the program replaces them.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
}

#endif
