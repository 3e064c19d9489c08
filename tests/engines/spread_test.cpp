// Engines of several threads: which of them serve which connections.

#include "engines/catalog.h"
#include "net/stream.h"
#include "tests/engines/running_engine.h"
#include "tests/engines/sessions.h"
#include "tests/net/loopback.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
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

}  // namespace
}  // namespace serverlab
