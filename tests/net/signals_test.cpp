// StopSignal, WakeSignal and Alarm: one stays raised for all, the next is cleared by its
// loop, the last rings until it is set again.

#include "net/alarm.h"
#include "net/blocked_signals.h"
#include "net/stop_signal.h"
#include "net/wake_signal.h"
#include "tests/net/loopback.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <poll.h>
#include <thread>
#include <vector>

namespace serverlab {
namespace {

TEST(StopSignal, IsNotRaisedUntilItIsRaised) {
  const StopSignal stop;
  EXPECT_FALSE(stop.raised());
  EXPECT_FALSE(stop.wait(std::chrono::milliseconds(1)));
  EXPECT_FALSE(hears_something(stop.fd()));
}

TEST(StopSignal, StaysRaisedHoweverOftenItIsLookedAtOrRaised) {
  const StopSignal stop;
  stop.raise();
  stop.raise();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(stop.raised());
    EXPECT_TRUE(hears_something(stop.fd()));
  }
}

TEST(StopSignal, WakesAllThreadsThatSleepOnIt) {
  const StopSignal stop;
  std::atomic<int> woken = 0;
  std::vector<std::jthread> sleepers;
  for (int i = 0; i < 8; ++i) {
    sleepers.emplace_back([&] { woken += stop.wait(patience) ? 1 : 0; });
  }
  stop.raise();
  sleepers.clear();
  EXPECT_EQ(woken, 8);
}

// Each in a process of its own: a process may tie its termination to one signal only.
using StopSignalDeathTest = testing::Test;

void exit_if_raised_by(int number) {
  StopSignal stop;
  stop.raise_on_termination();
  std::raise(number);
  std::_Exit(stop.raised() ? 0 : 1);
}

TEST_F(StopSignalDeathTest, IsRaisedByTermination) {
  EXPECT_EXIT(exit_if_raised_by(SIGTERM), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(exit_if_raised_by(SIGINT), testing::ExitedWithCode(0), "");
}

TEST_F(StopSignalDeathTest, LetsASecondTerminationEndTheProcess) {
  const auto terminate_twice = [] {
    StopSignal stop;
    stop.raise_on_termination();
    std::raise(SIGTERM);
    std::raise(SIGTERM);
    std::_Exit(0);
  };
  EXPECT_EXIT(terminate_twice(), testing::KilledBySignal(SIGTERM), "");
}

TEST_F(StopSignalDeathTest, SendsAnAlarmAWhileAfterItIsRaisedAndAgainWhenItIsAsked) {
  const auto await_alarm = [] {
    sigset_t alarm;
    ::sigemptyset(&alarm);
    ::sigaddset(&alarm, SIGALRM);
    const timespec limit = {.tv_sec = patience / std::chrono::seconds(1), .tv_nsec = 0};
    return ::sigtimedwait(&alarm, nullptr, &limit) == SIGALRM;
  };
  const auto raise_and_await_alarms = [&] {
    const BlockedSignals until_awaited = {SIGALRM};
    const auto delay = std::chrono::milliseconds(20);
    StopSignal stop;
    stop.alarm_after_raise(delay);
    const Instant raised_at = now();
    stop.raise();
    bool rang = await_alarm() && now() - raised_at >= delay;
    stop.alarm_again(delay);
    rang = rang && await_alarm() && now() - raised_at >= 2 * delay;
    std::_Exit(rang ? 0 : 1);
  };
  EXPECT_EXIT(raise_and_await_alarms(), testing::ExitedWithCode(0), "");
}

TEST_F(StopSignalDeathTest, SendsNoAlarmUntilItIsRaised) {
  const auto wait_for_alarm = [] {
    StopSignal stop;
    stop.alarm_after_raise(Duration::zero());
    static_cast<void>(stop.wait(std::chrono::milliseconds(20)));
    std::_Exit(0);
  };
  EXPECT_EXIT(wait_for_alarm(), testing::ExitedWithCode(0), "");
}

TEST(WakeSignal, IsReadableFromAWakeToTheClearing) {
  const WakeSignal signal;
  EXPECT_FALSE(hears_something(signal.fd()));
  signal.wake();
  signal.wake();
  EXPECT_TRUE(hears_something(signal.fd()));
  signal.clear();
  EXPECT_FALSE(hears_something(signal.fd()));
  signal.clear();  // of nothing: it must not block
}

bool rings_within(const Alarm& alarm, std::chrono::milliseconds limit) {
  pollfd entry = {.fd = alarm.fd(), .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, static_cast<int>(limit.count())) > 0;
}

TEST(Alarm, RingsWhenItsTimeHasComeAndUntilItIsSetAgain) {
  const Alarm alarm;
  EXPECT_FALSE(rings_within(alarm, std::chrono::milliseconds(1)));
  const Instant set_at = now();
  alarm.set(std::chrono::milliseconds(5));
  EXPECT_TRUE(rings_within(alarm, patience));
  EXPECT_GE(now() - set_at, std::chrono::milliseconds(5));
  EXPECT_TRUE(rings_within(alarm, std::chrono::milliseconds(0)));
  alarm.set(std::chrono::hours(1));
  EXPECT_FALSE(rings_within(alarm, std::chrono::milliseconds(1)));
}

TEST(Alarm, RingsAtOnceWhenItIsSetToNoTimeAtAll) {
  const Alarm alarm;
  alarm.set(Duration::zero());
  EXPECT_TRUE(rings_within(alarm, patience));
}

}  // namespace
}  // namespace serverlab
