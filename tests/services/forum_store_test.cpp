// The forum's store under each of its locks, by one thread and by many.

#include "services/forum/store.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <thread>

namespace serverlab::forum {
namespace {

constexpr std::uint64_t ample_bytes = 1 << 30;

class ForumStoreOf : public testing::TestWithParam<Locking> {
 protected:
  Store store_{GetParam(), ample_bytes};
};

TEST_P(ForumStoreOf, NumbersTheMessagesOfEachTopicFromZero) {
  EXPECT_EQ(store_.post("@a", "first"), 0U);
  EXPECT_EQ(store_.post("@b", "other"), 0U);
  EXPECT_EQ(store_.post("@a", "second"), 1U);
  EXPECT_EQ(store_.read("@a", 1), "second");
  EXPECT_EQ(store_.read("@a", 2), "");
  EXPECT_EQ(store_.read("@c", 0), "");
  EXPECT_EQ(store_.count("@a"), 2U);
  EXPECT_EQ(store_.count("@c"), 0U);
  EXPECT_EQ(store_.topics(), 2U);
  EXPECT_EQ(store_.messages(), 3U);
}

TEST_P(ForumStoreOf, KeepsATextWhereItIs) {
  store_.post("@a", "the first");
  const std::string_view text = store_.read("@a", 0);
  for (int i = 0; i < 10'000; ++i) store_.post("@a", "another");
  EXPECT_EQ(text, "the first");
  EXPECT_EQ(text.data(), store_.read("@a", 0).data());
}

TEST_P(ForumStoreOf, ListsEachTopicOnceHoweverItIsChopped) {
  for (int i = 0; i < 300; ++i) store_.post(fmt::format("@{}", i), "x");
  for (const std::size_t bytes_max : {1UL, 10UL, 100UL, 1'000'000UL}) {
    Listing listing;
    std::string listed;
    for (bool complete = false; !complete;) {
      Bytes output;
      complete = store_.list(listing, bytes_max, output);
      EXPECT_LE(output.size(), bytes_max + 5);
      listed += text_of(output.view());
    }
    EXPECT_EQ(std::ranges::count(listed, '#'), 299);
    for (int i = 0; i < 300; ++i) {
      EXPECT_TRUE(fmt::format("#{}#", listed).contains(fmt::format("#@{}#", i))) << i;
    }
  }
}

TEST_P(ForumStoreOf, RefusesWhatExceedsItsCapacity) {
  Store small(GetParam(), 10'000);
  std::uint64_t posted = 0;
  while (small.post("@a", std::string(100, 'x'))) ++posted;
  EXPECT_GT(posted, 10U);
  EXPECT_LT(posted, 100U);
  EXPECT_FALSE(small.post("@a", std::string(100, 'x')));
  EXPECT_FALSE(small.post("@new", "x")) << "a topic takes more than a message";
  EXPECT_EQ(small.count("@a"), posted);
  EXPECT_EQ(small.topics(), 1U);
}

// Every poster has each id once, every reader finds each message as it was posted.
TEST_P(ForumStoreOf, LosesNothingWhenManyThreadsPostAndRead) {
  constexpr int threads = 4;
  constexpr int posts = 5'000;
  std::vector<std::vector<std::uint64_t>> ids(threads);
  {
    std::vector<std::jthread> running;
    for (int t = 0; t < threads; ++t) {
      running.emplace_back([this, t, &mine = ids[static_cast<std::size_t>(t)]] {
        for (int i = 0; i < posts; ++i) {
          const auto id = store_.post("@shared", std::to_string(t));
          mine.push_back(*id);
          store_.post(fmt::format("@{}", t), "own");
          if (store_.read("@shared", *id) != std::to_string(t)) mine.push_back(*id);
        }
      });
    }
  }
  std::vector<std::uint64_t> all;
  for (const auto& mine : ids) {
    EXPECT_TRUE(std::ranges::is_sorted(mine));
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), std::size_t{threads} * posts);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
  EXPECT_EQ(all.back(), all.size() - 1);
  EXPECT_EQ(store_.messages(), 2 * all.size());
}

INSTANTIATE_TEST_SUITE_P(Lockings, ForumStoreOf,
                         testing::Values(Locking::mutex, Locking::exclusive, Locking::shared,
                                         Locking::sharded));

}  // namespace
}  // namespace serverlab::forum
