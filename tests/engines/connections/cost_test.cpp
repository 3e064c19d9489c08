// Which connections are expensive, and when that changes.

#include "engines/connections/cost.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

using std::chrono::microseconds;

Cost after(int turns, Duration each, Cost cost = {}) {
  for (int i = 0; i < turns; ++i) cost.add(each);
  return cost;
}

TEST(Cost, IsExpensiveUntilItIsMeasured) { EXPECT_TRUE(Cost().is_expensive()); }

TEST(Cost, IsWhatTheFirstTurnSays) {
  EXPECT_FALSE(after(1, microseconds(5)).is_expensive());
  EXPECT_TRUE(after(1, microseconds(500)).is_expensive());
}

TEST(Cost, StaysWhatItWasBetweenTheThresholds) {
  const auto between = microseconds(35);
  EXPECT_TRUE(after(100, between).is_expensive());
  EXPECT_TRUE(after(100, between, after(10, microseconds(500))).is_expensive());
  EXPECT_FALSE(after(100, between, after(10, microseconds(5))).is_expensive());
}

TEST(Cost, FollowsAChangeThatLastsAndNotASingleTurn) {
  const Cost cheap = after(100, microseconds(5));
  EXPECT_FALSE(after(1, microseconds(300), cheap).is_expensive());
  EXPECT_TRUE(after(2, microseconds(300), cheap).is_expensive());
  const Cost expensive = after(100, microseconds(100));
  EXPECT_TRUE(after(10, microseconds(5), expensive).is_expensive());
  EXPECT_FALSE(after(20, microseconds(5), expensive).is_expensive());
}

TEST(Cost, DoesNotGoToAndFroWhereTurnsAlternateAboutAThreshold) {
  Cost cost = after(50, microseconds(45));
  int changes = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool before = cost.is_expensive();
    cost.add(microseconds(i % 2 == 0 ? 30 : 60));
    changes += before != cost.is_expensive() ? 1 : 0;
  }
  EXPECT_EQ(changes, 0);
}

}  // namespace
}  // namespace serverlab
