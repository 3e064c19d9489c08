// Which peers connect when, how many at a time, and how long they may take.

#include "load/connecting.h"

#include "tests/load/peers.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

using std::chrono::milliseconds;

const Instant start = Instant(std::chrono::seconds(100));

class ConnectingTest : public testing::Test {
 protected:
  ConnectingTest() { options_.connect_timeout = std::chrono::seconds(2); }

  std::uint32_t connect_due(Instant now) {
    std::uint32_t begun = 0;
    while (Peer* peer = connecting_.take_due(now)) {
      EXPECT_EQ(connecting_.connect(*peer, now), 0);
      ++begun;
    }
    return begun;
  }

  void open(Peer& peer, Instant now) {
    peer.state = Peer::State::open;
    connecting_.opened(peer, now, *tally_);
  }

  LoadOptions options_ = {.targets = {Address::parse("127.0.0.1:7000")}};
  TransportToNowhere transport_;
  std::unique_ptr<WorkerReport> report_ = std::make_unique<WorkerReport>();
  std::unique_ptr<Tally> tally_ = std::make_unique<Tally>();
  std::vector<Peer> peers_ = make_peers(1000);
  Connecting connecting_{options_, transport_, *report_};
};

TEST_F(ConnectingTest, LetsOnlySoManyConnectAtATime) {
  connecting_.start_all(peers_, start, 0);
  EXPECT_EQ(connect_due(start), Connecting::together_max);
  open(peers_[0], start);
  connecting_.close(peers_[1]);
  EXPECT_EQ(connect_due(start), 2U);
}

TEST_F(ConnectingTest, BeginsAtTheRateThatIsAskedFor) {
  connecting_.start_all(peers_, start, 100);
  EXPECT_EQ(connect_due(start), 1U);
  EXPECT_EQ(connect_due(start + milliseconds(9)), 0U);
  EXPECT_EQ(connect_due(start + milliseconds(55)), 5U);
  connecting_.end_all();
  EXPECT_EQ(connect_due(start + std::chrono::seconds(1)), 0U) << "the rest is left closed";
}

TEST_F(ConnectingTest, ConnectsLostPeersBeforeThoseThatRest) {
  connecting_.add(peers_[0], start + milliseconds(100));
  connecting_.add_first(peers_[1], start);
  EXPECT_EQ(connecting_.take_due(start), &peers_[1]);
  EXPECT_EQ(connecting_.take_due(start), nullptr);
  EXPECT_EQ(connecting_.take_due(start + milliseconds(100)), peers_.data());
}

TEST_F(ConnectingTest, CountsOpenPeersAndHowLongTheyWereGone) {
  connecting_.add(peers_[0], start);
  connect_due(start);
  open(peers_[0], start + milliseconds(1));
  EXPECT_EQ(connecting_.open(), 1U);
  EXPECT_EQ(report_->established, 1U);
  EXPECT_TRUE(report_->accepted);
  EXPECT_EQ(tally_->reopened, 0U);
  connecting_.close(peers_[0]);
  EXPECT_EQ(report_->established, 0U);
  peers_[0].lost_at = start + std::chrono::seconds(1);
  connecting_.add(peers_[0], start + std::chrono::seconds(1));
  connect_due(start + std::chrono::seconds(1));
  open(peers_[0], start + std::chrono::seconds(3));
  EXPECT_EQ(tally_->reopened, 1U);
  EXPECT_DOUBLE_EQ(tally_->outage_s, 2);
}

TEST_F(ConnectingTest, FindsThePeersThatConnectForTooLong) {
  for (std::size_t i = 0; i < 3; ++i) connecting_.add(peers_[i], start + i * milliseconds(500));
  for (int i = 0; i < 3; ++i) connect_due(start + i * milliseconds(500));
  open(peers_[0], start + std::chrono::seconds(1));
  EXPECT_EQ(connecting_.take_overdue(start + milliseconds(2500)), nullptr);
  EXPECT_EQ(connecting_.take_overdue(start + milliseconds(2501)), &peers_[1]);
  connecting_.close(peers_[1]);
  EXPECT_EQ(connecting_.take_overdue(start + milliseconds(2501)), nullptr);
}

TEST_F(ConnectingTest, DoesNotTakeAnEarlierAttemptForThePresentOne) {
  connecting_.add(peers_[0], start);
  connect_due(start);
  connecting_.close(peers_[0]);
  connecting_.add(peers_[0], start + std::chrono::seconds(1));
  connect_due(start + std::chrono::seconds(1));
  EXPECT_EQ(connecting_.take_overdue(start + milliseconds(2500)), nullptr);
  EXPECT_EQ(connecting_.take_overdue(start + milliseconds(3001)), peers_.data());
}

TEST_F(ConnectingTest, SaysWhyAConnectFailedAtOnce) {
  transport_.connect_error = EMFILE;
  EXPECT_EQ(connecting_.connect(peers_[0], start), EMFILE);
  connecting_.close(peers_[0]);
  transport_.connect_error = 0;
  connecting_.start_all(peers_, start, 0);
  EXPECT_EQ(connect_due(start), Connecting::together_max) << "it takes no other's place";
}

}  // namespace
}  // namespace serverlab
