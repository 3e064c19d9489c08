#pragma once

// One thread, one loop: the model that select, poll, epoll-level and their kind share. They differ
// by the poller alone.
//
//               ┌──────────────────────── one thread ────────────────────────┐
//   clients ══▶ │  wait ─▶ accept a batch                                    │
//               │   ▲      each ready connection: receive, run session, send │
//               │   └───── close what has finished ◀─────────────────────────┘

#include "engines/connections/accepting.h"
#include "engines/loops/served_connections.h"
#include "net/stop_signal.h"

#include <vector>

namespace serverlab {

template <Poller P>
class Reactor {
 public:
  /// @throws std::system_error that names the call, if it cannot listen
  Reactor(const ServeOptions& options, const Service& service, const StopSignal& stop,
          P poller = P()) :
      stop_(stop),
      drain_limit_(options.drain_limit),
      poller_(std::move(poller)),
      acceptor_(options, poller_),
      served_(options, service, poller_) {
    poller_.add(stop.fd(), {.read = true});
  }

  void run() {
    while (!draining_ || (!served_.empty() && now() < drain_deadline_)) {
      poller_.wait(ready_, wait_limit());
      for (const Ready& event : ready_) dispatch(event);
      served_.close_finished();
      acceptor_.resume_if_rested();
      if (stop_asked_ && !draining_) drain();
    }
  }

 private:
  void dispatch(const Ready& event) {
    if (event.fd == acceptor_.fd()) {
      acceptor_.accept([this](OwnedFd socket) { served_.adopt(std::move(socket)); });
    } else if (event.fd == stop_.fd()) {
      stop_asked_ = true;
    } else {
      served_.serve(event);
    }
  }

  void drain() {
    acceptor_.close([this](OwnedFd socket) { served_.adopt(std::move(socket)); });
    poller_.remove(stop_.fd());
    served_.end_receiving_all();
    draining_ = true;
    drain_deadline_ = now() + drain_limit_;
  }

  Duration wait_limit() const {
    return draining_ ? std::max(Duration::zero(), drain_deadline_ - now()) : acceptor_.wait_limit();
  }

  const StopSignal& stop_;
  const Duration drain_limit_;
  P poller_;
  Acceptor<P> acceptor_;
  ServedConnections<P> served_;
  std::vector<Ready> ready_;
  bool stop_asked_ = false;  // acted upon after the batch, in which the listener may still come
  bool draining_ = false;
  Instant drain_deadline_;
};

}  // namespace serverlab
