#pragma once

// Stalls: a worker's loop did not run although it was due, as while its process was stopped.
// Silence: no reply came although requests were in flight.

#include "base/clock.h"

#include <algorithm>
#include <cstdint>

namespace serverlab {

/// Of one worker and one target, within its windows. Plain data: it lies in shared memory.
struct Pauses {
  double stalled_s = 0;          // all stalls of the loop, of `stall_min` or more each
  double stall_longest_s = 0;    // the longest of them
  double silence_longest_s = 0;  // the longest time without a reply while one was due

  /// Workers pause at the same time: the worst of them counts.
  void merge(const Pauses& other) {
    stalled_s = std::max(stalled_s, other.stalled_s);
    stall_longest_s = std::max(stall_longest_s, other.stall_longest_s);
    silence_longest_s = std::max(silence_longest_s, other.silence_longest_s);
  }
};

/// Finds the pauses of one window. The worker reports each turn of its loop.
class PauseFinder {
 public:
  // Longer than a thread waits for its CPU on a busy machine.
  static constexpr Duration stall_min = std::chrono::milliseconds(200);

  PauseFinder(Pauses& pauses, Instant begin, Instant end) : pauses_(pauses) { move(begin, end); }

  /// The window is another one. Only before it has begun.
  void move(Instant begin, Instant end) {
    begin_ = silent_since_ = begin;
    end_ = end;
  }

  /// @param due when the loop was to run at the latest
  /// @param now when it did
  /// @param replies so far
  /// @param owed whether requests are in flight after this turn
  void turn(Instant due, Instant now, std::uint64_t replies, bool owed) {
    const Instant to = std::min(now, end_);
    const Duration stall = to - std::max(due, begin_);
    if (stall >= stall_min) {
      pauses_.stalled_s += seconds(stall);
      pauses_.stall_longest_s = std::max(pauses_.stall_longest_s, seconds(stall));
      silent_since_ = to;
    } else if (owed_ && to > silent_since_) {
      pauses_.silence_longest_s = std::max(pauses_.silence_longest_s, seconds(to - silent_since_));
    }
    if (replies != replies_ || !owed) silent_since_ = std::max(to, begin_);
    replies_ = replies;
    owed_ = owed;
  }

 private:
  Pauses& pauses_;
  Instant begin_;
  Instant end_;
  Instant silent_since_;
  std::uint64_t replies_ = 0;
  bool owed_ = false;
};

}  // namespace serverlab
