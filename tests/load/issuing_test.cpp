// Requests are sent in batches, and each has the instant at which it was sent.

#include "load/issuing.h"

#include "tests/load/peers.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

class IssuingTest : public testing::Test {
 protected:
  TransportToNowhere transport_;
  std::unique_ptr<WorkerReport> report_ = std::make_unique<WorkerReport>();
  Recorder recorder_{*report_};
  Timeouts timeouts_{std::chrono::seconds(3)};
  std::vector<Peer> peers_ = make_peers(2);
  Issuing issuing_{transport_, recorder_, timeouts_};
};

TEST_F(IssuingTest, SendsABatchAtOnceAndCountsWhatIsInFlight) {
  const Instant before = now();
  for (int i = 0; i < 3; ++i) issuing_.add(peers_[0], before, before);
  EXPECT_TRUE(issuing_.flush(peers_[0]));
  EXPECT_EQ(transport_.sent, std::vector<std::size_t>{3});
  EXPECT_EQ(issuing_.in_flight(), 3U);
  EXPECT_GE(peers_[0].in_flight.oldest().sent, before);
  EXPECT_FALSE(issuing_.has_unstamped());
  issuing_.finish_oldest(peers_[0]);
  EXPECT_EQ(issuing_.in_flight(), 2U);
}

TEST_F(IssuingTest, NotesTheInstantOfTheWaitWithWhichRequestsGoOut) {
  transport_.with_wait = true;
  for (Peer& peer : peers_) {
    issuing_.add(peer, now(), now());
    issuing_.flush(peer);
  }
  ASSERT_TRUE(issuing_.has_unstamped());
  const Instant sent = now() + std::chrono::seconds(1);
  issuing_.stamp_waiting(sent);
  EXPECT_EQ(peers_[0].in_flight.oldest().sent, sent);
  EXPECT_EQ(peers_[1].in_flight.oldest().sent, sent);
  EXPECT_FALSE(issuing_.has_unstamped());
}

TEST_F(IssuingTest, KeepsTheInstantOfWhatWasSentBefore) {
  issuing_.add(peers_[0], now(), now());
  issuing_.flush(peers_[0]);
  const Instant first = peers_[0].in_flight.oldest().sent;
  transport_.with_wait = true;
  issuing_.add(peers_[0], now(), now());
  issuing_.flush(peers_[0]);
  issuing_.stamp_waiting(first + std::chrono::seconds(1));
  EXPECT_EQ(peers_[0].in_flight.oldest().sent, first);
  EXPECT_EQ(peers_[0].in_flight.youngest(0).sent, first + std::chrono::seconds(1));
}

TEST_F(IssuingTest, SaysThatAConnectionIsBroken) {
  transport_.is_broken = true;
  issuing_.add(peers_[0], now(), now());
  EXPECT_FALSE(issuing_.flush(peers_[0]));
}

}  // namespace
}  // namespace serverlab
