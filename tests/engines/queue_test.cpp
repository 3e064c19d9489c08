// The engines that queue work for a pool: which goes first, and what a full queue does.

#include "engines/catalog.h"
#include "tests/engines/running_engine.h"
#include "tests/engines/sessions.h"
#include "tests/net/loopback.h"

#include <gtest/gtest.h>
#include <latch>
#include <vector>

namespace serverlab {
namespace {

/// One worker, which the first request holds until it is released; meanwhile others are queued.
class Queueing : public testing::TestWithParam<std::string_view> {
 protected:
  static constexpr int urgent = 9;

  /// Connects and asks, by one digit.
  void ask(int digit) {
    peers.push_back(connect_to(running->address()));
    say(peers.back().get(), std::to_string(digit));
  }

  /// Starts the server and has its worker held by a request.
  void start(const ServeOptions& options) {
    running.emplace(
        *find_engine(GetParam()),
        [this] {
          return ScriptedSession{[this](ByteView input, Bytes& output) {
            if (answered.empty()) {
              held.count_down();
              released.wait();
            }
            answered.push_back(text_of(input).front() - '0');
            output.append(input);
            return Progress{input.size(), Next::read_more};
          }};
        },
        options,
        [this](ByteView input) {
          ++queued;
          return input.empty() ? 0 : text_of(input).front() - '0';
        });
    ask(0);
    held.wait();
  }

  void await_queued(int count) const {
    while (queued < count) std::this_thread::yield();
  }

  void release_and_hear_all() {
    released.count_down();
    for (const OwnedFd& peer : peers) EXPECT_EQ(hear(peer.get(), 1).size(), 1U);
    running->stop();
  }

  static ServeOptions one_worker() {
    ServeOptions options = default_options();
    options.threads = 1;
    options.queue = QueueOrder::priority;
    return options;
  }

  std::latch held{1};
  std::latch released{1};
  std::vector<int> answered;    // by the one worker
  std::atomic<int> queued = 0;  // of which it was asked how urgent they are
  std::optional<RunningEngine> running;
  std::vector<OwnedFd> peers;
};

INSTANTIATE_TEST_SUITE_P(By, Queueing,
                         testing::Values("poll-offload", "epoll-offload", "epoll-adaptive"),
                         by_engine);

TEST_P(Queueing, ServesTheMostUrgentFirst) {
  start(one_worker());
  for (const int digit : {1, 3, 2, urgent, 1}) {
    const int before = queued;
    ask(digit);
    await_queued(before + 1);
  }
  ask(0);  // so that the one before it has been queued
  await_queued(7);
  release_and_hear_all();
  EXPECT_EQ((std::vector(answered.begin(), answered.begin() + 6)),
            (std::vector{0, urgent, 3, 2, 1, 1}));
}

TEST_P(Queueing, ReadsFromNoneWhileTheQueueIsFullAndLosesNone) {
  constexpr int limit = 2;
  ServeOptions options = one_worker();
  options.queue_limit = limit;
  start(options);
  for (int i = 0; i < 10; ++i) ask(1);
  await_queued(1 + limit + 1);  // one at work, two in the queue, one in the loop's hand
  EXPECT_EQ(queued, 1 + limit + 1);
  release_and_hear_all();
  EXPECT_EQ(answered.size(), 11U);
}

}  // namespace
}  // namespace serverlab
