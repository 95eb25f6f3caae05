// Foreign code in a process of its own: it may crash, exit or hang without taking the benchmark with it.
#pragma once

#include <cstddef>
#include <functional>

namespace carom::peers {

// Memory that a child process and its parent both see.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  void* data() { return data_; }

 private:
  std::size_t bytes_;
  void* data_;
};

enum class ChildEnd { Finished, OutOfTime, Crashed };

// Runs work in a child that has no output, and waits for it.
ChildEnd run_isolated(const std::function<void()>& work);

// In the child: from now on it may take so many seconds until it is killed as OutOfTime. 0: no limit.
void limit_child(double seconds);

}  // namespace carom::peers
