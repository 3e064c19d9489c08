#pragma once

// What a server's own clock says of its messages, if it is asked (--stamps). A session knows no
// clock: what runs it opens a StampedTurn, and locks and stores add to the turn of their thread.
// Without a turn they read no clock.

#include "base/clock.h"
#include "base/concurrent_histogram.h"

namespace serverlab {

/// All times of a server's life, in ns; any thread or forked process adds to them.
struct Stamps {
  ConcurrentHistogram message;     // of a message: how long the session works on it
  ConcurrentHistogram store;       // of that, in the store, for messages that reach it
  ConcurrentHistogram lock_wait;   // of each wait for a lock of the service
  ConcurrentHistogram connection;  // from the opening of a session to its end
};

/// A session is being advanced by this thread.
class StampedTurn {
 public:
  explicit StampedTurn(Stamps& stamps) : stamps_(stamps) { of_this_thread() = this; }
  StampedTurn(const StampedTurn&) = delete;
  StampedTurn& operator=(const StampedTurn&) = delete;
  ~StampedTurn() { of_this_thread() = nullptr; }

  /// The calling thread's; null if there is none.
  static StampedTurn* current() { return of_this_thread(); }

  void add_lock_wait(Duration waited) { stamps_.lock_wait.record(waited.count()); }
  void add_store(Duration stay) {
    in_store_ += stay;
    reached_store_ = true;
  }

  Duration in_store() const { return in_store_; }
  bool reached_store() const { return reached_store_; }

 private:
  static StampedTurn*& of_this_thread() {
    thread_local StampedTurn* turn = nullptr;
    return turn;
  }

  Stamps& stamps_;
  Duration in_store_{};
  bool reached_store_ = false;
};

/// While it exists, the calling thread is in a store: it waits for a lock of it, or has the lock.
class InStore {
 public:
  InStore() : turn_(StampedTurn::current()), began_(turn_ == nullptr ? Instant() : now()) {}
  InStore(const InStore&) = delete;
  InStore& operator=(const InStore&) = delete;
  ~InStore() {
    if (turn_ != nullptr) turn_->add_store(now() - began_);
  }

 private:
  StampedTurn* turn_;
  Instant began_;
};

}  // namespace serverlab
