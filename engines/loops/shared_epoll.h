#pragma once

// A set of descriptors that N threads serve: what epoll-shared and leader-follower have in common.
// They differ by how a thread gets its next event.
//
//             ┌── one epoll ────────┐  told to one   ┌─ whichever thread gets it ───────┐
//  clients ══▶│ listener            │───────────────▶│ accept a batch                   │
//             │ connections         │                │ or receive, run session, send;   │
//             │ rest, stop, limit   │◀───────────────│ arm the descriptor again, last   │
//             └─────────────────────┘                └──────────────────────────────────┘
//
// A descriptor is told of once, and then no more until it is armed again: so one thread at a time
// has it, replies stay in order, and no event can mean a descriptor that has been closed. Arming is
// the last thing done: from then on another thread may have it.

#include "engines/connections/accepting.h"
#include "engines/connections/connections.h"
#include "net/alarm.h"
#include "net/epoll.h"
#include "net/stop_signal.h"
#include "services/service.h"

#include <mutex>

namespace serverlab {

class OneShot {
 public:
  /// @throws std::system_error that names the call, if it cannot listen
  OneShot(const ServeOptions& options, const Service& service, const StopSignal& stop);

  const Epoll& epoll() const { return epoll_; }

  /// Does what an event asks for, on the calling thread.
  /// @return whether there is more to come; if not, every thread is told so
  bool handle(const Ready& event, Scratch& scratch);

 private:
  void accept();
  void adopt(OwnedFd socket);
  void serve(const Ready& event, Scratch& scratch);
  void drain();
  void arm(int fd) { epoll_.change(fd, {.read = true}, Trigger::one_shot); }

  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  Epoll epoll_;
  std::mutex accepting_;
  Listener listener_;  // guarded by accepting_, but for its descriptor
  const int listener_fd_;
  Alarm rested_;       // accepting goes on
  Alarm drain_limit_;  // what is left is dropped
  StopSignal over_;    // stays told, so that all threads hear it
  std::mutex mutex_;
  Connections connections_;  // guarded by mutex_; each of them belongs to the thread that is told
  bool draining_ = false;    // guarded by mutex_
};

}  // namespace serverlab
