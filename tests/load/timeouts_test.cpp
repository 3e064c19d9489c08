// Requests that are in flight for too long are found, each connection being looked at rarely.

#include "load/timeouts.h"

#include "tests/load/peers.h"

#include <gtest/gtest.h>
#include <set>

namespace serverlab {
namespace {

using std::chrono::milliseconds;

const Instant start = Instant(std::chrono::seconds(100));

class TimeoutsTest : public testing::Test {
 protected:
  void send(Peer& peer, Instant when) {
    peer.in_flight.push({.intended = when, .due = when, .sent = when});
    timeouts_.sent(peer, when);
  }

  std::vector<Peer> peers_ = make_peers(200);
  Timeouts timeouts_{std::chrono::seconds(3)};
};

TEST_F(TimeoutsTest, FindARequestOnceItIsInFlightForLongerThanTheTimeout) {
  send(peers_[0], start);
  EXPECT_EQ(timeouts_.take_overdue(start + std::chrono::seconds(3)), nullptr);
  EXPECT_EQ(timeouts_.take_overdue(start + milliseconds(3001)), peers_.data());
  EXPECT_EQ(timeouts_.take_overdue(start + milliseconds(3001)), nullptr) << "it is told once";
}

TEST_F(TimeoutsTest, LeaveAConnectionAloneWhoseRequestsAreAnswered) {
  send(peers_[0], start);
  peers_[0].in_flight.pop();
  EXPECT_EQ(timeouts_.take_overdue(start + std::chrono::seconds(10)), nullptr);
  EXPECT_FALSE(timeouts_.is_behind(start + std::chrono::seconds(1000)))
      << "an idle connection is not looked at";
}

TEST_F(TimeoutsTest, FindALaterRequestNoLaterThanAnother) {
  send(peers_[0], start);
  peers_[0].in_flight.pop();
  send(peers_[0], start + std::chrono::seconds(1));
  send(peers_[1], start + std::chrono::seconds(2));
  EXPECT_EQ(timeouts_.take_overdue(start + milliseconds(3500)), nullptr);
  EXPECT_EQ(timeouts_.take_overdue(start + milliseconds(4001)), peers_.data());
  EXPECT_EQ(timeouts_.take_overdue(start + milliseconds(5001)), &peers_[1]);
}

TEST_F(TimeoutsTest, CountFromTheOldestOfSeveralRequests) {
  send(peers_[0], start);
  send(peers_[0], start + std::chrono::seconds(2));
  EXPECT_EQ(timeouts_.take_overdue(start + milliseconds(3001)), peers_.data());
}

TEST_F(TimeoutsTest, WatchAConnectionAgainThatWasLostAndReopened) {
  send(peers_[0], start);
  ASSERT_EQ(timeouts_.take_overdue(start + std::chrono::seconds(4)), peers_.data());
  peers_[0].in_flight.clear();
  send(peers_[0], start + std::chrono::seconds(5));
  EXPECT_EQ(timeouts_.take_overdue(start + std::chrono::seconds(9)), peers_.data());
}

TEST_F(TimeoutsTest, DoNotCountARequestThatIsNotSentYet) {
  send(peers_[0], start);
  peers_[0].in_flight.pop();
  peers_[0].in_flight.push({.intended = start, .due = start, .sent = {}});
  EXPECT_EQ(timeouts_.take_overdue(start + std::chrono::seconds(10)), nullptr);
  peers_[0].in_flight.youngest(0).sent = start + std::chrono::seconds(10);
  timeouts_.sent(peers_[0], start + std::chrono::seconds(10));
  EXPECT_EQ(timeouts_.take_overdue(start + std::chrono::seconds(14)), peers_.data());
}

TEST_F(TimeoutsTest, LookAtAFewConnectionsAtATimeAndMissNone) {
  for (Peer& peer : peers_) {
    send(peer, start);
    peer.in_flight.pop();
    send(peer, start + std::chrono::seconds(1));
  }
  const Instant later = start + milliseconds(3500);
  EXPECT_EQ(timeouts_.take_overdue(later), nullptr);
  EXPECT_TRUE(timeouts_.is_behind(later)) << "200 looks are too many for one turn of the loop";
  std::set<Peer*> found;
  for (int turn = 0; turn < 20; ++turn) {
    while (Peer* peer = timeouts_.take_overdue(start + std::chrono::seconds(5))) found.insert(peer);
  }
  EXPECT_EQ(found.size(), peers_.size());
}

}  // namespace
}  // namespace serverlab
