#include "base/delay.h"

#include <ctime>

namespace serverlab {
namespace {

Duration thread_cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// Until an instant, not for a duration: a signal's interruption must not prolong it. By nanosleep,
// which gcc 12's thread sanitizer knows: during clock_nanosleep it would put a signal off.
void sleep_until(Instant end) {
  for (Duration left = end - now(); left > Duration::zero(); left = end - now()) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(left);
    const timespec rest = {.tv_sec = whole.count(), .tv_nsec = (left - whole).count()};
    ::nanosleep(&rest, nullptr);
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
