#pragma once

// Until when a stopped server answers: the drain limit, counted from the stop. It waits for
// nothing; an engine asks it between two turns, and waits no longer than is left.

#include "engines/connections/unanswered.h"
#include "net/stop_signal.h"

#include <algorithm>

namespace serverlab {

class DrainDeadline {
 public:
  DrainDeadline(const StopSignal& stop, Duration limit) : stop_(stop), limit_(limit) {}

  /// Whether no further turn is to be taken. From then on what ends unanswered is counted. Costs a
  /// load while there is no stop. From any thread.
  bool passed() const {
    const Instant stopped_at = stop_.raised_at();
    if (stopped_at == Instant::max() || now() < stopped_at + limit_) return false;
    count_unanswered();
    return true;
  }

  /// How long to wait at most. To be asked after a stop.
  Duration left() const { return std::max(Duration::zero(), stop_.raised_at() + limit_ - now()); }

 private:
  const StopSignal& stop_;
  const Duration limit_;
};

}  // namespace serverlab
