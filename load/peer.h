#pragma once

// One connection of the generator, from the first connect to the end, through however many
// losses and reopenings.

#include "base/owned_fd.h"
#include "load/in_flight.h"
#include "load/rare_bytes.h"
#include "services/workload.h"

namespace serverlab {

struct Peer {
  enum class State : std::uint8_t { closed, connecting, open };
  enum class Failure : std::uint8_t {
    none,
    of_the_last,  // the request that was finished last had no reply
    timed_out,    // a request timed out within the window
  };

  Peer(std::uint32_t peer_number, std::uint32_t peer_target, AnyClient peer_client,
       std::uint32_t depth) :
      number(peer_number), target(peer_target), client(std::move(peer_client)), in_flight(depth) {}

  void fail(Failure kind) {
    if (failure != Failure::timed_out) failure = kind;
  }
  bool was_lost() const { return lost_at != Instant::max(); }

  // In an order without padding: there may be a million peers.
  std::uint32_t number;  // unique over all workers, of all parts, and targets
  std::uint32_t target;  // which of the load's targets
  State state = State::closed;
  bool was_answered = false;  // within the window
  bool is_watched = false;    // by the time-outs of requests
  Failure failure = Failure::none;
  std::uint32_t generation = 0;  // of the socket: events of an earlier one are stale
  std::uint32_t thinks = 0;      // how often it has thought
  OwnedFd socket;
  std::uint32_t completed = 0;  // intended and answered within the window, for fairness
  float waited_s = 0;  // within the window, while it `was_answered` not: for requests in flight
  AnyClient client;
  InFlight in_flight;
  RareBytes unsent;     // of requests: what the socket did not take yet
  RareBytes unchecked;  // of replies: what the client has not consumed yet
  Instant connecting_since;
  Instant lost_at = Instant::max();  // Instant::max(): its last connection, if any, was not lost
};

}  // namespace serverlab
