#pragma once

// An eventfd by which one thread wakes another that waits for descriptors.

#include "base/owned_fd.h"

namespace serverlab {

class WakeSignal {
 public:
  WakeSignal();

  /// Readable after `wake`, until `clear`.
  int fd() const { return fd_.get(); }

  /// Any thread.
  void wake() const;

  /// The thread that waits.
  void clear() const;

 private:
  OwnedFd fd_;
};

}  // namespace serverlab
