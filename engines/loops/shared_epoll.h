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
// The kernel reports a descriptor once, and not again until it is armed: so one thread at a time
// has it, replies stay in order, and no event can mean a descriptor that has been closed. Arming is
// the last step: from then on another thread may have the descriptor.

#include "engines/connections/accepting.h"
#include "engines/connections/connections.h"
#include "engines/connections/drain_deadline.h"
#include "net/alarm.h"
#include "net/epoll.h"
#include "net/stop_signal.h"
#include "services/service.h"

#include <mutex>

namespace serverlab {

class SharedEpoll {
 public:
  /// @throws std::system_error that names the call, if it cannot listen
  SharedEpoll(const ServeOptions& options, const Service& service, const StopSignal& stop);

  /// Reports that the server accepts connections. Call it when all threads exist: they may have
  /// served a client and stopped listening by then.
  void announce() const { options_.announce(address_); }

  const Epoll& epoll() const { return epoll_; }

  /// Does what an event asks for, on the calling thread, which may be any of the N.
  /// @return whether there is more to come; if not, every thread is woken to end
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
  const DrainDeadline deadline_;
  Epoll epoll_;
  std::mutex accepting_;
  Listener listener_;  // guarded by accepting_, but for its descriptor
  const int listener_fd_;
  const Address address_;
  Alarm rested_;       // accepting goes on
  Alarm drain_limit_;  // wakes a thread that waits, for the deadline
  StopSignal over_;    // stays raised, so that it wakes all threads
  std::mutex mutex_;
  Connections connections_;  // guarded by mutex_; each of them belongs to the thread that is told
  bool draining_ = false;    // guarded by mutex_
};

}  // namespace serverlab
