// The order of slices: balanced, so that a drift of the machine treats all targets alike.

#include "load/segments.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace serverlab {
namespace {

using Turns = std::vector<std::uint32_t>;

TEST(SliceOrder, GoesForwardsAndBackwards) {
  EXPECT_EQ(slice_order(2, 4, SliceOrder::abba, 1), (Turns{0, 1, 1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(slice_order(3, 2, SliceOrder::abba, 1), (Turns{0, 1, 2, 2, 1, 0}));
  EXPECT_EQ(slice_order(1, 3, SliceOrder::abba, 1), (Turns{0, 0, 0}));
}

TEST(SliceOrder, GivesEachTargetATurnInEveryRoundAndEachPlaceOnceInALatinSquare) {
  constexpr std::uint32_t targets = 5;
  const Turns turns = slice_order(targets, targets, SliceOrder::latin, 7);
  ASSERT_EQ(turns.size(), targets * targets);
  std::map<std::uint32_t, std::set<std::size_t>> places;
  for (std::size_t i = 0; i < turns.size(); ++i) places[turns[i]].insert(i % targets);
  for (std::size_t round = 0; round < targets; ++round) {
    const auto begin = turns.begin() + static_cast<std::ptrdiff_t>(round * targets);
    EXPECT_EQ(std::set(begin, begin + targets).size(), targets);
  }
  for (const auto& [target, taken] : places) EXPECT_EQ(taken.size(), targets) << target;
}

TEST(SliceOrder, IsDrawnFromTheSeed) {
  const auto drawn = [](std::uint64_t seed) { return slice_order(6, 12, SliceOrder::latin, seed); };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
}

TEST(Segments, AreOneWhereThereAreNoSlices) {
  LoadOptions options;
  options.warmup = std::chrono::seconds(1);
  options.duration = std::chrono::seconds(3);
  const std::vector<Segment> segments = make_segments(options);
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_EQ(segments.front().warmup, options.warmup);
  EXPECT_EQ(segments.front().window, options.duration);
}

TEST(Segments, WarmEachTargetUpAndThenMeasureSlices) {
  LoadOptions options;
  options.targets.resize(2);
  options.warmup = std::chrono::seconds(1);
  options.duration = std::chrono::seconds(1);
  options.slice = std::chrono::milliseconds(200);
  const std::vector<Segment> segments = make_segments(options);
  ASSERT_EQ(segments.size(), 2U + 2 * 5);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    const bool measured = i >= 2;
    EXPECT_EQ(segment.window > Duration::zero(), measured);
    EXPECT_EQ(segment.warmup + segment.window, measured ? options.slice : options.warmup);
  }
}

TEST(Segments, EndWithABorderWhereTheirBeginningsAreTold) {
  LoadOptions options;
  options.targets.resize(2);
  options.duration = options.slice = std::chrono::milliseconds(200);
  options.begin_is_told = true;
  const std::vector<Segment> segments = make_segments(options);
  ASSERT_EQ(segments.size(), 2U + 2 + 1);
  EXPECT_EQ(segments.back().warmup + segments.back().window, Duration::zero());
}

}  // namespace
}  // namespace serverlab
