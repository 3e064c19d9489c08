// One connection of an engine that is told of completions; the test plays the kernel.

#include "engines/connections/ring_connection.h"

#include "tests/engines/sessions.h"
#include "tests/net/loopback.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace serverlab {
namespace {

struct Served {
  explicit Served(AnySession session) :
      connection(std::move(pair.near), std::move(session), terms, stop) {}

  /// Lets the kernel have sent as much as is given to it.
  std::string send_all() {
    std::string sent;
    while (!connection.to_be_sent().empty()) {
      sent += text_of(connection.to_be_sent());
      connection.on_sent(connection.to_be_sent().size());
    }
    return sent;
  }

  ServeOptions terms = {.high_water_bytes = 10};
  TcpPair pair = tcp_pair();
  StopSignal stop;
  RingConnection connection;
};

TEST(RingConnection, KeepsWhatIsBeingSentWhereItIsWhileMoreIsAnswered) {
  Served served(echoing());
  RingConnection& connection = served.connection;
  connection.on_received(bytes_of("one"));
  const ByteView sending = connection.to_be_sent();
  connection.on_received(bytes_of("two"));
  EXPECT_EQ(connection.to_be_sent().data(), sending.data());
  EXPECT_EQ(text_of(sending), "one");
  connection.on_sent(1);
  EXPECT_EQ(text_of(connection.to_be_sent()), "ne");
  EXPECT_EQ(served.send_all(), "netwo");
}

TEST(RingConnection, FinishesWhenItsSessionThrowsAndKeepsWhatTheKernelMayBeReading) {
  Served served(ScriptedSession{[](ByteView input, Bytes& output) {
    if (text_of(input) == "two") throw std::runtime_error("it cannot count to two");
    output.append(input);
    return Progress{input.size(), Next::read_more};
  }});
  RingConnection& connection = served.connection;
  connection.on_received(bytes_of("one"));
  const ByteView sending = connection.to_be_sent();
  connection.on_received(bytes_of("two"));
  EXPECT_TRUE(connection.finished());
  EXPECT_EQ(text_of(sending), "one");
  connection.on_sent(3);
  EXPECT_TRUE(connection.to_be_sent().empty());
}

TEST(RingConnection, GivesItsSessionNothingAboveTheHighWaterMark) {
  Served served(echoing());
  RingConnection& connection = served.connection;
  connection.on_received(bytes_of("0123456789"));
  EXPECT_FALSE(connection.receives());
  EXPECT_FALSE(connection.has_too_much());
  connection.on_received(bytes_of("more"));
  EXPECT_TRUE(connection.has_too_much());
  EXPECT_EQ(served.send_all(), "0123456789more");
  EXPECT_FALSE(connection.has_too_much());
  EXPECT_TRUE(connection.receives());
}

TEST(RingConnection, AnswersWhatItHoldsBeforeItEndsWithItsPeer) {
  Served served(echoing());
  RingConnection& connection = served.connection;
  connection.on_received(bytes_of("0123456789"));
  connection.on_received(bytes_of("more"));
  connection.on_ended();
  EXPECT_FALSE(connection.finished());
  EXPECT_EQ(served.send_all(), "0123456789more");
  EXPECT_TRUE(connection.finished());
}

TEST(RingConnection, LetsASessionSayWhatItHasLeftOnceItsWordsAreOut) {
  Served served(speaking_at_length(3, 4));
  RingConnection& connection = served.connection;
  connection.on_received(bytes_of("?"));
  EXPECT_FALSE(connection.receives());
  EXPECT_EQ(served.send_all(), long_speech(3, 4));
  EXPECT_TRUE(connection.receives());
}

TEST(RingConnection, LingersUntilItsPeerEndsAfterItsSessionHasClosed) {
  Served served(hanging_up("bye"));
  RingConnection& connection = served.connection;
  connection.on_received(bytes_of("?"));
  EXPECT_EQ(served.send_all(), "bye");
  EXPECT_EQ(hear_all(served.pair.far.get()), "") << "the end, of which nothing was sent by a ring";
  EXPECT_TRUE(connection.receives());
  connection.on_received(bytes_of("and then I said"));
  EXPECT_TRUE(connection.to_be_sent().empty());
  connection.on_ended();
  EXPECT_TRUE(connection.finished());
}

TEST(RingConnection, StaysFinishedThoughASendIsCompletedAfterItsFailure) {
  Served served(ScriptedSession{[said = 0](ByteView input, Bytes& output) mutable {
    output.append(".");
    return Progress{input.size(), ++said == 1 ? Next::flush : Next::close};
  }});
  RingConnection& connection = served.connection;
  connection.on_received(bytes_of("?"));
  EXPECT_EQ(text_of(connection.to_be_sent()), ".");
  connection.on_failed();
  connection.on_sent(1);
  EXPECT_TRUE(connection.finished());
  EXPECT_TRUE(connection.to_be_sent().empty());
  connection.on_sent(0);
  EXPECT_TRUE(connection.finished());
}

}  // namespace
}  // namespace serverlab
