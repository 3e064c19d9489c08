// Arrivals as arithmetic. What a schedule does to a real load is the instrument suite's to test.

#include "load/models/schedule.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace serverlab {
namespace {

using std::chrono::milliseconds;

constexpr RateProfile steady = {.to_per_s = 1000};

std::vector<Duration> first(int count, Schedule schedule) {
  std::vector<Duration> arrivals;
  for (int i = 0; i < count; ++i) arrivals.push_back(schedule.next());
  return arrivals;
}

TEST(RateProfile, ExpectsArrivalsByTheAreaUnderTheRate) {
  const RateProfile linear = {.from_per_s = 0, .to_per_s = 100, .over = std::chrono::seconds(10)};
  EXPECT_DOUBLE_EQ(linear.ramp_count(), 500);
  EXPECT_EQ(linear.time_of(0), Duration::zero());
  EXPECT_EQ(linear.time_of(125), std::chrono::seconds(5)) << "half the time, a quarter of the area";
  EXPECT_EQ(linear.time_of(500), std::chrono::seconds(10));
  EXPECT_EQ(linear.time_of(600), std::chrono::seconds(11)) << "after the ramp the rate stays";
}

TEST(RateProfile, ExpectsArrivalsByTheAreaUnderEqualSteps) {
  const RateProfile stepped = {
      .from_per_s = 10, .to_per_s = 30, .over = std::chrono::seconds(3), .steps = 3};
  EXPECT_DOUBLE_EQ(stepped.ramp_count(), 60);
  EXPECT_EQ(stepped.time_of(5), milliseconds(500));
  EXPECT_EQ(stepped.time_of(20), milliseconds(1500));
  EXPECT_EQ(stepped.time_of(45), milliseconds(2500));
  EXPECT_EQ(stepped.time_of(90), std::chrono::seconds(4));
}

TEST(RateProfile, HandlesARampThatDoesNotRise) {
  const RateProfile level = {.from_per_s = 50, .to_per_s = 50, .over = std::chrono::seconds(2)};
  EXPECT_EQ(level.time_of(50), std::chrono::seconds(1));
  const RateProfile falling = {.from_per_s = 100, .to_per_s = 50, .over = std::chrono::seconds(2)};
  EXPECT_EQ(falling.time_of(falling.ramp_count()), std::chrono::seconds(2));
}

TEST(Schedule, DealsConstantArrivalsToItsWorkersInTurn) {
  const std::vector<Duration> even = first(3, {Arrivals::constant, steady, 1, 0, 2});
  const std::vector<Duration> odd = first(3, {Arrivals::constant, steady, 1, 1, 2});
  EXPECT_EQ(even, (std::vector<Duration>{milliseconds(0), milliseconds(2), milliseconds(4)}));
  EXPECT_EQ(odd, (std::vector<Duration>{milliseconds(1), milliseconds(3), milliseconds(5)}));
}

TEST(Schedule, IsTheSameForTheSameSeedAndWorkerAndForNoOther) {
  const auto drawn = [](std::uint64_t seed, std::uint32_t worker) {
    return first(100, {Arrivals::poisson, steady, seed, worker, 4});
  };
  EXPECT_EQ(drawn(1, 0), drawn(1, 0));
  EXPECT_NE(drawn(1, 0), drawn(2, 0));
  EXPECT_NE(drawn(1, 0), drawn(1, 1));
}

TEST(Schedule, NeverGoesBackAndKeepsItsRateOnTheAverage) {
  constexpr int count = 100'000;
  const std::vector<Duration> arrivals = first(count, {Arrivals::poisson, steady, 1, 0, 1});
  EXPECT_TRUE(std::ranges::is_sorted(arrivals));
  // The k-th arrival of a Poisson process has a standard deviation of √k intervals: 0.3 % here.
  EXPECT_NEAR(serverlab::seconds(arrivals.back()), 100, 4 * 0.3);
}

}  // namespace
}  // namespace serverlab
