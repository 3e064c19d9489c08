#pragma once

// Peers that think between a reply and the next request. If a peer closes, its timer is void.
//
// How long a connection thinks the k-th time is a function of the seed, its number and k, and of
// nothing that other connections do.

#include "base/mixed.h"
#include "load/models/options.h"
#include "load/peer.h"

#include <cmath>
#include <queue>
#include <vector>

namespace serverlab {

class ThinkTimers {
 public:
  explicit ThinkTimers(const ModelOptions& options) :
      mean_(options.think),
      varies_(options.think_varies),
      seed_(options.seed),
      connections_(options.connections) {}

  bool enabled() const { return mean_ > Duration::zero(); }

  /// A peer's next time to think: the mean, or exponentially distributed about it.
  Duration draw(Peer& peer) {
    if (!varies_) return mean_;
    std::uint64_t bits = mixed(mixed(seed_) + peer.number % connections_);
    bits = mixed(bits + peer.thinks++);
    const double uniform = static_cast<double>(bits >> 11) * 0x1p-53;  // below 1
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
  std::uint64_t seed_;
  std::uint32_t connections_;
  std::priority_queue<Timer> timers_;
};

}  // namespace serverlab
