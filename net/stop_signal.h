#pragma once

// One eventfd that stays readable once a stop is asked for: every wait of every engine can include
// it, and any number of threads see it.

#include "base/clock.h"
#include "base/owned_fd.h"
#include "net/signal_timer.h"

#include <atomic>
#include <optional>

namespace serverlab {

class StopSignal {
 public:
  StopSignal();

  /// Readable from the moment a stop is asked for. Never read it.
  int fd() const { return fd_.get(); }

  /// Async-signal-safe, callable from any thread, any number of times.
  void raise() const noexcept;

  bool raised() const { return wait(Duration::zero()); }

  /// When it was raised first; the end of time if it has not been. Costs no call.
  Instant raised_at() const {
    return Instant(Duration(raised_at_ns_.load(std::memory_order_relaxed)));
  }

  /// Sleeps until it is raised, or the limit has passed; a negative one never does.
  /// @return whether it is raised
  bool wait(Duration limit) const;

  /// SIGTERM and SIGINT raise this signal from now on; a second one of them ends the process at
  /// once. At most one StopSignal of a process may do this.
  void raise_on_termination();

  /// Lets SIGALRM come to this process so long after the first raise(). To be called before that.
  void alarm_after_raise(Duration delay);

  /// Lets SIGALRM come once more, for a handler that has to put off its work. Async-signal-safe.
  void alarm_again(Duration delay) const noexcept {
    if (alarm_) alarm_->set(delay);
  }

 private:
  static constexpr std::int64_t never = Duration::max().count();

  OwnedFd fd_;
  mutable std::atomic<std::int64_t> raised_at_ns_ = never;
  std::optional<SignalTimer> alarm_;
  Duration alarm_delay_ = {};
};

}  // namespace serverlab
