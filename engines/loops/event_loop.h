#pragma once

// One thread, one loop: the model that select, poll, epoll-level and their kind share. They differ
// by the poller alone.
//
//               ┌──────────────────────── one thread ────────────────────────┐
//   clients ══▶ │  wait ─▶ accept a batch                                    │
//               │   ▲      each ready connection: receive, run session, send │
//               │   └───── close what has finished ◀─────────────────────────┘

#include "engines/connections/accepting.h"
#include "engines/loops/drain.h"
#include "engines/loops/served_connections.h"
#include "net/stop_signal.h"

namespace serverlab {

template <Poller P>
class EventLoop {
 public:
  /// @throws std::system_error that names the call, if it cannot listen
  EventLoop(const ServeOptions& options, const Service& service, const StopSignal& stop,
            P poller = P()) :
      stop_(stop),
      drain_(stop, options.drain_limit),
      poller_(std::move(poller)),
      acceptor_(options, poller_),
      served_(options, service, stop, poller_) {
    poller_.add(stop.fd(), {.read = true});
    acceptor_.announce();
  }

  void run() {
    while (drain_.goes_on(served_.empty())) {
      for (const Ready& event : poller_.wait(drain_.wait_limit(acceptor_.wait_limit()))) {
        if (drain_.is_cut_off()) return;
        dispatch(event);
      }
      served_.close_finished();
      acceptor_.resume_if_rested();
      if (drain_.begins()) end_connections();
    }
  }

 private:
  void dispatch(const Ready& event) {
    if (event.fd == acceptor_.fd()) {
      acceptor_.accept([this](OwnedFd socket) { served_.adopt(std::move(socket)); });
    } else if (event.fd == stop_.fd()) {
      drain_.ask();
    } else {
      served_.serve(event);
    }
  }

  void end_connections() {
    acceptor_.close([this](OwnedFd socket) { served_.adopt(std::move(socket)); });
    poller_.remove(stop_.fd());
    served_.end_receiving_all();
  }

  const StopSignal& stop_;
  Drain drain_;
  P poller_;
  Acceptor<P> acceptor_;
  ServedConnections<P> served_;
};

}  // namespace serverlab
