// The histogram against the sorted values that it stands for.

#include "base/histogram.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace serverlab {
namespace {

constexpr double quantiles[] = {0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};

// Log-normal, as latencies are: most near 50 µs, some a hundred times that.
std::vector<std::int64_t> random_latencies(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> latency_ns(std::log(50e3), 1.5);
  std::vector<std::int64_t> values(count);
  for (std::int64_t& value : values) value = static_cast<std::int64_t>(latency_ns(random));
  return values;
}

std::unique_ptr<Histogram> histogram_of(const std::vector<std::int64_t>& values) {
  auto histogram = std::make_unique<Histogram>();
  for (const std::int64_t value : values) histogram->record(value);
  return histogram;
}

void expect_same(const Histogram& actual, const Histogram& expected) {
  EXPECT_EQ(actual.count(), expected.count());
  EXPECT_EQ(actual.min_ns(), expected.min_ns());
  EXPECT_EQ(actual.max_ns(), expected.max_ns());
  EXPECT_NEAR(actual.sum_ns(), expected.sum_ns(), 1e-9 * expected.sum_ns());
  for (const double quantile : quantiles) {
    EXPECT_EQ(actual.quantile_ns(quantile), expected.quantile_ns(quantile)) << quantile;
  }
  ASSERT_EQ(actual.first_index(), expected.first_index());
  ASSERT_EQ(actual.last_index(), expected.last_index());
  for (std::size_t i = expected.first_index(); i <= expected.last_index(); ++i) {
    ASSERT_EQ(actual.count_at(i), expected.count_at(i)) << "in bucket " << i;
  }
}

TEST(Buckets, HoldEveryValueBetweenTheirBordersAndAreNeverWiderThanAThousandth) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = static_cast<std::int64_t>(random() % Histogram::highest_ns) >> random() % 42;
    const std::size_t index = Buckets::index_of(value);
    ASSERT_LE(Buckets::lowest_of(index), value);
    ASSERT_GE(Buckets::highest_of(index), value);
    const std::int64_t width = Buckets::highest_of(index) - Buckets::lowest_of(index) + 1;
    ASSERT_TRUE(width == 1 || width <= value / 1024) << value;
  }
}

TEST(Buckets, LieSideBySideInTheOrderOfTheirIndices) {
  for (std::size_t index = 0; index < Buckets::index_of(Histogram::highest_ns); ++index) {
    ASSERT_EQ(Buckets::index_of(Buckets::lowest_of(index)), index);
    ASSERT_EQ(Buckets::index_of(Buckets::highest_of(index)), index);
    ASSERT_EQ(Buckets::highest_of(index) + 1, Buckets::lowest_of(index + 1));
  }
}

TEST(Histogram, GivesTheQuantilesOfTheSortedValuesWithinTheirBuckets) {
  std::vector<std::int64_t> values = random_latencies(50'000, 3);
  const auto histogram = histogram_of(values);
  std::ranges::sort(values);
  for (const double quantile : quantiles) {
    const double rank = std::round(quantile * static_cast<double>(values.size()));
    const std::int64_t exact = values[std::max<std::size_t>(1, static_cast<std::size_t>(rank)) - 1];
    EXPECT_EQ(Buckets::index_of(histogram->quantile_ns(quantile)), Buckets::index_of(exact))
        << quantile;
    EXPECT_GE(histogram->quantile_ns(quantile), exact) << "the largest value of the bucket";
  }
}

TEST(Histogram, KeepsLeastGreatestAndMeanExactly) {
  const std::vector<std::int64_t> values = random_latencies(10'000, 4);
  const auto histogram = histogram_of(values);
  EXPECT_EQ(histogram->min_ns(), std::ranges::min(values));
  EXPECT_EQ(histogram->max_ns(), std::ranges::max(values));
  double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  EXPECT_DOUBLE_EQ(histogram->mean_ns(), sum / 10'000);
}

TEST(Histogram, OfTheUnionIsTheMergeOfTheParts) {
  const std::vector<std::int64_t> values = random_latencies(9'000, 5);
  const auto part = [&](int from, int to) {
    return histogram_of({values.begin() + from, values.begin() + to});
  };
  const auto merged = std::make_unique<Histogram>();
  merged->merge(*part(0, 10));
  merged->merge(Histogram());
  merged->merge(*part(10, 4'000));
  merged->merge(*part(4'000, 9'000));
  expect_same(*merged, *histogram_of(values));
}

TEST(Histogram, IsAsNewOnceCleared) {
  const auto histogram = histogram_of(random_latencies(1'000, 6));
  histogram->clear();
  expect_same(*histogram, Histogram());
  const std::vector<std::int64_t> later = random_latencies(1'000, 7);
  for (const std::int64_t value : later) histogram->record(value);
  expect_same(*histogram, *histogram_of(later));
}

TEST(Histogram, CountsRequestsWithoutAnAnswerAsSlowerThanAllOthers) {
  const auto histogram = std::make_unique<Histogram>();
  histogram->record(1'000, 90);
  EXPECT_EQ(Buckets::index_of(histogram->quantile_ns(0.9, 10)), Buckets::index_of(1'000));
  EXPECT_EQ(histogram->quantile_ns(0.91, 10), -1) << "falls among the unanswered";
  EXPECT_EQ(histogram->quantile_ns(1, 1), -1);
  EXPECT_NE(histogram->quantile_ns(1, 0), -1);
}

TEST(Histogram, HasNoQuantileWhenItIsEmpty) {
  EXPECT_EQ(Histogram().quantile_ns(0.5), -1);
  EXPECT_EQ(Histogram().min_ns(), 0);
  EXPECT_EQ(Histogram().max_ns(), 0);
  EXPECT_EQ(Histogram().mean_ns(), 0);
}

TEST(Histogram, CountsWhatLiesOutsideItsRangeAtTheNearerEnd) {
  const auto histogram = std::make_unique<Histogram>();
  histogram->record(-5);
  histogram->record(Histogram::highest_ns + 1);
  histogram->record(INT64_MAX);
  EXPECT_EQ(histogram->count(), 3U);
  EXPECT_EQ(histogram->min_ns(), 0);
  EXPECT_EQ(histogram->max_ns(), Histogram::highest_ns);
  EXPECT_GE(histogram->quantile_ns(1), Histogram::highest_ns);
}

TEST(Histogram, CountsAValueAsOftenAsItIsTold) {
  const auto many = std::make_unique<Histogram>();
  const auto one_by_one = std::make_unique<Histogram>();
  many->record(777, 5);
  for (int i = 0; i < 5; ++i) one_by_one->record(777);
  expect_same(*many, *one_by_one);
}

}  // namespace
}  // namespace serverlab
