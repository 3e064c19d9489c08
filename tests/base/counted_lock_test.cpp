// A lock counts the threads that find it held, and no others.

#include "base/counted_lock.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

/// Is held by another thread when it is tried, or is not.
struct TriedMutex {
  bool held;
  int locks = 0;
  int shares = 0;

  bool try_lock() { return !held && ++locks > 0; }
  bool try_lock_shared() { return !held && ++shares > 0; }
  void lock() { ++locks; }
  void lock_shared() { ++shares; }
  void unlock() { --locks; }
  void unlock_shared() { --shares; }
};

TEST(CountedLock, CountsNoThreadThatFindsItFree) {
  LockWaits waits;
  TriedMutex mutex{.held = false};
  {
    const CountedLock lock(mutex, waits);
    EXPECT_EQ(mutex.locks, 1);
    const CountedSharedLock share(mutex, waits);
    EXPECT_EQ(mutex.shares, 1);
  }
  EXPECT_EQ(mutex.locks, 0);
  EXPECT_EQ(mutex.shares, 0);
  EXPECT_EQ(waits.count, 0U);
  EXPECT_EQ(waits.total_s(), 0);
}

TEST(CountedLock, CountsAndTimesAThreadThatFindsItHeld) {
  LockWaits waits;
  TriedMutex mutex{.held = true};
  {
    const CountedLock lock(mutex, waits);
    EXPECT_EQ(mutex.locks, 1);
    const CountedSharedLock share(mutex, waits);
    EXPECT_EQ(mutex.shares, 1);
  }
  EXPECT_EQ(mutex.locks, 0);
  EXPECT_EQ(mutex.shares, 0);
  EXPECT_EQ(waits.count, 2U);
  EXPECT_GT(waits.total_s(), 0);
}

}  // namespace
}  // namespace serverlab
