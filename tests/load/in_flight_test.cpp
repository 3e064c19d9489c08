// The ring of a connection's unanswered requests.

#include "load/in_flight.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

Instant at(int second) { return Instant(std::chrono::seconds(second)); }

TEST(InFlight, RemovesTheOldestFirst) {
  InFlight requests(3);
  EXPECT_TRUE(requests.empty());
  for (int i = 1; i <= 3; ++i) requests.push({.intended = at(i)});
  EXPECT_EQ(requests.count(), 3U);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(requests.oldest().intended, at(i));
    requests.pop();
  }
  EXPECT_TRUE(requests.empty());
}

TEST(InFlight, FindsTheYoungestFromTheBack) {
  InFlight requests(4);
  for (int i = 1; i <= 4; ++i) requests.push({.intended = at(i)});
  for (std::uint32_t k = 0; k < 4; ++k) {
    EXPECT_EQ(requests.youngest(k).intended, at(4 - static_cast<int>(k)));
  }
  requests.youngest(0).sent = at(9);
  EXPECT_EQ(requests.youngest(0).sent, at(9));
}

TEST(InFlight, KeepsItsOrderAcrossWrapArounds) {
  for (const std::uint32_t depth : {1U, 2U, 5U, 16U}) {
    InFlight requests(depth);
    int pushed = 0;
    int answered = 0;
    for (int round = 0; round < 100; ++round) {
      while (requests.count() < depth) requests.push({.intended = at(pushed++)});
      ASSERT_EQ(requests.youngest(0).intended, at(pushed - 1));
      for (std::uint32_t i = 0; i < 1 + depth / 2; ++i) {
        ASSERT_EQ(requests.oldest().intended, at(answered++));
        requests.pop();
      }
    }
  }
}

TEST(InFlight, TakesRequestsAgainAfterItsMemoryWasReleased) {
  InFlight requests(2);
  requests.push({.intended = at(1)});
  requests.pop();
  requests.release();
  EXPECT_TRUE(requests.empty());
  requests.push({.intended = at(2)});
  EXPECT_EQ(requests.oldest().intended, at(2));
}

TEST(InFlight, IsEmptyOnceCleared) {
  InFlight requests(2);
  requests.push({.intended = at(1)});
  requests.push({.intended = at(2)});
  requests.clear();
  EXPECT_TRUE(requests.empty());
  requests.push({.intended = at(3)});
  EXPECT_EQ(requests.oldest().intended, at(3));
}

}  // namespace
}  // namespace serverlab
