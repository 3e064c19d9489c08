// Locks and stores add to the turn of their own thread, and to none where nothing is stamped.

#include "base/counted_lock.h"

#include <gtest/gtest.h>
#include <memory>
#include <thread>

namespace serverlab {
namespace {

/// Is held by another thread when it is tried.
struct HeldMutex {
  bool try_lock() { return false; }
  void lock() {}
  void unlock() {}
};

TEST(Stamps, AWaitForALockIsStampedWithinATurnAlone) {
  const auto stamps = std::make_unique<Stamps>();
  HeldMutex mutex;
  LockWaits waits;
  const auto wait = [&] { const CountedLock lock(mutex, waits); };
  wait();
  EXPECT_EQ(stamps->lock_wait.total()->count(), 0U);
  {
    const StampedTurn turn(*stamps);
    wait();
    std::jthread(wait).join();  // a thread without a turn
  }
  wait();
  EXPECT_EQ(stamps->lock_wait.total()->count(), 1U);
  EXPECT_EQ(waits.count, 4U);
}

TEST(Stamps, TheStaysOfATurnInAStoreAddUp) {
  const auto stamps = std::make_unique<Stamps>();
  {
    const InStore outside;
  }
  const StampedTurn turn(*stamps);
  EXPECT_FALSE(turn.reached_store());
  Duration stayed{};
  for (int i = 0; i < 2; ++i) {
    const Instant before = now();
    {
      const InStore stay;
      while (now() - before < std::chrono::microseconds(50)) {
      }
    }
    stayed += now() - before;
  }
  EXPECT_TRUE(turn.reached_store());
  EXPECT_GT(turn.in_store(), std::chrono::microseconds(90));
  EXPECT_LE(turn.in_store(), stayed);
}

}  // namespace
}  // namespace serverlab
