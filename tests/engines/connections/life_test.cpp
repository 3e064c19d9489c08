// What a connection's life comes to, whatever happens and in which order.

#include "engines/connections/life.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

using enum LifeEvent;

constexpr LifeEvent events[] = {peer_ended, session_closed, all_sent};

Life after_all(std::initializer_list<LifeEvent> happened) {
  Life life = Life::open;
  for (const LifeEvent event : happened) life = after(life, event);
  return life;
}

TEST(Life, EndsWithThePeerOnceAllIsSent) {
  EXPECT_EQ(after_all({all_sent}), Life::open);
  EXPECT_EQ(after_all({peer_ended}), Life::ended);
  EXPECT_EQ(after_all({peer_ended, all_sent}), Life::finished);
}

TEST(Life, LingersAfterItsSessionHasClosedUntilThePeerEnds) {
  EXPECT_EQ(after_all({session_closed}), Life::closing);
  EXPECT_EQ(after_all({session_closed, all_sent}), Life::lingering);
  EXPECT_EQ(after_all({session_closed, all_sent, all_sent}), Life::lingering);
  EXPECT_EQ(after_all({session_closed, all_sent, peer_ended}), Life::finished);
}

TEST(Life, DoesNotLingerForAPeerThatHasEndedAlready) {
  EXPECT_EQ(after_all({session_closed, peer_ended, all_sent}), Life::finished);
  EXPECT_EQ(after_all({peer_ended, session_closed, all_sent}), Life::finished);
}

TEST(Life, HasNothingAfterItsEnd) {
  for (const LifeEvent event : events) EXPECT_EQ(after(Life::finished, event), Life::finished);
}

TEST(Life, IsOverFromAnyStateOnceThePeerHasEndedAndAllIsSent) {
  for (const Life life : {Life::open, Life::ended, Life::closing, Life::lingering}) {
    EXPECT_NE(after(life, session_closed), Life::finished) << "its output is still to be sent";
    EXPECT_EQ(after(after(life, peer_ended), all_sent), Life::finished);
  }
}

}  // namespace
}  // namespace serverlab
