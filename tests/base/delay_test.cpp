// Each kind of delay takes as much as it says, of the clock that it says.

#include "base/delay.h"

#include <ctime>
#include <gtest/gtest.h>

namespace serverlab {
namespace {

using std::chrono::milliseconds;

Duration cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + Duration(used.tv_nsec);
}

struct Taken {
  Duration wall;
  Duration cpu;
};

Taken taken_by(DelayKind kind, Duration duration) {
  const Instant began = now();
  const Duration cpu_before = cpu_time();
  delay(kind, duration);
  const Duration cpu = cpu_time() - cpu_before;
  return {.wall = now() - began, .cpu = cpu};
}

TEST(Delay, TakesItsTimeWhateverItsKind) {
  for (const DelayKind kind : {DelayKind::spin, DelayKind::cpu, DelayKind::sleep}) {
    EXPECT_GE(taken_by(kind, milliseconds(5)).wall, milliseconds(5));
  }
}

TEST(Delay, OfCpuTimeUsesAllOfItAndOneAsleepHardlyAny) {
  EXPECT_GE(taken_by(DelayKind::cpu, milliseconds(20)).cpu, milliseconds(20));
  EXPECT_LT(taken_by(DelayKind::sleep, milliseconds(20)).cpu, milliseconds(10));
}

TEST(Delay, OfNothingOrLessReturns) {
  for (const DelayKind kind : {DelayKind::spin, DelayKind::cpu, DelayKind::sleep}) {
    delay(kind, Duration::zero());
    delay(kind, Duration::min());
  }
}

}  // namespace
}  // namespace serverlab
