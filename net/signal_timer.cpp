#include "net/signal_timer.h"

#include "base/syscall.h"
#include "net/timer_value.h"

#include <csignal>

namespace serverlab {

SignalTimer::SignalTimer(int signal) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = signal;
  check(::timer_create(CLOCK_MONOTONIC, &event, &timer_), "timer_create");
}

void SignalTimer::set(Duration after) const noexcept {
  const itimerspec value = once_after(after);
  ::timer_settime(timer_, 0, &value, nullptr);
}

}  // namespace serverlab
