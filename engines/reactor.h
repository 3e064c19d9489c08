#pragma once

// One thread, one loop: the model that poll, epoll-level and their kind share. They differ by
// the poller alone.
//
//               ┌──────────────────────── one thread ────────────────────────┐
//   clients ══▶ │  wait ─▶ accept a batch                                    │
//               │   ▲      each ready connection: receive, run session, send │
//               │   └───── close what has finished ◀─────────────────────────┘
//
// A finished connection is closed only after its batch of events, so that no later event of the
// same batch can mean a descriptor that has been given to somebody else.

#include "engines/accepting.h"
#include "engines/connections.h"
#include "net/stop_signal.h"

#include <vector>

namespace serverlab {

template <Poller P>
class Reactor {
 public:
  Reactor(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      options_(options),
      service_(service),
      stop_(stop),
      acceptor_(options, poller_),
      scratch_(options.read_buffer_bytes) {
    poller_.add(stop.fd(), {.read = true});
  }

  void run() {
    while (!draining_ || (connections_.count() > 0 && now() < drain_deadline_)) {
      poller_.wait(ready_, wait_limit());
      for (const Ready& event : ready_) dispatch(event);
      close_finished();
      acceptor_.resume_if_rested();
      if (stop_asked_ && !draining_) drain();
    }
  }

 private:
  void dispatch(const Ready& event) {
    if (event.fd == acceptor_.fd()) {
      acceptor_.accept([this](OwnedFd socket) { adopt(std::move(socket)); });
    } else if (event.fd == stop_.fd()) {
      stop_asked_ = true;
    } else {
      serve(connections_.at(event.fd), event);
    }
  }

  void adopt(OwnedFd socket) {
    AnySession session = service_.open(socket.get());
    const Connection& connection =
        connections_.open(std::move(socket), std::move(session), options_.high_water_bytes);
    poller_.add(connection.fd(), connection.interest());
  }

  void serve(Connection& connection, const Ready& event) {
    const Interest before = connection.interest();
    if (event.readable) connection.on_readable(scratch_);
    if (event.writable && !connection.finished()) connection.on_writable(scratch_);
    if (connection.finished()) {
      finished_.push_back(event.fd);
    } else if (connection.interest() != before) {
      poller_.change(event.fd, connection.interest());
    }
  }

  void close_finished() {
    for (const int fd : finished_) {
      poller_.remove(fd);
      connections_.close(fd);
    }
    finished_.clear();
  }

  void drain() {
    acceptor_.close([this](OwnedFd socket) { adopt(std::move(socket)); });
    poller_.remove(stop_.fd());
    connections_.end_receiving_all();
    draining_ = true;
    drain_deadline_ = now() + options_.drain_limit;
  }

  Duration wait_limit() const {
    return draining_ ? std::max(Duration::zero(), drain_deadline_ - now()) : acceptor_.wait_limit();
  }

  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  P poller_;
  Acceptor<P> acceptor_;
  Connections connections_;
  Scratch scratch_;
  std::vector<Ready> ready_;
  std::vector<int> finished_;  // in this batch
  bool stop_asked_ = false;    // acted upon after the batch, in which the listener may still come
  bool draining_ = false;
  Instant drain_deadline_;
};

}  // namespace serverlab
