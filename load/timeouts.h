#pragma once

// Finds requests that have been in flight for too long, without looking at every connection.
//
// A connection is looked at once a timeout at most, while it has requests in flight: when the
// oldest of them would be late. If that one has been answered meanwhile, the next look is when the
// request that is the oldest by then would be late. So a request costs nothing but the first of a
// connection that is not watched yet, and a connection that idles costs nothing at all.

#include "load/peer.h"

#include <queue>

namespace serverlab {

class Timeouts {
 public:
  explicit Timeouts(Duration timeout) : timeout_(timeout) {}

  /// To be told of every request that is sent.
  void sent(Peer& peer, Instant when) {
    if (peer.is_watched) return;
    peer.is_watched = true;
    looks_.push({when + timeout_, &peer});
  }

  /// To be called until it returns null; what it returns is to be given up.
  /// @return a peer whose oldest request was sent longer than the timeout ago
  Peer* take_overdue(Instant now) {
    for (int looked = 0; is_behind(now) && looked < together_max; ++looked) {
      Peer& peer = *looks_.top().peer;
      looks_.pop();
      peer.is_watched = false;
      if (peer.in_flight.empty()) continue;
      const Instant oldest = peer.in_flight.oldest().sent;
      if (oldest == Instant()) continue;  // it goes out with the next wait; `sent` follows
      if (now - oldest > timeout_) return &peer;
      sent(peer, oldest);
    }
    return nullptr;
  }

  /// Whether looks are due.
  bool is_behind(Instant now) const { return !looks_.empty() && looks_.top().due < now; }

 private:
  // Some ten microseconds of work. Thousands of looks may be due at once, and so may requests.
  static constexpr int together_max = 64;

  struct Look {
    Instant due;
    Peer* peer;
    bool operator<(const Look& other) const { return due > other.due; }  // the earliest on top
  };

  Duration timeout_;
  std::priority_queue<Look> looks_;  // one for each peer that is watched
};

}  // namespace serverlab
