#pragma once

// Connects a worker's peers: all of them before the load begins, then each that was lost, or that
// begins a session. At most `together_max` connect at a time, so that no accept queue overflows.

#include "load/load_options.h"
#include "load/shared_memory.h"
#include "load/transports/transport.h"

#include <deque>

namespace serverlab {

class Connecting {
 public:
  static constexpr std::uint32_t together_max = 256;

  Connecting(const LoadOptions& options, Transport& transport, WorkerReport& report) :
      options_(options), transport_(transport), report_(report) {}

  /// From `begin` on all of these are to be connected.
  /// @param rate_per_s how many per second; 0: as fast as they are accepted
  void start_all(std::span<Peer> peers, Instant begin, double rate_per_s);

  /// Those of them that have not begun to connect are left closed.
  void end_all() { unopened_ = {}; }

  /// To be connected once it is due, behind those that wait already, or before them.
  void add(Peer& peer, Instant due) { waiting_.push_back({due, &peer}); }
  void add_first(Peer& peer, Instant due) { waiting_.push_front({due, &peer}); }

  /// The next peer to be connected now; null if none is due, or too many are connecting.
  Peer* take_due(Instant now);

  /// Begins to connect: `opened` or `close` has to follow.
  /// @return 0, or the errno with which it failed at once
  int connect(Peer& peer, Instant now);

  /// The peer is open now.
  void opened(Peer& peer, Instant now, Tally& tally);

  /// Closes a peer, whatever its state.
  void close(Peer& peer);

  /// To be called until it returns null; what it returns is to be closed.
  /// @return a peer that has been connecting for longer than --connect-timeout
  Peer* take_overdue(Instant now);

  /// Whether some of all have not begun to connect.
  bool has_unopened() const { return !unopened_.empty(); }

  /// Peers that are open.
  std::uint32_t open() const { return open_; }

 private:
  struct Waiting {
    Instant due;
    Peer* peer;
  };
  struct Attempt {
    Peer* peer;
    std::uint32_t generation;  // another one than the peer's: the attempt is over
  };

  bool is_over(const Attempt& attempt) const {
    return attempt.generation != attempt.peer->generation ||
           attempt.peer->state != Peer::State::connecting;
  }
  void drop_finished();
  void publish_open() { report_.established.store(open_, std::memory_order_relaxed); }

  const LoadOptions& options_;
  Transport& transport_;
  WorkerReport& report_;
  std::span<Peer> all_;       // since `start_all`
  std::span<Peer> unopened_;  // of them
  Instant all_begin_;
  double all_rate_per_s_ = 0;
  std::deque<Waiting> waiting_;   // roughly by due instant
  std::deque<Attempt> attempts_;  // in the order in which they began
  std::uint32_t connecting_ = 0;
  std::uint32_t open_ = 0;
};

}  // namespace serverlab
