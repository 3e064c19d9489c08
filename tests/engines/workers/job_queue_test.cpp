// In which order jobs leave a queue, and what it does when it is full.

#include "engines/workers/job_queue.h"

#include <gtest/gtest.h>
#include <latch>
#include <thread>
#include <vector>

namespace serverlab {
namespace {

/// A job that is known by its urgency and by whether it is readable; it has no connection.
Job job(int urgency, bool readable = true) { return {nullptr, readable, false, urgency}; }

std::vector<int> taken(JobQueue& queue) {
  queue.close();
  std::vector<int> urgencies;
  while (const std::optional<Job> next = queue.take()) urgencies.push_back(next->urgency);
  return urgencies;
}

std::vector<int> order(QueueOrder order) {
  JobQueue queue(order, 0);
  queue.reserve(4);
  for (const int urgency : {1, 0, 3, 2}) queue.put(job(urgency));
  return taken(queue);
}

TEST(JobQueue, GivesTheOldestTheNewestOrTheMostUrgentFirst) {
  EXPECT_EQ(order(QueueOrder::fifo), (std::vector{1, 0, 3, 2}));
  EXPECT_EQ(order(QueueOrder::lifo), (std::vector{2, 3, 0, 1}));
  EXPECT_EQ(order(QueueOrder::priority), (std::vector{3, 2, 1, 0}));
}

TEST(JobQueue, KeepsTheOrderOfThoseThatAreEquallyUrgent) {
  JobQueue queue(QueueOrder::priority, 0);
  queue.reserve(3);
  queue.put(job(1, false));
  queue.put(job(0));
  queue.put(job(1, true));
  EXPECT_FALSE(queue.take()->readable);
  EXPECT_TRUE(queue.take()->readable);
  EXPECT_EQ(queue.take()->urgency, 0);
}

TEST(JobQueue, TakesNoMoreThanItsLimitUntilThereIsRoom) {
  JobQueue queue(QueueOrder::fifo, 2);
  std::latch is_full(1);
  std::atomic<bool> has_put = false;
  std::jthread loop([&] {
    queue.reserve(3);
    queue.put(job(1));
    queue.put(job(2));
    is_full.count_down();
    queue.put(job(3));
    has_put = true;
  });
  is_full.wait();
  EXPECT_FALSE(has_put);
  EXPECT_EQ(queue.take()->urgency, 1);
  loop.join();
  EXPECT_EQ(taken(queue), (std::vector{2, 3}));
}

TEST(JobQueue, TakesBackWhatAWorkerHasBegunThoughItIsFull) {
  JobQueue queue(QueueOrder::fifo, 1);
  queue.reserve(2);
  queue.put(job(1));
  queue.put_again(job(2));
  EXPECT_EQ(taken(queue), (std::vector{1, 2}));
}

// A worker that waited for room would be one fewer to make it.
TEST(JobQueueDeathTest, IsPutIntoByTheLoopAlone) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  JobQueue queue(QueueOrder::fifo, 0);
  queue.reserve(2);
  queue.put(job(1));
  EXPECT_DEBUG_DEATH(std::jthread([&] { queue.put(job(2)); }).join(), "is_owner_here");
}

}  // namespace
}  // namespace serverlab
