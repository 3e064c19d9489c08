#pragma once

// One eventfd that stays readable once a stop is asked for: every wait of every engine can include
// it, and any number of threads see it.

#include "base/clock.h"
#include "base/owned_fd.h"

namespace serverlab {

class StopSignal {
 public:
  StopSignal();

  /// Readable from the moment a stop is asked for. Never read it.
  int fd() const { return fd_.get(); }

  /// Async-signal-safe, callable from any thread, any number of times.
  void raise() const noexcept;

  bool raised() const { return wait(Duration::zero()); }

  /// Sleeps until it is raised, or the limit has passed; a negative one never does.
  /// @return whether it is raised
  bool wait(Duration limit) const;

  /// SIGTERM and SIGINT raise this signal from now on; a second one of them ends the process at
  /// once. At most one StopSignal of a process may do this.
  void raise_on_termination();

 private:
  OwnedFd fd_;
};

}  // namespace serverlab
