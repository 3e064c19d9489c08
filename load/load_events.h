#pragma once

#include "load/result.h"

#include <functional>

namespace serverlab {

/// What happens while a load runs, for a caller that shows it.
struct LoadEvents {
  std::function<void(std::uint32_t established)> connected;  // all that could be: warm-up begins
  std::function<void(std::uint32_t target)> at_border;       // told load: the next slice is of that
  std::function<void()> window_begun;
  std::function<void(const IntervalRow&, const Tally&)> interval;
  std::function<void()> window_ended;
};

}  // namespace serverlab
