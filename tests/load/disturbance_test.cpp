#include "load/disturbance.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

IntervalRow slice_beside(std::optional<double> other_cpus_busy, std::int64_t send_lag_p99_ns = 0) {
  return {.latency_p50_ns = 200'000,
          .send_lag_p99_ns = send_lag_p99_ns,
          .server_cpu_s = {},
          .other_cpus_busy = other_cpus_busy};
}

std::vector<bool> marks_of(std::vector<IntervalRow> slices, bool has_schedule = false) {
  mark_disturbed(slices, has_schedule);
  std::vector<bool> marks;
  for (const IntervalRow& row : slices) marks.push_back(row.is_disturbed);
  return marks;
}

TEST(Disturbance, ASliceThatLostTheCpusToOtherWorkDoesNotCount) {
  EXPECT_EQ(
      marks_of({slice_beside(0.02), slice_beside(0.6), slice_beside(0.03), slice_beside(0.09)}),
      (std::vector{false, true, false, false}));
}

TEST(Disturbance, ASliceThatBeganLaterThanItWasToldDoesNotCount) {
  IntervalRow late = slice_beside(0.02);
  late.begins_late = true;
  EXPECT_EQ(marks_of({slice_beside(0.02), late}), (std::vector{false, true}));
}

TEST(Disturbance, WhatIsUsualOfATargetDisturbsNoneOfItsSlices) {
  EXPECT_EQ(
      marks_of({slice_beside(0.4), slice_beside(0.41), slice_beside(0.45), slice_beside(0.42)}),
      (std::vector{false, false, false, false}));
}

TEST(Disturbance, WhereMostSlicesAreDisturbedTheQuietQuarterIsTheMeasure) {
  EXPECT_EQ(
      marks_of({slice_beside(0.7), slice_beside(0.02), slice_beside(0.8), slice_beside(0.03),
                slice_beside(0.6), slice_beside(0.9), slice_beside(0.75), slice_beside(0.65)}),
      (std::vector{true, false, true, false, true, true, true, true}));
}

TEST(Disturbance, WithoutTheKernelsCountEverySliceCounts) {
  EXPECT_EQ(marks_of({slice_beside({}), slice_beside({})}), (std::vector{false, false}));
  EXPECT_TRUE(marks_of({}).empty());
}

TEST(Disturbance, ASliceWhoseRequestsWereSentLateDoesNotCountIfThereIsASchedule) {
  const std::vector slices{slice_beside(0.02, 51'000), slice_beside(0.02, 49'000)};
  EXPECT_EQ(marks_of(slices, true), (std::vector{true, false}));
  EXPECT_EQ(marks_of(slices, false), (std::vector{false, false}));
}

TEST(Disturbance, ALagIsMeasuredByTheLatencyWhereThatIsLong) {
  EXPECT_EQ(send_lag_limit_ns(200'000), 50'000);
  EXPECT_EQ(send_lag_limit_ns(10'000'000), 500'000);
}

}  // namespace
}  // namespace serverlab
