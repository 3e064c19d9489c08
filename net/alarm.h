#pragma once

// A timerfd: a moment for which a loop waits as it waits for anything else.

#include "base/clock.h"
#include "base/owned_fd.h"

namespace serverlab {

class Alarm {
 public:
  Alarm();

  /// Readable from the moment it rings until it is set again.
  int fd() const { return fd_.get(); }

  /// Rings once, after so long.
  void set(Duration after) const;

 private:
  OwnedFd fd_;
};

}  // namespace serverlab
