#include "base/delay.h"

#include <cerrno>
#include <ctime>

namespace serverlab {
namespace {

Duration thread_cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// Until an instant, not for a duration: a signal's interruption must not prolong it.
void sleep_until(Instant end) {
  const Duration since_epoch = end.time_since_epoch();
  const auto whole = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const timespec until = {.tv_sec = whole.count(), .tv_nsec = (since_epoch - whole).count()};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace

void delay(DelayKind kind, Duration duration) {
  if (duration <= Duration::zero()) return;
  switch (kind) {
    case DelayKind::spin:
      for (const Instant end = now() + duration; now() < end;) {
      }
      break;
    case DelayKind::cpu:
      for (const Duration end = thread_cpu_time() + duration; thread_cpu_time() < end;) {
      }
      break;
    case DelayKind::sleep: sleep_until(now() + duration); break;
  }
}

}  // namespace serverlab
