// Contracts about threads: a debug build, as those of the sanitizers are, ends the process that
// breaks one; a release build does not look (EXPECT_DEBUG_DEATH tells the two apart).

#include "base/thread_contract.h"

#include <gtest/gtest.h>
#include <latch>
#include <thread>

namespace serverlab {
namespace {

class ThreadContractDeathTest : public testing::Test {
 protected:
  // A process with threads cannot just be forked.
  ThreadContractDeathTest() { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

TEST_F(ThreadContractDeathTest, WhatHasAnOwnerIsUsedByNoOtherThread) {
  const OwnerThread owner;
  owner.assert_here();
  owner.assert_here();
  EXPECT_DEBUG_DEATH(std::jthread([&] { owner.assert_here(); }).join(), "is_owner_here");
}

TEST_F(ThreadContractDeathTest, TheOwnerIsTheThreadThatUsesItFirst) {
  const OwnerThread owner;
  std::latch is_owned(1);
  std::latch may_end(1);  // an ended thread's place in memory may be another's
  std::jthread first([&] {
    owner.assert_here();
    owner.assert_here();
    is_owned.count_down();
    may_end.wait();
  });
  is_owned.wait();
  EXPECT_DEBUG_DEATH(owner.assert_here(), "is_owner_here");
  may_end.count_down();
}

TEST_F(ThreadContractDeathTest, ATurnIsTakenAfterAnotherByAnyThreadButNotMeanwhile) {
  const OneAtATime one_at_a_time;
  const auto take_turn = [&] { const OneAtATime::Turn turn(one_at_a_time); };
  take_turn();
  std::jthread(take_turn).join();
  const OneAtATime::Turn turn(one_at_a_time);
  EXPECT_DEBUG_DEATH(std::jthread(take_turn).join(), "is_taken_already");
}

}  // namespace
}  // namespace serverlab
