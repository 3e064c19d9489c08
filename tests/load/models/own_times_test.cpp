// Each client has the same time, from when it was first connected.

#include "load/models/own_times.h"

#include "tests/load/peers.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

class OwnTimesTest : public testing::Test {
 protected:
  static Instant at(int second) { return Instant(std::chrono::seconds(100 + second)); }

  std::vector<Peer> peers = make_peers(3);
  OwnTimes times{peers, std::chrono::seconds(20)};
};

TEST_F(OwnTimesTest, EndAsLongAfterEachBeginning) {
  times.begin(peers[2], at(0));
  times.begin(peers[0], at(5));
  EXPECT_EQ(times.next_over(), at(20));
  EXPECT_EQ(times.take_over(at(19)), nullptr);
  EXPECT_EQ(times.take_over(at(21)), &peers[2]);
  EXPECT_EQ(times.take_over(at(21)), nullptr);
  EXPECT_EQ(times.next_over(), at(25));
  EXPECT_FALSE(times.is_over(peers[0], at(24)));
  EXPECT_TRUE(times.is_over(peers[0], at(25)));
  EXPECT_EQ(times.began(peers[0]), at(5));
}

TEST_F(OwnTimesTest, DoNotBeginAgainWithANewConnection) {
  times.begin(peers[0], at(0));
  times.begin(peers[0], at(15));
  EXPECT_TRUE(times.is_over(peers[0], at(20)));
  EXPECT_EQ(times.take_over(at(40)), &peers[0]);
  EXPECT_EQ(times.take_over(at(40)), nullptr);
}

TEST_F(OwnTimesTest, AreNotOverForAPeerThatWasNeverConnected) {
  EXPECT_FALSE(times.is_over(peers[1], at(1000)));
  EXPECT_EQ(times.next_over(), Instant::max());
  times.finish();
  EXPECT_EQ(times.unfinished(), 2U);
}

}  // namespace
}  // namespace serverlab
