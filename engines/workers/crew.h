#pragma once

// The threads of an engine that has several. They end when the engine is stopped; one that fails
// stops it, and what it threw is thrown again where the engine was called.

#include "net/stop_signal.h"
#include "net/thread.h"

#include <exception>
#include <mutex>
#include <vector>

namespace serverlab {

class Crew {
 public:
  /// @param stop makes every thread of the crew end
  explicit Crew(const StopSignal& stop) : stop_(stop) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { stop_.raise(); }

  /// @throws std::system_error if no thread can be made
  template <class Work>
  void start(Work work) {
    threads_.push_back(make_thread([this, work = std::move(work)]() mutable {
      try {
        work();
      } catch (...) {
        fail(std::current_exception());
      }
    }));
  }

  /// Waits for the end of all.
  /// @throws what the first of them threw that failed
  void join() {
    threads_.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void fail(std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    stop_.raise();
  }

  const StopSignal& stop_;
  std::mutex mutex_;
  std::exception_ptr failure_;         // guarded by mutex_
  std::vector<std::jthread> threads_;  // last, so that they have ended before what they use is gone
};

}  // namespace serverlab
