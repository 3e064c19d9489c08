#include "programs/last_resort.h"

#include "base/syscall.h"
#include "engines/connections/unanswered.h"
#include "programs/server_summary.h"
#include "programs/standard_streams.h"

#include <atomic>
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

namespace serverlab {
namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a handler knows no other way
std::atomic<const LastResort*> armed = nullptr;

constexpr Duration until_unlocked = std::chrono::milliseconds(1);

// By the system call: the thread sanitizer's _exit reports ended threads that are not
// joined as leaks.
void exit_at_once(int status) { ::syscall(SYS_exit_group, status); }

}  // namespace

LastResort::LastResort(const Engine& engine, StopSignal& stop, Duration drain_limit) :
    engine_(engine), stop_(stop), drain_limit_(drain_limit) {
  assert(armed == nullptr);
  struct sigaction action{};
  action.sa_handler = handle_alarm;
  action.sa_flags = SA_RESTART;
  check(::sigaction(SIGALRM, &action, nullptr), "sigaction SIGALRM");
  stop.alarm_after_raise(drain_limit + grace);
  armed = this;
}

LastResort::~LastResort() { armed = nullptr; }

void LastResort::handle_alarm(int) {
  const int interrupted_call = errno;
  if (const LastResort* const last_resort = armed) last_resort->end();
  errno = interrupted_call;
}

void LastResort::end() const {
  if (const auto total = try_counters_total_now()) {
    print_summary(engine_, *total, unknown_figures, drain_limit_);
    exit_at_once(printing_failed() ? EXIT_FAILURE : EXIT_SUCCESS);
  }
  stop_.alarm_again(until_unlocked);
}

}  // namespace serverlab
