#pragma once

// When a warm-up is over: a rule about its last few intervals.

#include "base/clock.h"

#include <cstdint>
#include <span>

namespace serverlab {

struct WarmupInterval {
  double rate_per_s = 0;
  std::int64_t latency_p99_ns = 0;
};

constexpr Duration warmup_interval = std::chrono::milliseconds(200);
constexpr std::size_t steady_intervals = 5;

/// Whether the last five intervals are steady: the straight line through their rates rises or
/// falls by less than 5 % of their mean from end to end, and the line through their p99s by less
/// than 25 %.
bool is_steady(std::span<const WarmupInterval> intervals);

}  // namespace serverlab
