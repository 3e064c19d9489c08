#pragma once

// Time taken on purpose. A session knows no clock; one whose work is to take time asks for it here,
// and the thread that runs the session is held up for so long, which is the effect to measure.

#include "base/clock.h"

namespace serverlab {

enum class DelayKind : std::uint8_t {
  spin,   // busy until the monotonic clock has moved on, with the CPU or without
  cpu,    // busy until the thread's own CPU clock has moved on: so much work
  sleep,  // idle until the monotonic clock has moved on
};

void delay(DelayKind kind, Duration duration);

}  // namespace serverlab
