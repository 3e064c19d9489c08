#include "net/alarm.h"

#include "base/syscall.h"

#include <algorithm>
#include <sys/timerfd.h>

namespace serverlab {

Alarm::Alarm() :
    fd_(check(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")) {}

void Alarm::set(Duration after) const {
  const Duration at_least_something = std::max(after, Duration(1));  // zero would switch it off
  const itimerspec once = {
      .it_interval = {},
      .it_value = {.tv_sec = at_least_something / std::chrono::seconds(1),
                   .tv_nsec = (at_least_something % std::chrono::seconds(1)).count()}};
  check(::timerfd_settime(fd(), 0, &once, nullptr), "timerfd_settime");
}

}  // namespace serverlab
