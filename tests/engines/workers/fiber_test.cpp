#include "engines/workers/fiber.h"

#include "engines/workers/task.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace serverlab {
namespace {

TEST(Fiber, RunsUpToWhereItSuspendsAndGoesOnWhenResumed) {
  Stacks stacks;
  std::string said;
  Fiber fiber(stacks, [&](Fiber& self) {
    said += "a";
    while (self.suspend()) said += "b";
  });
  EXPECT_EQ(said, "a");
  fiber.resume();
  fiber.resume();
  EXPECT_EQ(said, "abb");
  EXPECT_FALSE(fiber.done());
}

TEST(Fiber, IsLetToItsEndWhenItIsDestroyed) {
  Stacks stacks;
  std::string said;
  {
    const Fiber fiber(stacks, [&](Fiber& self) {
      const std::string local(100, 'x');  // leaks if the fiber's stack is just dropped
      while (self.suspend()) {
      }
      said += local;
    });
  }
  EXPECT_EQ(said, std::string(100, 'x'));
}

TEST(Fiber, ThrowsWhereItIsResumedWhatItsFunctionThrows) {
  Stacks stacks;
  Fiber fiber(stacks, [&](Fiber& self) {
    while (self.suspend()) throw std::runtime_error("enough");
  });
  EXPECT_THROW(fiber.resume(), std::runtime_error);
  EXPECT_TRUE(fiber.done());
}

TEST(Fiber, LeavesItsStackToTheNext) {
  Stacks stacks;
  const Stacks::Stack first = stacks.take();
  stacks.give_back(first);
  const Stacks::Stack next = stacks.take();
  EXPECT_EQ(next.data(), first.data());
  stacks.give_back(next);
}

// The address sanitizer knows of frames on a fiber's stack, and forgets none that does not return.
TEST(Fiber, LeavesItsStackAsMemoryLikeAnyOther) {
  Stacks stacks;
  {
    const Fiber fiber(stacks, [](Fiber&) {});
  }
  const Stacks::Stack stack = stacks.take();
  std::ranges::fill(stack, std::byte{1});
  EXPECT_EQ(std::ranges::count(stack, std::byte{1}), std::ssize(stack));
  stacks.give_back(stack);
}

Task counting(int* count) {
  while (*count < 3) {
    ++*count;
    co_await std::suspend_always();
  }
}

TEST(Task, RunsUpToWhereItSuspendsAndGoesOnWhenResumed) {
  int count = 0;
  const Task task = counting(&count);
  EXPECT_EQ(count, 1);
  task.resume();
  task.resume();
  EXPECT_FALSE(task.done());
  task.resume();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(count, 3);
}

}  // namespace
}  // namespace serverlab
