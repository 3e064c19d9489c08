// Arrivals at rates that no generator can follow: bounded work, bounded memory, whole accounts.

#include "load/models/arrival_queue.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

using std::chrono::milliseconds;

class Intended final : public Issuer {
 public:
  std::uint64_t count = 0;

  void intend(Instant) override { ++count; }
  void issue(Peer&, Instant, Instant) override {}
  void flush(Peer&) override {}
  void drop(Instant) override {}
  void open(Peer&) override {}
  void close(Peer&, Instant) override {}
};

const Instant start = Instant(std::chrono::seconds(100));

ArrivalQueue at_rate(double rate_per_s) {
  ArrivalQueue queue;
  queue.start({Arrivals::constant, {.to_per_s = rate_per_s}, 1, {}, 1}, start);
  return queue;
}

TEST(ArrivalQueue, EnqueuesWhatIsDueOldestFirst) {
  ArrivalQueue queue = at_rate(1000);
  Intended issuer;
  queue.enqueue_due(start + milliseconds(2), issuer);
  EXPECT_EQ(issuer.count, 3U);
  EXPECT_EQ(queue.take_oldest(), start);
  EXPECT_EQ(queue.take_newest(), start + milliseconds(2));
  EXPECT_EQ(queue.waiting(), 1U);
  EXPECT_EQ(queue.next_due(), start + milliseconds(3));
}

TEST(ArrivalQueue, EnqueuesAPartOfVeryManyArrivalsAndMustBeCalledAgainAtOnce) {
  ArrivalQueue queue = at_rate(5e6);
  Intended issuer;
  const Instant late = start + std::chrono::seconds(1);
  queue.enqueue_due(late, issuer);
  EXPECT_LT(issuer.count, 100'000U);
  EXPECT_LT(queue.next_due(), late);
}

TEST(ArrivalQueue, KeepsABoundedNumberButCountsAll) {
  ArrivalQueue queue = at_rate(5e6);
  Intended issuer;
  queue.end(start + std::chrono::seconds(1));
  while (queue.is_behind()) queue.enqueue_due(start + std::chrono::seconds(1), issuer);
  EXPECT_EQ(issuer.count, 5'000'000U);
  EXPECT_LT(queue.waiting(), 4'500'000U);
}

TEST(ArrivalQueue, CountsArrivalsThatWereNeverEnqueuedWhenItGivesUp) {
  ArrivalQueue queue = at_rate(1000);
  Intended issuer;
  queue.enqueue_due(start + milliseconds(10), issuer);
  queue.end(start + std::chrono::seconds(1));
  EXPECT_TRUE(queue.is_behind());
  queue.give_up(issuer);
  EXPECT_FALSE(queue.is_behind());
  EXPECT_EQ(issuer.count, 1000U);
  EXPECT_EQ(queue.next_due(), Instant::max());
}

TEST(ArrivalQueue, HasNoMoreArrivalsThanItsNumber) {
  ArrivalQueue queue;
  queue.start({Arrivals::constant, {.to_per_s = 1000}, 1, {}, 1}, start, 3);
  Intended issuer;
  queue.enqueue_due(start + milliseconds(1), issuer);
  EXPECT_EQ(issuer.count, 2U);
  EXPECT_EQ(queue.next_due(), start + milliseconds(2));
  queue.enqueue_due(start + std::chrono::seconds(1), issuer);
  EXPECT_EQ(issuer.count, 3U);
  EXPECT_EQ(queue.next_due(), Instant::max());
  queue.end(start + std::chrono::seconds(2));
  EXPECT_FALSE(queue.is_behind());
  queue.give_up(issuer);
  EXPECT_EQ(issuer.count, 3U);
}

TEST(ArrivalQueue, OfARateNearZeroWaitsForever) {
  ArrivalQueue queue;
  queue.start({Arrivals::poisson, {.to_per_s = 1e-300}, 1, {}, 1}, start);
  EXPECT_GT(queue.next_due(), start + std::chrono::hours(24));
}

}  // namespace
}  // namespace serverlab
