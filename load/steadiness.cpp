#include "load/steadiness.h"

#include <array>
#include <cmath>

namespace serverlab {
namespace {

using Values = std::array<double, steady_intervals>;

// How far the least-squares line through equally spaced values rises from the first to the last,
// relative to their mean.
double relative_rise(const Values& values) {
  constexpr double middle = (steady_intervals - 1) / 2.0;
  double sum = 0;
  double moment = 0;
  double spread = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double place = static_cast<double>(i) - middle;
    sum += values[i];
    moment += place * values[i];
    spread += place * place;
  }
  const double rise = moment / spread * (steady_intervals - 1);
  return sum > 0 ? rise * steady_intervals / sum : INFINITY;
}

}  // namespace

bool is_steady(std::span<const WarmupInterval> intervals) {
  constexpr double rate_rise_max = 0.05;
  constexpr double latency_rise_max = 0.25;
  if (intervals.size() < steady_intervals) return false;
  Values rates{};
  Values latencies{};
  for (std::size_t i = 0; i < steady_intervals; ++i) {
    const WarmupInterval& interval = intervals[intervals.size() - steady_intervals + i];
    rates[i] = interval.rate_per_s;
    latencies[i] = static_cast<double>(interval.latency_p99_ns);
  }
  return std::abs(relative_rise(rates)) < rate_rise_max &&
         std::abs(relative_rise(latencies)) < latency_rise_max;
}

}  // namespace serverlab
