#include "net/alarm.h"

#include "base/syscall.h"
#include "net/timer_value.h"

#include <sys/timerfd.h>

namespace serverlab {

Alarm::Alarm() :
    fd_(check(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")) {}

void Alarm::set(Duration after) const {
  const itimerspec value = once_after(after);
  check(::timerfd_settime(fd(), 0, &value, nullptr), "timerfd_settime");
}

}  // namespace serverlab
