// What many threads add is all counted, and keeps its values.

#include "base/concurrent_histogram.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace serverlab {
namespace {

TEST(ConcurrentHistogram, CountsWhatAllThreadsAdd) {
  const auto histogram = std::make_unique<ConcurrentHistogram>();
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) histogram->record(i, 2);
      });
    }
  }
  const auto total = histogram->total();
  EXPECT_EQ(total->count(), 8000U);
  EXPECT_EQ(total->quantile_ns(0.5), 499);
  EXPECT_DOUBLE_EQ(total->mean_ns(), 499.5);
}

TEST(ConcurrentHistogram, KeepsEachValueWithinItsBucket) {
  const auto histogram = std::make_unique<ConcurrentHistogram>();
  for (std::int64_t value = 1; value < Histogram::highest_ns; value = value * 3 + 1) {
    const auto before = histogram->total();
    histogram->record(value);
    const auto after = histogram->total();
    const double added = after->sum_ns() - before->sum_ns();
    EXPECT_NEAR(added / static_cast<double>(value), 1, 0.0006) << value;
  }
}

TEST(ConcurrentHistogram, CountsWhatLiesOutsideAtTheNearerEnd) {
  const auto histogram = std::make_unique<ConcurrentHistogram>();
  histogram->record(-5);
  histogram->record(2 * Histogram::highest_ns);
  EXPECT_EQ(histogram->total()->count(), 2U);
  EXPECT_EQ(histogram->total()->min_ns(), 0);
  EXPECT_NEAR(static_cast<double>(histogram->total()->max_ns()) / Histogram::highest_ns, 1, 0.001);
}

}  // namespace
}  // namespace serverlab
