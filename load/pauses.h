#pragma once

// Stalls: a worker's loop did not run although it was due, as while its process was stopped.
// Silence: no reply came although one was due. It begins when a request is in flight, and goes on,
// though the request is given up or its connection is lost, until a reply comes.

#include "base/clock.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace serverlab {

/// Of one worker and one target, within its windows. Plain data: it lies in shared memory.
struct Pauses {
  static constexpr double nothing_due = std::numeric_limits<double>::infinity();

  double stalled_s = 0;          // all stalls of the loop, of `stall_min` or more each
  double stall_longest_s = 0;    // the longest of them
  double silence_longest_s = 0;  // the longest time without a reply while one was due
  // The silence in which the last window ended: 0 if a reply came in the drain.
  double silence_at_end_s = nothing_due;

  /// Workers pause at the same time: the worst of them counts. But a server is silent only if it is
  /// so to all of them.
  void merge(const Pauses& other) {
    stalled_s = std::max(stalled_s, other.stalled_s);
    stall_longest_s = std::max(stall_longest_s, other.stall_longest_s);
    silence_longest_s = std::max(silence_longest_s, other.silence_longest_s);
    silence_at_end_s = std::min(silence_at_end_s, other.silence_at_end_s);
  }
};

/// Finds the pauses of one window. The worker reports each turn of its loop.
class PauseFinder {
 public:
  // Longer than a thread waits for its CPU on a busy machine.
  static constexpr Duration stall_min = std::chrono::milliseconds(200);

  /// @param pauses of the target's windows before this one; a silence in which they ended goes on
  /// @param replies so far
  PauseFinder(Pauses& pauses, Instant begin, Instant end, std::uint64_t replies) :
      pauses_(pauses),
      silence_before_(pauses.silence_at_end_s == Pauses::nothing_due
                          ? Duration::zero()
                          : from_seconds(pauses.silence_at_end_s)),
      replies_(replies),
      is_due_(silence_before_ > Duration::zero()) {
    move(begin, end);
  }

  /// The window is another one. Only before it has begun.
  void move(Instant begin, Instant end) {
    begin_ = silent_since_ = begin;
    end_ = end;
  }

  /// @param due when the loop was to run at the latest
  /// @param now when it did
  /// @param replies so far
  /// @param in_flight whether requests are after this turn
  void turn(Instant due, Instant now, std::uint64_t replies, bool in_flight) {
    const Instant to = std::min(now, end_);
    const Duration stall = to - std::max(due, begin_);
    if (stall >= stall_min) {
      pauses_.stalled_s += seconds(stall);
      pauses_.stall_longest_s = std::max(pauses_.stall_longest_s, seconds(stall));
      silent_since_ = to;
    } else if (is_due_ && to > silent_since_) {
      pauses_.silence_longest_s =
          std::max(pauses_.silence_longest_s, seconds(silence_before_ + (to - silent_since_)));
    }
    const bool replied = replies != replies_;
    if (replied || !is_due_) {
      silent_since_ = std::max(to, begin_);
      silence_before_ = Duration::zero();
    }
    if (replied || in_flight) pauses_.silence_at_end_s = 0;
    is_due_ = in_flight || (is_due_ && !replied);
    replies_ = replies;
  }

  /// The drain after the window is over.
  void drained(std::uint64_t replies) {
    if (is_due_ && replies == replies_)
      pauses_.silence_at_end_s = seconds(silence_before_ + (end_ - silent_since_));
  }

 private:
  Pauses& pauses_;
  Instant begin_;
  Instant end_;
  Instant silent_since_;
  Duration silence_before_;  // in windows before this one
  std::uint64_t replies_;
  bool is_due_;
};

}  // namespace serverlab
