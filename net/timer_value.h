#pragma once

// A duration as the kernel's timers take it.

#include "base/clock.h"

#include <algorithm>
#include <ctime>

namespace serverlab {

/// For a timer that expires once, after so long; at once if that is no time at all.
inline itimerspec once_after(Duration after) noexcept {
  const Duration at_least_something = std::max(after, Duration(1));  // zero would switch it off
  return {.it_interval = {},
          .it_value = {.tv_sec = at_least_something / std::chrono::seconds(1),
                       .tv_nsec = (at_least_something % std::chrono::seconds(1)).count()}};
}

}  // namespace serverlab
