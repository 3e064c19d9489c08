// What the conductor makes of the workers' tallies, and what that costs the CPU that it may share
// with a worker.

#include "load/collector.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <vector>

namespace serverlab {
namespace {

Duration ms(std::int64_t count) { return std::chrono::milliseconds(count); }

const Segment slice = {.target = 0, .warmup = ms(10), .window = ms(90), .interval = ms(90)};

LoadEvents unseen() {
  return {.connected = [](std::uint32_t) {},
          .at_border = [](std::uint32_t) {},
          .window_begun = [] {},
          .interval = [](const IntervalRow&, const Tally&) {},
          .window_ended = [] {}};
}

/// A worker's tally of a part of a segment that begins at `begin`.
void hand_over(Collector& collector, std::uint32_t segment, Instant begin, HandedOver& out) {
  out.segment = segment;
  out.tally.clear();
  out.tally.received = out.tally.completed = 10;
  for (int i = 0; i < 10; ++i) out.tally.latency.record(50'000);
  out.of = HandedOver::Of::warmup;
  out.from = begin;
  out.to = begin + slice.warmup;
  collector.take(out, 1);
  out.of = HandedOver::Of::window;
  out.from = out.to;
  out.to = out.from + slice.window;
  collector.take(out, 1);
}

long page_faults() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// A tally that is allocated anew touches hundreds of pages.
TEST(Collector, AllocatesTheMemoryOfTalliesBeforeTheLoadBegins) {
  constexpr std::uint32_t slices = 60;
  const std::vector<Segment> segments(slices, slice);
  const LoadEvents events = unseen();
  Collector collector(segments, 1, 1, events);
  const auto out = std::make_unique<HandedOver>();
  const long faults_before = page_faults();
  for (std::uint32_t i = 0; i < slices; ++i) {
    const Instant begin = Instant(std::chrono::hours(1)) + i * ms(100);
    collector.begin(i, begin);
    hand_over(collector, i, begin, *out);
    collector.end(i, 1);
  }
  EXPECT_LT(page_faults() - faults_before, 100);
  EXPECT_EQ(collector.result().targets[0]->series.size(), slices);
  EXPECT_EQ(collector.result().targets[0]->window.completed, 10U * slices);
  EXPECT_EQ(collector.result().targets[0]->window.latency.count(), 10U * slices);
}

TEST(Collector, AllocatesNoneWhileAWorkerIsInItsWindowAndAnotherIsNot) {
  const std::vector<Segment> segments(1, slice);
  const LoadEvents events = unseen();
  Collector collector(segments, 1, 2, events);
  const auto out = std::make_unique<HandedOver>();
  const Instant begin = Instant(std::chrono::hours(1));
  const long faults_before = page_faults();
  collector.begin(0, begin);
  hand_over(collector, 0, begin, *out);
  hand_over(collector, 0, begin, *out);
  EXPECT_LT(page_faults() - faults_before, 100);
  EXPECT_EQ(collector.result().targets[0]->window.completed, 20U);
}

TEST(Collector, CountsAWarmupOnceAllWorkersHaveHandedItOver) {
  const std::vector<Segment> segments(1, slice);
  const LoadEvents events = unseen();
  Collector collector(segments, 1, 2, events);
  const auto out = std::make_unique<HandedOver>();
  const Instant begin = Instant(std::chrono::hours(1));
  collector.begin(0, begin);
  hand_over(collector, 0, begin, *out);
  EXPECT_TRUE(collector.warmup().empty());
  hand_over(collector, 0, begin, *out);
  ASSERT_EQ(collector.warmup().size(), 1U);
  EXPECT_DOUBLE_EQ(collector.warmup()[0].rate_per_s, 20 / 0.01);
}

}  // namespace
}  // namespace serverlab
