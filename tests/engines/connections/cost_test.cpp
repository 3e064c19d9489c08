// Which costs are dear, and when that changes.

#include "engines/connections/cost.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

using std::chrono::microseconds;

Cost after(int turns, Duration each, Cost cost = {}) {
  for (int i = 0; i < turns; ++i) cost.add(each);
  return cost;
}

TEST(Cost, IsDearUntilItIsKnown) { EXPECT_TRUE(Cost().dear()); }

TEST(Cost, IsWhatTheFirstTurnSays) {
  EXPECT_FALSE(after(1, microseconds(5)).dear());
  EXPECT_TRUE(after(1, microseconds(500)).dear());
}

TEST(Cost, StaysWhatItWasBetweenTheThresholds) {
  const auto between = microseconds(35);
  EXPECT_TRUE(after(100, between).dear());
  EXPECT_TRUE(after(100, between, after(10, microseconds(500))).dear());
  EXPECT_FALSE(after(100, between, after(10, microseconds(5))).dear());
}

TEST(Cost, FollowsAChangeThatLastsAndNotASingleTurn) {
  const Cost cheap = after(100, microseconds(5));
  EXPECT_FALSE(after(1, microseconds(300), cheap).dear());
  EXPECT_TRUE(after(2, microseconds(300), cheap).dear());
  const Cost dear = after(100, microseconds(100));
  EXPECT_TRUE(after(10, microseconds(5), dear).dear());
  EXPECT_FALSE(after(20, microseconds(5), dear).dear());
}

TEST(Cost, DoesNotGoToAndFroWhereTurnsAlternateAboutAThreshold) {
  Cost cost = after(50, microseconds(45));
  int changes = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool before = cost.dear();
    cost.add(microseconds(i % 2 == 0 ? 30 : 60));
    changes += before != cost.dear() ? 1 : 0;
  }
  EXPECT_EQ(changes, 0);
}

}  // namespace
}  // namespace serverlab
