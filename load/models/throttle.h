#pragma once

// Limits the requests per second on a connection, with bursts: the generic cell rate algorithm, a
// token bucket that stores an instant instead of tokens (ITU-T I.371).

#include "base/clock.h"

#include <algorithm>
#include <cstdint>

namespace serverlab {

struct ThrottleRate {
  /// @param rate_per_s above 0
  /// @param burst at least 1
  ThrottleRate(double rate_per_s, std::uint32_t burst) :
      interval(from_seconds(1 / rate_per_s)), slack((burst - 1) * interval) {}

  Duration interval;
  Duration slack;
};

/// One connection's.
class Throttle {
 public:
  /// @param wished not earlier than for the request before
  /// @return when the request may be made
  Instant admit(const ThrottleRate& rate, Instant wished) {
    const Instant when = std::max(wished, expected_ - rate.slack);
    expected_ = std::max(expected_, when) + rate.interval;
    return when;
  }

 private:
  Instant expected_;  // when the next request would be due at an even rate
};

}  // namespace serverlab
