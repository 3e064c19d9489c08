#pragma once

// The arrivals of a schedule, and those of them that wait for a connection. A rate may be far
// beyond what can be sent, so both the time for enqueuing arrivals and the memory for keeping
// them are bounded.

#include "load/models/model.h"

#include <deque>

namespace serverlab {

class ArrivalQueue {
 public:
  static constexpr std::uint64_t any_number = UINT64_MAX;

  /// Starts a schedule, and forgets the arrivals that wait.
  /// @param arrivals_max how many arrive at most
  void start(const Schedule& schedule, Instant begin, std::uint64_t arrivals_max = any_number) {
    schedule_ = schedule;
    begin_ = begin;
    end_ = Instant::max();
    left_ = arrivals_max;
    next_ = begin + schedule_.next();
    waiting_.clear();
  }

  /// Nothing arrives from `end` on.
  void end(Instant end) { end_ = end; }

  /// Enqueues the arrivals that are due, each as intended; at most `together_max` at a time.
  void enqueue_due(Instant now, Issuer& issuer) {
    for (int taken = 0; next_ <= now && next_ < end_ && taken < together_max; ++taken) {
      issuer.intend(next_);
      if (waiting_.size() < waiting_max) waiting_.push_back(next_);
      advance();
    }
  }

  /// Arrivals that are not enqueued yet still count as intended.
  void give_up(Issuer& issuer) {
    for (; next_ < end_; advance()) issuer.intend(next_);
  }

  /// When `enqueue_due` must be called again; Instant::max() if nothing will arrive.
  Instant next_due() const { return next_ < end_ ? next_ : Instant::max(); }

  /// How many wait, and whether arrivals that are due are not enqueued yet.
  std::size_t waiting() const { return waiting_.size(); }
  bool is_behind() const { return end_ != Instant::max() && next_ < end_; }

  bool empty() const { return waiting_.empty(); }

  Instant take_oldest() {
    const Instant oldest = waiting_.front();
    waiting_.pop_front();
    return oldest;
  }

  Instant take_newest() {
    const Instant newest = waiting_.back();
    waiting_.pop_back();
    return newest;
  }

 private:
  // A few milliseconds of work: a reply that arrives meanwhile waits no longer.
  static constexpr int together_max = 1 << 16;
  // 32 MB. What arrives beyond is never sent, and counted so: the server is minutes behind.
  static constexpr std::size_t waiting_max = std::size_t{1} << 22;

  void advance() { next_ = --left_ == 0 ? Instant::max() : begin_ + schedule_.next(); }

  Schedule schedule_{Arrivals::constant, {.to_per_s = 1}, 0, {}, 1};
  Instant begin_;
  Instant end_;
  Instant next_;
  std::uint64_t left_ = any_number;  // arrivals, `next_` included
  std::deque<Instant> waiting_;
};

}  // namespace serverlab
