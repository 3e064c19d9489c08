// One connection of an engine that is told of readiness, with a peer at the other end that does
// what peers do.

#include "engines/connections/connection.h"

#include "base/counters.h"
#include "net/poll_set.h"
#include "tests/engines/sessions.h"
#include "tests/net/loopback.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <sys/socket.h>

namespace serverlab {
namespace {

constexpr std::size_t high_water = 100'000;
constexpr Interest reading = {.read = true};
constexpr Interest writing = {.write = true};

class ConnectionTest : public testing::Test {
 protected:
  /// Opens the connection that is tested.
  /// @param options of its end
  void open(AnySession session, const SocketOptions& options = {}) {
    TcpPair pair = tcp_pair(options);
    peer = std::move(pair.far);
    connection.emplace(std::move(pair.near), std::move(session), terms, stop);
  }

  /// What a loop does when the connection is ready.
  /// @return whether it was, within the limit
  bool step(Duration limit) {
    EXPECT_NE(connection->interest(), Interest{}) << "it waits for nothing and is not finished";
    PollSet poller;
    poller.add(connection->fd(), connection->interest());
    const std::span<const Ready> ready = poller.wait(limit);
    for (const Ready& event : ready) {
      if (event.readable) connection->on_readable(scratch);
      if (event.writable && !connection->finished()) connection->on_writable(scratch);
    }
    return !ready.empty();
  }

  /// Steps until nothing more happens, or it is finished.
  void settle() {
    while (!connection->finished() && step(std::chrono::milliseconds(10))) {
    }
  }

  void step_until_finished() {
    while (!connection->finished()) ASSERT_TRUE(step(patience));
  }

  /// Hears `size` bytes, or up to the end of the stream, while a loop steps the connection and
  /// destroys it when it has finished.
  std::string hear_stepping(std::size_t size) {
    std::string heard;
    while (heard.size() < size) {
      if (connection && connection->finished()) connection.reset();
      if (connection) step(Duration::zero());
      if (!hears_something(peer.get())) continue;
      const std::string more = hear_some(size - heard.size());
      if (more.empty()) break;
      heard += more;
    }
    return heard;
  }

  const ServeOptions terms{.high_water_bytes = high_water};
  StopSignal stop;
  Scratch scratch{64 << 10};
  std::optional<Connection> connection;
  OwnedFd peer;

