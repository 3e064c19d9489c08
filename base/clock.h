#pragma once

// The monotonic clock, in std::chrono types. Everything that is measured uses this one clock.

#include <chrono>
#include <cstdint>
#include <functional>

namespace serverlab {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC through the vDSO, about 25 ns a reading
using Instant = Clock::time_point;
using Duration = std::chrono::nanoseconds;

inline Instant now() { return Clock::now(); }

/// Where code that reads no clock gets the time from. Called by any thread.
using TimeSource = std::function<Instant()>;

inline double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

inline Duration from_seconds(double value_s) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value_s));
}

}  // namespace serverlab
