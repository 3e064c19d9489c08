// Fairness, by the definitions of its figures.

#include "load/fairness.h"

#include <gtest/gtest.h>
#include <vector>

namespace serverlab {
namespace {

RequestCounts counts_of(const std::vector<double>& requests) {
  RequestCounts counts;
  for (const double one : requests) counts.add(one);
  return counts;
}

TEST(Fairness, IsPerfectWhenAllConnectionsHaveTheSame) {
  const Fairness fairness = fairness_of(counts_of({7, 7, 7}));
  EXPECT_EQ(fairness.min, 7);
  EXPECT_EQ(fairness.mean, 7);
  EXPECT_EQ(fairness.max, 7);
  EXPECT_EQ(fairness.cv, 0);
  EXPECT_DOUBLE_EQ(fairness.jain, 1);
}

TEST(Fairness, IsOneNthWhenOneConnectionHasEverything) {
  const Fairness fairness = fairness_of(counts_of({0, 12, 0, 0}));
  EXPECT_EQ(fairness.min, 0);
  EXPECT_EQ(fairness.max, 12);
  EXPECT_EQ(fairness.mean, 3);
  EXPECT_DOUBLE_EQ(fairness.jain, 0.25);
  EXPECT_DOUBLE_EQ(fairness.cv, std::sqrt(3.0));
}

TEST(Fairness, OfTheWholeIsThatOfTheMergedParts) {
  RequestCounts merged = counts_of({5, 6});
  merged.merge(RequestCounts());
  merged.merge(counts_of({1, 0, 9}));
  const Fairness parts = fairness_of(merged);
  const Fairness whole = fairness_of(counts_of({5, 6, 1, 0, 9}));
  EXPECT_EQ(parts.min, whole.min);
  EXPECT_EQ(parts.max, whole.max);
  EXPECT_DOUBLE_EQ(parts.cv, whole.cv);
  EXPECT_DOUBLE_EQ(parts.jain, whole.jain);
}

TEST(Fairness, OfNothingHasNoFigures) {
  EXPECT_EQ(fairness_of(RequestCounts()).mean, 0);
  EXPECT_EQ(fairness_of(counts_of({0, 0})).mean, 0);
}

TEST(Fairness, CallsAConnectionStarvingThatWaitedHalfOfTheWindowAndASecond) {
  EXPECT_TRUE(is_starving(5, 10));
  EXPECT_FALSE(is_starving(4.9, 10));
  EXPECT_FALSE(is_starving(0.9, 1));
  EXPECT_FALSE(is_starving(0, 0));
}

}  // namespace
}  // namespace serverlab
