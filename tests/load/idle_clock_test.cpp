#include "load/idle_clock.h"

#include "base/clock.h"

#include <ctime>
#include <gtest/gtest.h>
#include <sched.h>
#include <thread>

namespace serverlab {
namespace {

TEST(IdleClock, WatchesTheCpusOfTheProcessesAndOfItself) {
  cpu_set_t own;
  ASSERT_EQ(::sched_getaffinity(0, sizeof own, &own), 0);
  EXPECT_EQ(IdleClock({}).cpus(), static_cast<std::size_t>(CPU_COUNT(&own)));
}

double cpu_of_this_thread_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(IdleClock, ACpuDoesNotIdleWhileAThreadRunsOnIt) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    const IdleClock clock({});
    ASSERT_EQ(clock.cpus(), 1);
    const std::optional<double> before = clock.idle_s();
    if (!before) GTEST_SKIP() << "the kernel has no cpuidle";
    const Instant begin = now();
    const double cpu_begin_s = cpu_of_this_thread_s();
    while (now() - begin < std::chrono::milliseconds(20)) continue;
    const double ran_s = cpu_of_this_thread_s() - cpu_begin_s;
    const std::optional<double> after = clock.idle_s();
    ASSERT_TRUE(after);
    EXPECT_GE(*after, *before);
    EXPECT_LE(*after - *before, seconds(now() - begin) - ran_s + 1e-3);
  }).join();
}

}  // namespace
}  // namespace serverlab
