// Arrivals as arithmetic. What a schedule does to a real load is the instrument suite's to test.

#include "load/models/schedule.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace serverlab {
namespace {

using std::chrono::milliseconds;

constexpr RateProfile steady = {.to_per_s = 1000};

constexpr std::uint32_t round_of_four = 4;

std::vector<Duration> first(std::size_t count, Schedule schedule) {
  std::vector<Duration> arrivals;
  while (arrivals.size() < count) arrivals.push_back(schedule.next());
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
  const std::vector<Duration> even =
      first(3, {Arrivals::constant, steady, 1, {0, 2}, round_of_four});
  const std::vector<Duration> odd =
      first(3, {Arrivals::constant, steady, 1, {1, 2}, round_of_four});
  EXPECT_EQ(even, (std::vector<Duration>{milliseconds(0), milliseconds(2), milliseconds(4)}));
  EXPECT_EQ(odd, (std::vector<Duration>{milliseconds(1), milliseconds(3), milliseconds(5)}));
}

TEST(Schedule, IsTheSameForTheSameSeedAndWorkerAndForNoOther) {
  const auto drawn = [](std::uint64_t seed, std::uint32_t worker) {
    return first(100, {Arrivals::poisson, steady, seed, {worker, 4}, round_of_four});
  };
  EXPECT_EQ(drawn(1, 0), drawn(1, 0));
  EXPECT_NE(drawn(1, 0), drawn(2, 0));
  EXPECT_NE(drawn(1, 0), drawn(1, 1));
}

TEST(Schedule, GivesEachWorkerOfARoundItsPlacesInIt) {
  // Of five clients the first worker has three, so three of each five arrivals.
  EXPECT_EQ(first(6, {Arrivals::constant, steady, 1, {0, 2}, 5}),
            (std::vector<Duration>{milliseconds(0), milliseconds(2), milliseconds(4),
                                   milliseconds(5), milliseconds(7), milliseconds(9)}));
}

TEST(Schedule, IsTheSameForAnyNumberOfWorkersWhoseArrivalsAreTakenTogether) {
  constexpr std::size_t count = 3000;
  std::mt19937_64 random(1);
  for (int turn = 0; turn < 50; ++turn) {
    const auto drawn = [&](std::uint32_t most) {
      return std::uniform_int_distribution<std::uint32_t>(1, most)(random);
    };
    const std::uint32_t workers = drawn(9);
    const std::uint32_t round = workers + drawn(100);
    const std::uint64_t seed = drawn(1000);
    const Arrivals arrivals = turn % 2 == 0 ? Arrivals::poisson : Arrivals::constant;
    const RateProfile profile = {.from_per_s = static_cast<double>(drawn(1000)),
                                 .to_per_s = static_cast<double>(drawn(100'000)),
                                 .over = milliseconds(turn % 3 == 0 ? 0 : drawn(1000)),
                                 .steps = static_cast<int>(turn % 5)};
    const std::vector<Duration> whole = first(count, {arrivals, profile, seed, {}, round});
    std::vector<Duration> together;
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
      const std::vector<Duration> own =
          first(count, {arrivals, profile, seed, {worker, workers}, round});
      EXPECT_TRUE(std::ranges::is_sorted(own));
      together.insert(together.end(), own.begin(), own.end());
    }
    std::ranges::sort(together);
    together.resize(count);  // each worker has drawn as many, so what follows is not whole
    EXPECT_EQ(together, whole) << workers << " workers, a round of " << round << ", seed " << seed;
  }
}

TEST(Schedule, NeverGoesBackAndKeepsItsRateOnTheAverage) {
  constexpr int count = 100'000;
  const std::vector<Duration> arrivals = first(count, {Arrivals::poisson, steady, 1, {}, 1});
  EXPECT_TRUE(std::ranges::is_sorted(arrivals));
  // The k-th arrival of a Poisson process has a standard deviation of √k intervals: 0.3 % here.
  EXPECT_NEAR(serverlab::seconds(arrivals.back()), 100, 4 * 0.3);
}

}  // namespace
}  // namespace serverlab
