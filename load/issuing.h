#pragma once

// Issues requests: makes those of one connection into a batch, sends it, and notes when it was
// sent.

#include "load/recorder.h"
#include "load/timeouts.h"
#include "load/transports/transport.h"

#include <vector>

namespace serverlab {

class Issuing {
 public:
  Issuing(Transport& transport, Recorder& recorder, Timeouts& timeouts) :
      transport_(transport), recorder_(recorder), timeouts_(timeouts) {}

  /// Adds the peer's next request to the batch.
  void add(Peer& peer, Instant intended, Instant due);

  /// Sends the batch, all of whose requests are the peer's.
  /// @return false if the connection is broken
  bool flush(Peer& peer);

  /// Notes when those requests were sent that went out with the last wait.
  void stamp_waiting(Instant sent);
  bool has_unstamped() const { return !unstamped_.empty(); }

  /// The peer's oldest request was answered, or is given up.
  void finish_oldest(Peer& peer) {
    peer.in_flight.pop();
    --in_flight_;
  }

  /// Of all peers.
  std::uint64_t in_flight() const { return in_flight_; }

 private:
  void stamp(Peer& peer, Instant sent);

  Transport& transport_;
  Recorder& recorder_;
  Timeouts& timeouts_;
  Bytes batch_;                   // requests of the peer that is being issued to
  std::uint32_t batched_ = 0;     // how many
  std::vector<Peer*> unstamped_;  // peers whose requests go out with the next wait
  std::uint64_t in_flight_ = 0;
};

}  // namespace serverlab
