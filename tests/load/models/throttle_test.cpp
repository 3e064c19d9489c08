// What a throttle lets through, and when.

#include "load/models/throttle.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

using std::chrono::milliseconds;

constexpr Instant begin = Instant(std::chrono::hours(1));

Instant at(int ms) { return begin + milliseconds(ms); }

TEST(Throttle, LetsEvenRequestsPassAsTheyCome) {
  const ThrottleRate rate(100, 1);
  Throttle throttle;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(throttle.admit(rate, at(10 * i)), at(10 * i));
}

TEST(Throttle, DealsOutEvenlyWhatComesAtOnceAfterTheBurst) {
  const ThrottleRate rate(100, 3);
  Throttle throttle;
  for (const int ms : {0, 0, 0, 10, 20, 30}) EXPECT_EQ(throttle.admit(rate, at(0)), at(ms));
}

TEST(Throttle, SavesNoMoreThanABurstWhileNothingComes) {
  const ThrottleRate rate(100, 2);
  Throttle throttle;
  EXPECT_EQ(throttle.admit(rate, at(0)), at(0));
  for (const int ms : {1000, 1000, 1010}) EXPECT_EQ(throttle.admit(rate, at(1000)), at(ms));
}

}  // namespace
}  // namespace serverlab
