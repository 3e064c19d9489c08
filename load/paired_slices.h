#pragma once

// Two targets side by side: the ratio of their slices, pair by pair. Neighbouring slices are closer
// together than the machine drifts.

#include "load/result.h"

#include <optional>
#include <vector>

namespace serverlab {

/// A median, and the interval that holds the true one in 95 of 100 cases, whatever the
/// distribution: two order statistics.
struct PairedRatio {
  double median = 0;
  double low = 0;
  double high = 0;
  std::size_t pairs = 0;
};

/// @return none if there are fewer than six ratios, of which no interval can be had
std::optional<PairedRatio> median_of(std::vector<double> ratios);

/// What one target did in its slices over what another did in its own, each slice with one that is
/// close in time: the i-th with the i-th, if all count. A slice that has nothing does not. Of
/// goodput, one that was disturbed does not, either, unless too few are left.
std::optional<PairedRatio> goodput_ratio(const TargetResult& over, const TargetResult& under);
std::optional<PairedRatio> server_cpu_ratio(const TargetResult& over, const TargetResult& under);

}  // namespace serverlab
