// Engines of several threads: which of them serve which connections.

#include "engines/catalog.h"
#include "net/stream.h"
#include "tests/engines/running_engine.h"
#include "tests/engines/sessions.h"
#include "tests/net/loopback.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

namespace serverlab {
namespace {

/// By which thread each request was served.
class Spread {
 public:
  AnySession session() {
    return ScriptedSession{[this](ByteView input, Bytes& output) {
      const std::scoped_lock lock(mutex_);
      ++requests_[std::this_thread::get_id()];
      output.append(input);
      return Progress{input.size(), Next::read_more};
    }};
  }

  std::map<std::thread::id, int> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::thread::id, int> requests_;  // guarded by mutex_
};

ServeOptions with_threads(int threads) {
  ServeOptions options = default_options();
  options.threads = threads;
  return options;
}

std::vector<OwnedFd> connect_and_greet(const RunningEngine& engine, int count) {
  std::vector<OwnedFd> peers;
  for (int i = 0; i < count; ++i) {
    peers.push_back(connect_to(engine.address()));
    say(peers.back().get(), "!");
    EXPECT_EQ(hear(peers.back().get(), 1), "!");
  }
  return peers;
}

// What each thread has served, the fewest first.
std::vector<int> counts(const Spread& spread) {
  std::vector<int> counts;
  for (const auto& [thread, count] : spread.requests()) counts.push_back(count);
  std::ranges::sort(counts);
  return counts;
}

// That one of four has none of 200 by chance happens once in 10^24 times.
TEST(EpollReuseport, ServesConnectionsByAllItsThreads) {
  Spread spread;
  const RunningEngine engine(
      *find_engine("epoll-reuseport"), [&] { return spread.session(); }, with_threads(4));
  const std::vector<OwnedFd> peers = connect_and_greet(engine, 200);
  EXPECT_EQ(spread.requests().size(), 4U);
}

TEST(EpollHandoff, DealsConnectionsInTurn) {
  Spread spread;
  const RunningEngine engine(
      *find_engine("epoll-handoff"), [&] { return spread.session(); }, with_threads(3));
  const std::vector<OwnedFd> peers = connect_and_greet(engine, 9);
  EXPECT_EQ(counts(spread), (std::vector{3, 3, 3}));
}

TEST(EpollHandoff, DealsToTheLoopThatHasTheFewestOpen) {
  Spread spread;
  ServeOptions options = with_threads(2);
  options.deal = Deal::least;
  const RunningEngine engine(
      *find_engine("epoll-handoff"), [&] { return spread.session(); }, options);
  std::vector<OwnedFd> peers = connect_and_greet(engine, 6);
  EXPECT_EQ(counts(spread), (std::vector{3, 3}));
  for (const std::size_t of_one_loop : {0U, 2U, 4U}) {
    end_sending(peers[of_one_loop].get());
    EXPECT_EQ(hear_all(peers[of_one_loop].get()), "");
  }
  const std::vector<OwnedFd> successors = connect_and_greet(engine, 3);
  EXPECT_EQ(counts(spread), (std::vector{3, 6}));
}

class AnyThread : public testing::TestWithParam<std::string_view> {};

INSTANTIATE_TEST_SUITE_P(Of, AnyThread, testing::Values("epoll-shared", "leader-follower"),
                         by_engine);

// The first session waits for the others, which therefore have to be served meanwhile.
TEST_P(AnyThread, ServesOneConnectionWhileAnotherThreadIsBusyWithItsOwn) {
  std::counting_semaphore<3> others(0);
  const auto session = [&] {
    return ScriptedSession{[&](ByteView input, Bytes& output) {
      bool in_time = true;
      if (text_of(input) == "go") others.release();
      for (int i = 0; text_of(input) == "wait" && i < 3; ++i)
        in_time = in_time && others.try_acquire_for(patience);
      output.append(in_time ? text_of(input) : "late");
      return Progress{input.size(), Next::read_more};
    }};
  };
  const RunningEngine engine(*find_engine(GetParam()), session, with_threads(2));
  const OwnedFd waiting = connect_to(engine.address());
  say(waiting.get(), "wait");
  for (int i = 0; i < 3; ++i) {
    const OwnedFd other = connect_to(engine.address());
    say(other.get(), "go");
    EXPECT_EQ(hear(other.get(), 2), "go");
  }
  EXPECT_EQ(hear(waiting.get(), 4), "wait");
}

// Were a session ever at two threads at once, or its connection not armed again, this would show.
TEST_P(AnyThread, HasASessionToItselfHoweverManyMessagesComeAtOnce) {
  constexpr int messages = 20'000;
  std::atomic<int> overlaps = 0;
  const auto session = [&] {
    return ScriptedSession{
        [&, busy = std::make_shared<std::atomic<bool>>(false)](ByteView input, Bytes& output) {
          if (busy->exchange(true)) ++overlaps;
          output.append(input);
          *busy = false;
          return Progress{input.size(), Next::read_more};
        }};
  };
  ServeOptions options = with_threads(4);
  options.read_buffer_bytes = 8;
  const RunningEngine engine(*find_engine(GetParam()), session, options);
  const OwnedFd peer = connect_to(engine.address());
  std::string all;
  for (int i = 0; i < messages; ++i) all += static_cast<char>('a' + i % 26);
  say(peer.get(), all);
  EXPECT_TRUE(hear(peer.get(), all.size()) == all);
  EXPECT_EQ(overlaps, 0);
}

}  // namespace
}  // namespace serverlab
