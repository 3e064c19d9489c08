// Every engine, with sessions that no service of the catalogue has, and at moments that a test from
// outside cannot choose. What can be seen from outside is the conformance suite's to test.

#include "engines/catalog.h"
#include "net/stream.h"
#include "tests/engines/running_engine.h"
#include "tests/engines/sessions.h"
#include "tests/net/loopback.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>
#include <vector>

namespace serverlab {
namespace {

class Serving : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    if (!GetParam().one_process) GTEST_SKIP() << "its signals are kept from the receiving thread";
#endif
  }
};

// All but those that serve one service, whatever session they are given.
std::vector<Engine> engines_of_any_session() {
  std::vector<Engine> found;
  std::ranges::copy_if(engines(), std::back_inserter(found),
                       [](const Engine& engine) { return engine.serves.empty(); });
  return found;
}

INSTANTIATE_TEST_SUITE_P(By, Serving, testing::ValuesIn(engines_of_any_session()), by_engine);

TEST_P(Serving, EndsWhenItIsStoppedAndNoneIsConnected) {
  RunningEngine(GetParam(), echoing).stop();
}

TEST_P(Serving, SendsAllThatASessionSaysInPieces) {
  const RunningEngine engine(GetParam(), [] { return speaking_at_length(50, 100'000); });
  const OwnedFd peer = connect_to(engine.address());
  say(peer.get(), "??");
  const std::string speech = long_speech(50, 100'000);
  EXPECT_TRUE(hear(peer.get(), speech.size()) == speech);
  EXPECT_TRUE(hear(peer.get(), speech.size()) == speech);
}

TEST_P(Serving, LetsASessionFinishSpeakingThoughItsPeerHasHalfClosed) {
  const RunningEngine engine(GetParam(), [] { return speaking_at_length(50, 100'000); });
  const OwnedFd peer = connect_to(engine.address());
  say(peer.get(), "?");
  end_sending(peer.get());
  EXPECT_TRUE(hear_all(peer.get()) == long_speech(50, 100'000));
}

TEST_P(Serving, DeliversTheLastReplyOfASessionThatClosesThoughItsPeerSpeaksOn) {
  const std::string reply = long_speech(1, 1'000'000);
  const RunningEngine engine(GetParam(), [&] { return hanging_up(reply); });
  const OwnedFd peer = connect_to(engine.address());
  say(peer.get(), std::string(200'000, 'x'));
  EXPECT_TRUE(hear_all(peer.get()) == reply);
}

TEST_P(Serving, AnswersOrRefusesThoseThatConnectInTheVeryMomentOfTheStop) {
  if (!GetParam().one_process) GTEST_SKIP() << "its sessions do not reach what is here";
  std::promise<const RunningEngine*> started;
  const std::shared_future running = started.get_future().share();
  OwnedFd late;
  // While a request is being served, the stop comes first and a client after it: an engine that
  // serves on the waiting thread finds both at once. Any other may have closed its listener, before
  // the client comes or while it waits there.
  const auto stopping = [&] {
    return ScriptedSession{[&](ByteView input, Bytes& output) {
      output.append(input);
      if (text_of(input) == "stop") {
        running.get()->ask_to_stop();
        try {
          late = connect_to(running.get()->address());
          say(late.get(), "am I too late?");
        } catch (const std::system_error&) {
          late.close();
        }
      }
      return Progress{input.size(), Next::read_more};
    }};
  };
  RunningEngine engine(GetParam(), stopping);
  started.set_value(&engine);
  const OwnedFd peer = connect_to(engine.address());
  say(peer.get(), "stop");
  EXPECT_EQ(hear_all(peer.get()), "stop");
  engine.stop();
  try {
    const std::string heard = late ? hear_all(late.get()) : "";
    EXPECT_TRUE(heard == "am I too late?" || heard.empty()) << heard;
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ECONNRESET) << "refused while it waited";
  }
}

TEST_P(Serving, IsNotKeptBeyondTheDrainLimitByAPeerThatTakesNoReply) {
  ServeOptions options = default_options();
  options.drain_limit = std::chrono::milliseconds(100);
  options.listening.socket.send_buffer_bytes = 4096;
  RunningEngine engine(GetParam(), [] { return speaking_at_length(1, 5'000'000); }, options);
  const OwnedFd peer = connect_to(engine.address());
  say(peer.get(), "?");
  EXPECT_EQ(hear(peer.get(), 1), "a");
  engine.stop();
}

TEST_P(Serving, IsNotKeptBeyondTheDrainLimitByASessionThatNeverEndsItsSpeech) {
  ServeOptions options = default_options();
  options.drain_limit = std::chrono::milliseconds(100);
  RunningEngine engine(GetParam(), [] { return speaking_at_length(1 << 30, 1'000); }, options);
  const OwnedFd peer = connect_to(engine.address());
  say(peer.get(), "?");
  EXPECT_EQ(hear(peer.get(), 1), "a");
  engine.stop();
}

TEST_P(Serving, EndsTheConnectionOfASessionThatThrowsAndServesTheOthers) {
  const auto throwing = [] {
    return ScriptedSession{[](ByteView input, Bytes& output) {
      if (text_of(input) == "throw") throw std::runtime_error("this session cannot go on");
      output.append(input);
      return Progress{input.size(), Next::read_more};
    }};
  };
  ServeOptions options = default_options();
  options.threads = 3;  // of engines that serve one connection in each
  RunningEngine engine(GetParam(), throwing, options);
  const OwnedFd witness = connect_to(engine.address());
  const OwnedFd peer = connect_to(engine.address());
  say(peer.get(), "throw");
  EXPECT_EQ(hear_all(peer.get()), "");
  say(witness.get(), "hello");
  EXPECT_EQ(hear(witness.get(), 5), "hello");
  engine.stop();
}

TEST_P(Serving, IsNotKeptByAPeerThatStaysAfterItsSessionHasClosed) {
  RunningEngine engine(GetParam(), [] { return hanging_up("bye"); });
  const OwnedFd peer = connect_to(engine.address());
  say(peer.get(), "hello");
  EXPECT_EQ(hear_all(peer.get()), "bye");
  engine.stop();
}

}  // namespace
}  // namespace serverlab
