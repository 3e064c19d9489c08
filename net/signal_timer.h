#pragma once

// A POSIX timer: after a while it sends a signal to the process, without a thread that sleeps.

#include "base/clock.h"

#include <ctime>

namespace serverlab {

class SignalTimer {
 public:
  /// @param signal is handled by any thread that does not block it; a forked process gets none
  /// @throws std::system_error if the user may have no more signals pending (ulimit -i)
  explicit SignalTimer(int signal);
  SignalTimer(const SignalTimer&) = delete;
  SignalTimer& operator=(const SignalTimer&) = delete;
  ~SignalTimer() { ::timer_delete(timer_); }

  /// Sends the signal once, after so long. Async-signal-safe, callable from any thread.
  void set(Duration after) const noexcept;

 private:
  timer_t timer_ = {};
};

}  // namespace serverlab
