#pragma once

// The connections of one loop, and their turns: what a loop does with what its poller reports. It
// never waits. All of it belongs to the loop's thread.
//
// A finished connection is closed only after its batch of events, so that no later event of the
// same batch can mean a descriptor that now belongs to another connection.

#include "base/reserve.h"
#include "base/thread_contract.h"
#include "engines/connections/connections.h"
#include "engines/connections/peer.h"
#include "engines/serve_options.h"
#include "services/service.h"

#include <vector>

namespace serverlab {

template <Poller P>
class ServedConnections {
 public:
  ServedConnections(const ServeOptions& options, const Service& service, const StopSignal& stop,
                    P& poller) :
      options_(options),
      service_(service),
      stop_(stop),
      poller_(poller),
      scratch_(options.read_buffer_bytes) {}

  /// Begins a session; closes a socket that the poller cannot hold.
  /// @throws std::exception if there is no memory for it; the socket is closed
  void adopt(OwnedFd socket) {
    owner_.assert_here();
    if (socket.get() >= P::descriptor_limit) return;
    reserve_room(finished_, connections_.count() + 1);
    AnySession session = service_.open(peer_of(socket.get()));
    const auto watch = [this](const Connection& connection) {
      poller_.add(connection.fd(), connection.interest());
    };
    connections_.open(std::move(socket), watch, std::move(session), options_, stop_);
  }

  /// Gives the event's connection a turn.
  void serve(const Ready& event) {
    owner_.assert_here();
    Connection& connection = connections_.at(event.fd);
    const Interest before = connection.interest();
    if (event.readable) connection.on_readable(scratch_);
    if (event.writable && !connection.finished()) connection.on_writable(scratch_);
    if (connection.finished()) {
      finished_.push_back(event.fd);
    } else if (connection.interest() != before) {
      poller_.change(event.fd, connection.interest());
    }
  }

  /// Call it after each batch of events.
  /// @return how many it has closed
  int close_finished() {
    owner_.assert_here();
    const int closed = static_cast<int>(finished_.size());
    for (const int fd : finished_) {
      poller_.remove(fd);
      connections_.close(fd);
    }
    finished_.clear();
    return closed;
  }

  void end_receiving_all() const {
    owner_.assert_here();
    connections_.end_receiving_all();
  }

  bool empty() const { return connections_.count() == 0; }

 private:
  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  P& poller_;
  Connections connections_;
  Scratch scratch_;
  std::vector<int> finished_;  // in this batch; there is room for all connections
  [[no_unique_address]] OwnerThread owner_;
};

}  // namespace serverlab
