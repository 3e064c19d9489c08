// Engines of several threads: which of them serve which connections.

#include "engines/catalog.h"
#include "tests/engines/running_engine.h"
#include "tests/engines/sessions.h"
#include "tests/net/loopback.h"

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

// That one of four has none of 200 by chance happens once in 10^24 times.
TEST(EpollReuseport, ServesConnectionsByAllItsThreads) {
  Spread spread;
  const RunningEngine engine(
      *find_engine("epoll-reuseport"), [&] { return spread.session(); }, with_threads(4));
  const std::vector<OwnedFd> peers = connect_and_greet(engine, 200);
  EXPECT_EQ(spread.requests().size(), 4U);
}

}  // namespace
}  // namespace serverlab
