// Pauses of a loop, on a clock that the test holds.

#include "load/pauses.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

Instant at_ms(std::int64_t ms) {
  return Instant(std::chrono::hours(1)) + std::chrono::milliseconds(ms);
}

class PausesTest : public testing::Test {
 protected:
  Pauses pauses;
  PauseFinder finder{pauses, at_ms(1000), at_ms(11'000), 0};
};

TEST_F(PausesTest, AreNoneWhileTheLoopRunsAndRepliesCome) {
  for (int i = 0; i <= 110; ++i) finder.turn(at_ms(100 * i), at_ms(100 * i + 5), 1 + i, true);
  EXPECT_EQ(pauses.stalled_s, 0);
  EXPECT_NEAR(pauses.silence_longest_s, 0.1, 0.001);
}

TEST_F(PausesTest, AreStallsWhereTheLoopRanLaterThanItWasDue) {
  finder.turn(at_ms(2000), at_ms(2000), 1, true);
  finder.turn(at_ms(2100), at_ms(4100), 2, true);
  finder.turn(at_ms(4200), at_ms(4500), 3, true);
  EXPECT_NEAR(pauses.stalled_s, 2.3, 0.001);
  EXPECT_NEAR(pauses.stall_longest_s, 2, 0.001);
  EXPECT_EQ(pauses.silence_longest_s, 0) << "the generator's own silence is not the server's";
}

TEST_F(PausesTest, AreNoStallsWhereTheLoopWasALittleLate) {
  finder.turn(at_ms(2000), at_ms(2199), 1, true);
  EXPECT_EQ(pauses.stalled_s, 0);
}

TEST_F(PausesTest, CountWithinTheWindowOnly) {
  finder.turn(at_ms(0), at_ms(900), 0, true);
  EXPECT_EQ(pauses.stalled_s, 0);
  finder.turn(at_ms(900), at_ms(1500), 1, true);
  EXPECT_NEAR(pauses.stalled_s, 0.5, 0.001);
  finder.turn(at_ms(10'000), at_ms(20'000), 2, true);
  EXPECT_NEAR(pauses.stalled_s, 1.5, 0.001);
}

TEST_F(PausesTest, AreSilenceWhereARequestIsInFlightAndNoReplyComes) {
  finder.turn(at_ms(2000), at_ms(2000), 1, true);
  for (int ms = 2100; ms <= 4000; ms += 100) finder.turn(at_ms(ms), at_ms(ms), 1, true);
  finder.turn(at_ms(4100), at_ms(4050), 2, true);
  EXPECT_NEAR(pauses.silence_longest_s, 2.05, 0.001);
}

TEST_F(PausesTest, AreNoSilenceWhileNoRequestIsInFlight) {
  finder.turn(at_ms(2000), at_ms(2000), 1, false);
  for (int ms = 2100; ms <= 4000; ms += 100) finder.turn(at_ms(ms), at_ms(ms), 1, false);
  EXPECT_EQ(pauses.silence_longest_s, 0);
}

TEST_F(PausesTest, AreSilenceAlsoWhileWhatTimedOutIsNotAskedAgain) {
  finder.turn(at_ms(2000), at_ms(2000), 1, true);
  finder.turn(at_ms(3000), at_ms(3000), 1, true);
  finder.turn(at_ms(3100), at_ms(3100), 1, false);
  finder.turn(at_ms(4000), at_ms(4000), 1, true);
  finder.turn(at_ms(5000), at_ms(5000), 2, true);
  EXPECT_NEAR(pauses.silence_longest_s, 3, 0.001);
}

TEST_F(PausesTest, LeaveASilenceAtTheEndUnlessAReplyComesInTheDrain) {
  EXPECT_EQ(pauses.silence_at_end_s, Pauses::nothing_due);
  finder.turn(at_ms(9000), at_ms(9000), 1, true);
  finder.turn(at_ms(11'100), at_ms(11'100), 1, true);
  finder.drained(2);
  EXPECT_EQ(pauses.silence_at_end_s, 0);
  finder.drained(1);
  EXPECT_NEAR(pauses.silence_at_end_s, 2, 0.001);
}

TEST_F(PausesTest, AddASilenceUpOverTheWindowsOfATarget) {
  finder.turn(at_ms(9000), at_ms(9000), 1, true);
  finder.turn(at_ms(11'100), at_ms(11'100), 1, true);
  finder.drained(1);
  PauseFinder unheard(pauses, at_ms(20'000), at_ms(21'000), 1);
  unheard.turn(at_ms(19'900), at_ms(19'900), 1, true);
  unheard.turn(at_ms(21'100), at_ms(21'100), 1, true);
  unheard.drained(1);
  EXPECT_NEAR(pauses.silence_at_end_s, 3, 0.001);
  EXPECT_NEAR(pauses.silence_longest_s, 3, 0.001);
  PauseFinder heard(pauses, at_ms(30'000), at_ms(31'000), 1);
  heard.turn(at_ms(30'500), at_ms(30'500), 2, false);
  heard.turn(at_ms(31'100), at_ms(31'100), 2, false);
  heard.drained(2);
  EXPECT_EQ(pauses.silence_at_end_s, 0);
}

TEST_F(PausesTest, OfSeveralWorkersAreThoseOfTheWorst) {
  pauses = {.stalled_s = 1, .stall_longest_s = 0.5, .silence_longest_s = 3};
  pauses.merge({.stalled_s = 2, .stall_longest_s = 0.3, .silence_longest_s = 1});
  EXPECT_EQ(pauses.silence_at_end_s, Pauses::nothing_due);
  EXPECT_EQ(pauses.stalled_s, 2);
  EXPECT_EQ(pauses.stall_longest_s, 0.5);
  EXPECT_EQ(pauses.silence_longest_s, 3);
}

}  // namespace
}  // namespace serverlab
