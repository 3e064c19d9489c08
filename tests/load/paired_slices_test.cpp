#include "load/paired_slices.h"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <random>

namespace serverlab {
namespace {

IntervalRow slice(std::uint64_t received, double server_cpu_s) {
  return {.from_s = 1,
          .to_s = 1.2,
          .received = received,
          .answered = 2 * received,
          .server_cpu_s = server_cpu_s};
}

TEST(PairedSlices, FewerThanSixPairsHaveNoInterval) {
  EXPECT_FALSE(median_of({}));
  EXPECT_FALSE(median_of({1, 2, 3, 4, 5}));
  const auto six = median_of({6, 5, 4, 3, 2, 1});
  ASSERT_TRUE(six);
  EXPECT_EQ(six->low, 1);
  EXPECT_EQ(six->median, 3.5);
  EXPECT_EQ(six->high, 6);
  EXPECT_EQ(six->pairs, 6);
}

TEST(PairedSlices, TheIntervalHoldsTheTrueMedianIn95Of100Cases) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> drawn(0, 0.5);  // its median is 1
  constexpr int trials = 4000;
  int held = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> ratios(100);
    for (double& ratio : ratios) ratio = drawn(random);
    const auto found = median_of(ratios);
    held += found->low <= 1 && 1 <= found->high ? 1 : 0;
  }
  EXPECT_NEAR(held, 0.95 * trials, 0.02 * trials);
}

TEST(PairedSlices, DriftThatBothShareCancels) {
  const auto fast = std::make_unique<TargetResult>();  // too large for the stack
  const auto slow = std::make_unique<TargetResult>();
  for (const std::uint64_t drift : {100U, 200U, 400U, 300U, 150U, 250U, 1000U}) {
    fast->series.push_back(slice(3 * drift, 0.1));
    slow->series.push_back(slice(2 * drift, 0.1));
  }
  const auto goodput = goodput_ratio(*fast, *slow);
  ASSERT_TRUE(goodput);
  EXPECT_DOUBLE_EQ(goodput->low, goodput->high);
  EXPECT_NEAR(goodput->median, 1.5, 1e-9);
  const auto cpu = server_cpu_ratio(*fast, *slow);
  ASSERT_TRUE(cpu);
  EXPECT_NEAR(cpu->median, 2.0 / 3, 1e-9);
}

TEST(PairedSlices, APairOfWhichOneHasNothingIsLeftOut) {
  const auto target = std::make_unique<TargetResult>();
  for (int i = 0; i < 7; ++i) target->series.push_back(slice(100, 0.1));
  target->series.front() = slice(0, 0);
  EXPECT_EQ(goodput_ratio(*target, *target)->pairs, 6);
  EXPECT_EQ(server_cpu_ratio(*target, *target)->pairs, 6);
}

TEST(PairedSlices, ASliceThatWasDisturbedIsLeftOutAndTheOthersFindANeighbour) {
  const auto over = std::make_unique<TargetResult>();
  const auto under = std::make_unique<TargetResult>();
  for (int i = 0; i < 9; ++i) {
    over->series.push_back(slice(100, 0.1));
    under->series.push_back(slice(100, 0.1));
  }
  over->series[0] = under->series[1] = slice(40, 0.1);
  over->series[0].is_disturbed = under->series[1].is_disturbed = true;
  const auto goodput = goodput_ratio(*over, *under);
  EXPECT_EQ(goodput->pairs, 8);  // the second slice of the one beside the first of the other
  EXPECT_DOUBLE_EQ(goodput->low, 1);
  EXPECT_DOUBLE_EQ(goodput->high, 1);
  EXPECT_EQ(server_cpu_ratio(*over, *under)->pairs, 9) << "of CPU time they all count";
}

TEST(PairedSlices, WhereNearlyAllWereDisturbedAllCount) {
  const auto target = std::make_unique<TargetResult>();
  for (int i = 0; i < 10; ++i) {
    target->series.push_back(slice(100, 0.1));
    target->series.back().is_disturbed = i >= 5;
  }
  EXPECT_EQ(goodput_ratio(*target, *target)->pairs, 10);
}

TEST(PairedSlices, SlicesThatAreFarApartAreNoPair) {
  const auto over = std::make_unique<TargetResult>();
  const auto under = std::make_unique<TargetResult>();
  for (int i = 0; i < 20; ++i) {
    over->series.push_back(slice(100, 0.1));
    under->series.push_back(slice(100, 0.1));
    over->series.back().is_disturbed = i >= 8;
    under->series.back().is_disturbed = i < 10;
  }
  EXPECT_EQ(goodput_ratio(*over, *under)->pairs, 20);  // two are none: all count
}

}  // namespace
}  // namespace serverlab
