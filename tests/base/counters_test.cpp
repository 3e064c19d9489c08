// Counters of threads add up.

#include "base/counters.h"

#include <future>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace serverlab {
namespace {

TEST(Counters, OfAThreadJoinTheTotalWhenItEnds) {
  const Counters before = counters_total();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < 1000; ++k) ++counters().receives;
      counters().bytes_in += 7;
    });
  }
  threads.clear();
  const Counters after = counters_total();
  EXPECT_EQ(after.receives - before.receives, 4000U);
  EXPECT_EQ(after.bytes_in - before.bytes_in, 28U);
}

TEST(Counters, OfTheCallingThreadAreInTheTotalWhileItRuns) {
  const Counters before = counters_total();
  ++counters().sends;
  EXPECT_EQ(counters_total().sends - before.sends, 1U);
}

TEST(Counters, OfAThreadThatRunsAreInTheTotal) {
  const Counters before = counters_total();
  std::promise<void> counted;
  std::promise<void> seen;
  const std::jthread thread([&] {
    ++counters().sends;
    counted.set_value();
    seen.get_future().wait();
  });
  counted.get_future().wait();
  EXPECT_EQ(counters_total().sends - before.sends, 1U);
  seen.set_value();
}

TEST(Counters, AddFieldByField) {
  Counters sum = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  sum += {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};
  EXPECT_EQ(sum.requests, 11U);
  EXPECT_EQ(sum.accepts, 22U);
  EXPECT_EQ(sum.receives, 33U);
  EXPECT_EQ(sum.sends, 44U);
  EXPECT_EQ(sum.waits, 55U);
  EXPECT_EQ(sum.changes, 66U);
  EXPECT_EQ(sum.wakes, 77U);
  EXPECT_EQ(sum.events, 88U);
  EXPECT_EQ(sum.would_block, 99U);
  EXPECT_EQ(sum.bytes_in, 110U);
  EXPECT_EQ(sum.bytes_out, 121U);
  EXPECT_EQ(sum.unanswered, 132U);
}

}  // namespace
}  // namespace serverlab
