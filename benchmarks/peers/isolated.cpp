#include "benchmarks/peers/isolated.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>

namespace carom::peers {

SharedMemory::SharedMemory(std::size_t bytes)
    : bytes_(bytes), data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
  if (data_ == MAP_FAILED) throw std::bad_alloc();
}

SharedMemory::~SharedMemory() { ::munmap(data_, bytes_); }

namespace {

[[noreturn]] void be_child(const std::function<void()>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM}) std::signal(signal, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  try {
    work();
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

ChildEnd run_isolated(const std::function<void()>& work) {
  std::fflush(nullptr);  // or the child's copy of the buffers might be written too
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process for a peer's solver could be started");
  if (child == 0) be_child(work);
  int end = 0;
  while (::waitpid(child, &end, 0) < 0) {
  }
  if (WIFSIGNALED(end)) return WTERMSIG(end) == SIGALRM ? ChildEnd::OutOfTime : ChildEnd::Crashed;
  return WEXITSTATUS(end) == 0 ? ChildEnd::Finished : ChildEnd::Crashed;
}

void limit_child(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - std::floor(seconds)));
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace carom::peers
