#pragma once

// Locks that count how often a thread waited for them, and how long. The clock is read only if the
// lock is taken already, so that counting costs nothing if no thread waits.

#include "base/clock.h"
#include "base/stamps.h"

#include <atomic>

namespace serverlab {

/// Of any number of locks. Any thread.
struct LockWaits {
  std::atomic<std::uint64_t> count{0};
  std::atomic<std::int64_t> total_ns{0};

  double total_s() const { return 1e-9 * static_cast<double>(total_ns.load()); }
  void add(Duration waited) {
    count.fetch_add(1, std::memory_order_relaxed);
    total_ns.fetch_add(waited.count(), std::memory_order_relaxed);
    if (StampedTurn* const turn = StampedTurn::current()) turn->add_lock_wait(waited);
  }
};

/// Holds a lock for itself alone.
/// @tparam M std::mutex, std::shared_mutex
template <class M>
class CountedLock {
 public:
  CountedLock(M& mutex, LockWaits& waits) : mutex_(mutex) {
    if (mutex_.try_lock()) return;
    const Instant began = now();
    mutex_.lock();
    waits.add(now() - began);
  }
  CountedLock(const CountedLock&) = delete;
  CountedLock& operator=(const CountedLock&) = delete;
  ~CountedLock() { mutex_.unlock(); }

 private:
  M& mutex_;
};

/// Holds a lock together with other readers.
/// @tparam M std::shared_mutex
template <class M>
class CountedSharedLock {
 public:
  CountedSharedLock(M& mutex, LockWaits& waits) : mutex_(mutex) {
    if (mutex_.try_lock_shared()) return;
    const Instant began = now();
    mutex_.lock_shared();
    waits.add(now() - began);
  }
  CountedSharedLock(const CountedSharedLock&) = delete;
  CountedSharedLock& operator=(const CountedSharedLock&) = delete;
  ~CountedSharedLock() { mutex_.unlock_shared(); }

 private:
  M& mutex_;
};

}  // namespace serverlab
