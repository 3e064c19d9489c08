// The rule that ends a warm-up.

#include "load/steadiness.h"

#include <gtest/gtest.h>
#include <vector>

namespace serverlab {
namespace {

using Intervals = std::vector<WarmupInterval>;

Intervals with_rates(std::initializer_list<double> rates_per_s) {
  Intervals intervals;
  for (const double rate : rates_per_s) intervals.push_back({rate, 1000});
  return intervals;
}

Intervals with_latencies(std::initializer_list<std::int64_t> latencies_ns) {
  Intervals intervals;
  for (const std::int64_t latency : latencies_ns) intervals.push_back({1000, latency});
  return intervals;
}

TEST(Steadiness, NeedsFiveIntervals) {
  EXPECT_FALSE(is_steady({}));
  EXPECT_FALSE(is_steady(with_rates({1000, 1000, 1000, 1000})));
  EXPECT_TRUE(is_steady(with_rates({1000, 1000, 1000, 1000, 1000})));
}

TEST(Steadiness, LooksAtTheLastFiveOnly) {
  EXPECT_TRUE(is_steady(with_rates({10, 5000, 1000, 1000, 1000, 1000, 1000})));
  EXPECT_FALSE(is_steady(with_rates({1000, 1000, 1000, 1000, 1000, 10, 500})));
}

TEST(Steadiness, AllowsARiseOrAFallOfTheRateBelowFivePercent) {
  EXPECT_TRUE(is_steady(with_rates({980, 990, 1000, 1010, 1020})));
  EXPECT_FALSE(is_steady(with_rates({970, 985, 1000, 1015, 1030})));
  EXPECT_FALSE(is_steady(with_rates({1030, 1015, 1000, 985, 970})));
}

TEST(Steadiness, AllowsNoiseWithoutATrend) {
  EXPECT_TRUE(is_steady(with_rates({900, 1100, 1000, 1100, 900})));
}

TEST(Steadiness, AllowsARiseOfTheLatencyBelowAQuarter) {
  EXPECT_TRUE(is_steady(with_latencies({900, 950, 1000, 1050, 1100})));
  EXPECT_FALSE(is_steady(with_latencies({800, 900, 1000, 1100, 1200})));
}

TEST(Steadiness, IsNeverFoundWithoutReplies) {
  EXPECT_FALSE(is_steady(with_rates({0, 0, 0, 0, 0})));
  EXPECT_FALSE(is_steady(with_latencies({-1, -1, -1, -1, -1})));
}

}  // namespace
}  // namespace serverlab
