#pragma once

// The connections of one loop, and their turns: what a loop does with what its poller tells. It
// never waits.
//
// A finished connection is closed only after its batch of events, so that no later event of the
// same batch can mean a descriptor that has been given to somebody else.

#include "engines/connections/connections.h"
#include "engines/serve_options.h"
#include "services/service.h"

#include <vector>

namespace serverlab {

template <Poller P>
class ServedConnections {
 public:
  ServedConnections(const ServeOptions& options, const Service& service, P& poller) :
      high_water_bytes_(options.high_water_bytes),
      service_(service),
      poller_(poller),
      scratch_(options.read_buffer_bytes) {}

  /// Begins a session; hangs up where the poller cannot hold the socket.
  void adopt(OwnedFd socket) {
    if (socket.get() >= P::descriptor_limit) return;
    AnySession session = service_.open(socket.get());
    const Connection& connection =
        connections_.open(std::move(socket), std::move(session), high_water_bytes_);
    poller_.add(connection.fd(), connection.interest());
  }

  /// A turn of the connection that an event is about.
  void serve(const Ready& event) {
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

  /// To be called after each batch of events.
  /// @return how many have gone
  int close_finished() {
    const int closed = static_cast<int>(finished_.size());
    for (const int fd : finished_) {
      poller_.remove(fd);
      connections_.close(fd);
    }
    finished_.clear();
    return closed;
  }

  void end_receiving_all() const { connections_.end_receiving_all(); }

  bool empty() const { return connections_.count() == 0; }

 private:
  const std::size_t high_water_bytes_;
  const Service& service_;
  P& poller_;
  Connections connections_;
  Scratch scratch_;
  std::vector<int> finished_;  // in this batch
};

}  // namespace serverlab
