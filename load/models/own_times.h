#pragma once

// The time of each client that starts on its own: it begins when the client is connected for the
// first time, and is as long for all.

#include "load/peer.h"

#include <deque>
#include <span>
#include <vector>

namespace serverlab {

class OwnTimes {
 public:
  OwnTimes(std::span<const Peer> peers, Duration each) :
      peers_(peers),
      each_(each),
      began_(peers.size(), not_yet),
      unfinished_(static_cast<std::uint32_t>(peers.size())) {}

  /// The peer is connected; its time begins if it has not begun before.
  /// @param now not before that of an earlier call
  void begin(Peer& peer, Instant now) {
    Instant& began = of(peer);
    if (began != not_yet) return;
    began = now;
    running_.push_back(&peer);
  }

  Instant began(const Peer& peer) const { return began_[place_of(peer)]; }

  bool is_over(const Peer& peer, Instant now) const {
    return began(peer) != not_yet && now >= began(peer) + each_;
  }

  /// A peer whose time is over by now, each once; null if there is none.
  Peer* take_over(Instant now) {
    if (running_.empty() || !is_over(*running_.front(), now)) return nullptr;
    Peer* const peer = running_.front();
    running_.pop_front();
    return peer;
  }

  /// When `take_over` must be called again; Instant::max() if no time is running.
  Instant next_over() const {
    return running_.empty() ? Instant::max() : began(*running_.front()) + each_;
  }

  /// One more has closed, after its time.
  void finish() { --unfinished_; }

  /// Peers that have not.
  std::uint32_t unfinished() const { return unfinished_; }

 private:
  static constexpr Instant not_yet = Instant::max();

  std::size_t place_of(const Peer& peer) const {
    return static_cast<std::size_t>(&peer - peers_.data());
  }
  Instant& of(const Peer& peer) { return began_[place_of(peer)]; }

  std::span<const Peer> peers_;
  Duration each_;
  std::vector<Instant> began_;  // by place among the peers
  std::deque<Peer*> running_;   // the earliest first
  std::uint32_t unfinished_;
};

}  // namespace serverlab