 private:
  std::string hear_some(std::size_t size) const {
    std::string piece(std::min<std::size_t>(size, 64 << 10), '\0');
    const ssize_t got = ::recv(peer.get(), piece.data(), piece.size(), 0);
    piece.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return piece;
  }
};

constexpr std::size_t everything = std::string::npos / 2;

TEST_F(ConnectionTest, AnswersAndWantsToBeReadAgain) {
  open(echoing());
  EXPECT_EQ(connection->interest(), reading);
  say(peer.get(), "hello");
  settle();
  EXPECT_EQ(hear(peer.get(), 5), "hello");
  EXPECT_EQ(connection->interest(), reading);
}

TEST_F(ConnectionTest, AnswersEverythingWhenThePeerHalfClosesAndFinishes) {
  open(echoing());
  const std::string request(20'000, 'x');
  say(peer.get(), request);
  end_sending(peer.get());
  step_until_finished();
  connection.reset();
  EXPECT_EQ(hear_all(peer.get()), request);
}

TEST_F(ConnectionTest, FinishesWhenItsSessionThrowsAndLeavesTheBuffersOfItsThreadEmpty) {
  open(ScriptedSession{[](ByteView, Bytes& output) -> Progress {
    output.append("half a re");
    throw std::bad_alloc();
  }});
  const std::uint64_t failed = counters().failed_connections;
  say(peer.get(), "hello");
  step_until_finished();
  EXPECT_TRUE(scratch.output.empty());
  EXPECT_EQ(counters().failed_connections, failed + 1);
  connection.reset();
  EXPECT_EQ(hear_all(peer.get()), "");
}

TEST_F(ConnectionTest, FinishesWhenThePeerLeavesWithoutAWord) {
  open(echoing());
  peer.close();
  step_until_finished();
}

TEST_F(ConnectionTest, DoesNotWantToBeReadAboveTheHighWaterMark) {
  open(echoing(), {.send_buffer_bytes = 4096});
  const std::string piece(50'000, 'x');
  std::size_t offered = 0;
  while (connection->interest().read) {
    ASSERT_LT(offered, 100U << 20) << "it reads on, though what it says is not taken";
    ::send(peer.get(), piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    offered += piece.size();
    settle();
  }
  EXPECT_EQ(connection->interest(), writing);
}

TEST_F(ConnectionTest, WantsToBeReadAgainOnceItsOutputHasGone) {
  open(speaking_at_length(1, 1'000'000), {.send_buffer_bytes = 4096});
  say(peer.get(), "?");
  settle();
  EXPECT_EQ(connection->interest(), writing) << "so much does not fit at once";
  EXPECT_EQ(hear_stepping(1'000'000), long_speech(1, 1'000'000));
  EXPECT_EQ(connection->interest(), reading);
  say(peer.get(), "?");
  EXPECT_EQ(hear_stepping(1'000'000), long_speech(1, 1'000'000));
}

TEST_F(ConnectionTest, SendsWhatIsLeftThoughThePeerHasHalfClosed) {
  open(speaking_at_length(1, 1'000'000), {.send_buffer_bytes = 4096});
  say(peer.get(), "?");
  end_sending(peer.get());
  settle();
  EXPECT_FALSE(connection->finished());
  EXPECT_EQ(connection->interest(), writing) << "the end has been seen, the rest must go";
  EXPECT_EQ(hear_stepping(everything), long_speech(1, 1'000'000));
}

TEST_F(ConnectionTest, LetsItsSessionSpeakInPiecesAndDoesNotReadMeanwhile) {
  open(speaking_at_length(5, 1'000));
  say(peer.get(), "??");
  step(patience);
  EXPECT_EQ(connection->interest(), writing);
  settle();
  EXPECT_EQ(hear(peer.get(), 10'000), long_speech(5, 1'000) + long_speech(5, 1'000));
  EXPECT_EQ(connection->interest(), reading);
}

TEST_F(ConnectionTest, LetsItsSessionFinishSpeakingThoughThePeerHasHalfClosed) {
  open(speaking_at_length(40, 25'000), {.send_buffer_bytes = 4096});
  say(peer.get(), "?");
  end_sending(peer.get());
  EXPECT_EQ(hear_stepping(everything), long_speech(40, 25'000));
}

TEST_F(ConnectionTest, TellsThePeerOfTheEndAndWaitsForItsOwnWhenItsSessionCloses) {
  open(hanging_up("bye"));
  say(peer.get(), "hello");
  settle();
  EXPECT_EQ(hear_all(peer.get()), "bye");
  EXPECT_FALSE(connection->finished()) << "closing now could destroy the reply on its way";
  EXPECT_EQ(connection->interest(), reading);
  say(peer.get(), "are you still there?");
  settle();
  EXPECT_FALSE(connection->finished());
  peer.close();
  step_until_finished();
}

TEST_F(ConnectionTest, SendsAllItsOutputBeforeTheEndWhenItsSessionCloses) {
  const std::string reply = long_speech(1, 1'000'000);
  open(hanging_up(reply), {.send_buffer_bytes = 4096});
  say(peer.get(), "hello");
  settle();
  EXPECT_EQ(connection->interest(), writing);
  EXPECT_EQ(hear_stepping(everything), reply);
}

TEST_F(ConnectionTest, FinishesWhenThePeerResets) {
  open(echoing());
  say(peer.get(), "hello");
  settle();
  reset(std::move(peer));
  step_until_finished();
}

TEST_F(ConnectionTest, FinishesWhenThePeerResetsWhileThereIsOutputLeft) {
  open(speaking_at_length(1, 1'000'000), {.send_buffer_bytes = 4096});
  say(peer.get(), "?");
  settle();
  EXPECT_EQ(connection->interest(), writing);
  reset(std::move(peer));
  step_until_finished();
}

TEST_F(ConnectionTest, FinishesWhenThePeerResetsWhileItsSessionHasMoreToSay) {
  open(speaking_at_length(1'000'000, 10));
  say(peer.get(), "?");
  step(patience);
  reset(std::move(peer));
  step_until_finished();
}

TEST_F(ConnectionTest, FinishesWhenThePeerResetsWhileItLingers) {
  open(hanging_up("bye"));
  say(peer.get(), "hello");
  settle();
  reset(std::move(peer));
  step_until_finished();
}

TEST_F(ConnectionTest, KeepsTheRepliesUntilItCanBeWrittenWhenItIsOnlyToReceive) {
  open(echoing());
  say(peer.get(), "hello");
  connection->receive_only(scratch);
  EXPECT_EQ(connection->interest(), (Interest{.read = true, .write = true}));
  EXPECT_FALSE(hears_something(peer.get()));
  connection->on_writable(scratch);
  EXPECT_EQ(hear(peer.get(), 5), "hello");
  EXPECT_EQ(connection->interest(), reading);
}

TEST_F(ConnectionTest, AnswersWhatHasArrivedOnceItsReceivingIsEndedAndFinishes) {
  open(echoing());
  say(peer.get(), "asked before the stop");
  end_receiving(connection->fd());
  EXPECT_EQ(hear_stepping(everything), "asked before the stop");
}

TEST_F(ConnectionTest, IsDoneWithAPeerThatAsksAgainAsSoonAsItIsAnswered) {
  open(echoing());
  stop.raise();
  int answered = 0;
  for (std::string heard; answered < 100; ++answered) {
    say(peer.get(), "again");
    settle();
    heard = hear(peer.get(), 5);
    if (heard.empty()) break;
    EXPECT_EQ(heard, "again");
  }
  EXPECT_GT(answered, 1);
  EXPECT_LT(answered, 100);
}

TEST_F(ConnectionTest, TakesAllThatHasArrivedThoughItIsMoreThanOneReceiveTakes) {
  open(echoing());
  scratch = Scratch(100);
  const std::string request(250, 'x');
  say(peer.get(), request);
  stop.raise();
  end_receiving(connection->fd());
  EXPECT_EQ(hear_stepping(everything), request);
}

}  // namespace
}  // namespace serverlab
