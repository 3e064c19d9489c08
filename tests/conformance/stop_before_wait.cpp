// Loaded into a server by LD_PRELOAD: SIGTERM comes in the last moment before the server waits for
// its ring. No function that the thread sanitizer knows lies between the signal and the wait.

#include <csignal>
#include <dlfcn.h>
#include <liburing.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace {

void stop_once() {
  static bool is_sent = false;
  if (std::exchange(is_sent, true)) return;
  ::syscall(SYS_tgkill, ::getpid(), ::gettid(), SIGTERM);
}

}  // namespace

extern "C" int io_uring_submit_and_wait(io_uring* ring, unsigned completions) {
  static const auto next = reinterpret_cast<decltype(&::io_uring_submit_and_wait)>(
      ::dlsym(RTLD_NEXT, "io_uring_submit_and_wait"));
  stop_once();
  return next(ring, completions);
}

extern "C" int io_uring_submit_and_wait_timeout(io_uring* ring, io_uring_cqe** completion,
                                                unsigned completions, __kernel_timespec* limit,
                                                sigset_t* blocked) {
  static const auto next = reinterpret_cast<decltype(&::io_uring_submit_and_wait_timeout)>(
      ::dlsym(RTLD_NEXT, "io_uring_submit_and_wait_timeout"));
  stop_once();
  return next(ring, completion, completions, limit, blocked);
}
