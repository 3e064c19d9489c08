#pragma once

// The threads that an engine creates at its start, a fixed number of them. They end when the engine
// is stopped; one that fails stops it, and what it threw is thrown again where the engine was
// called. It belongs to the thread that calls it.

#include "base/perturb.h"
#include "base/thread_contract.h"
#include "net/stop_signal.h"
#include "net/thread.h"

#include <atomic>
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

  /// Creates `count` threads. None begins before all of them exist, so an engine that says it is
  /// listening after this call has them all, and one that fails has nothing to take back. To be
  /// called once.
  /// @param work_of is called here, once for each thread, and returns what the thread is to do:
  ///   the memory that it needs from the start is allocated here, too
  /// @throws Shortage if so many threads cannot be created
  template <class WorkOf>
  void start(int count, WorkOf work_of) {
    owner_.assert_here();
    // A thread that has begun and has no place here would be joined at once, and awaits the rest.
    threads_.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      try {
        threads_.push_back(make_thread([this, work = work_of()]() mutable { run(work); }));
      } catch (const std::exception& error) {
        tell(Begin::never);
        throw cannot_create_thread(i + 1, count, error);
      }
    }
    tell(Begin::now);
    perturb();
  }

  /// Waits for the end of all.
  /// @throws what the first of them threw that failed
  void join() {
    owner_.assert_here();
    threads_.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  enum class Begin { not_yet, now, never };

  void tell(Begin begin) {
    begin_ = begin;
    begin_.notify_all();
  }

  // Each thread.
  template <class Work>
  void run(Work& work) {
    begin_.wait(Begin::not_yet);
    if (begin_ == Begin::never) return;
    perturb();
    try {
      work();
    } catch (...) {
      fail(std::current_exception());
    }
  }

  // Any thread of the crew.
  void fail(std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    stop_.raise();
  }

  const StopSignal& stop_;
  [[no_unique_address]] OwnerThread owner_;
  std::atomic<Begin> begin_ = Begin::not_yet;
  std::mutex mutex_;
  std::exception_ptr failure_;         // guarded by mutex_
  std::vector<std::jthread> threads_;  // last, so that they have ended before what they use is gone
};

}  // namespace serverlab
