#pragma once

// Peers that think between a reply and the next request. If a peer closes, its timer is void.

#include "load/peer.h"

#include <cmath>
#include <queue>
#include <random>
#include <vector>

namespace serverlab {

class ThinkTimers {
 public:
  ThinkTimers(Duration mean, bool varies, std::uint64_t seed) :
      mean_(mean), varies_(varies), random_(seed) {}

  bool enabled() const { return mean_ > Duration::zero(); }

  /// A time to think: the mean, or exponentially distributed about it.
  Duration draw() {
    if (!varies_) return mean_;
    const double uniform = std::generate_canonical<double, 53>(random_);
    return from_seconds(-std::log1p(-uniform) * seconds(mean_));
  }

  void add(Peer& peer, Instant due) { timers_.push({due, &peer, peer.generation}); }

  /// @return a peer whose timer has expired, and when it did; null if there is none
  Peer* take_due(Instant now, Instant& due) {
    while (!timers_.empty() && timers_.top().due <= now) {
      const Timer timer = timers_.top();
      timers_.pop();
      due = timer.due;
      if (timer.generation == timer.peer->generation) return timer.peer;
    }
    return nullptr;
  }

  Instant next_due() const { return timers_.empty() ? Instant::max() : timers_.top().due; }
  std::size_t count() const { return timers_.size(); }
  void clear() { timers_ = {}; }

 private:
  struct Timer {
    Instant due;
    Peer* peer;
    std::uint32_t generation;
    bool operator<(const Timer& other) const { return due > other.due; }  // the earliest on top
  };

  Duration mean_;
  bool varies_;
  std::mt19937_64 random_;
  std::priority_queue<Timer> timers_;
};

}  // namespace serverlab
