#pragma once

// The queue between a loop and a pool: connections that are ready, in the order of their turn.

#include "base/perturb.h"
#include "base/thread_contract.h"
#include "engines/connections/connection.h"
#include "engines/serve_options.h"

#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <optional>

namespace serverlab {

struct Job {
  Connection* connection = nullptr;
  bool readable = false;
  bool writable = false;
  int urgency = 0;
};

/// The loop puts jobs, the workers take them. A worker sleeps while the queue is empty, and the
/// loop while it is full: then nothing is read, and TCP flow control stops the senders.
class JobQueue {
 public:
  /// @param limit how many jobs may wait; 0: any number
  JobQueue(QueueOrder order, std::size_t limit) : order_(order), limit_(limit) {}

  /// The loop's thread: makes room for a job of each of so many connections, so that to put one
  /// cannot fail.
  /// @throws std::bad_alloc
  void reserve(std::size_t connections) {
    loop_thread_.assert_here();
    const std::scoped_lock lock(mutex_);
    for (; room_count_ < connections; ++room_count_) unused_.emplace_back();
  }

  /// The loop's thread, which sleeps while the queue is full: a worker that slept here could be the
  /// last one that makes room.
  /// @throws std::bad_alloc if it is the first of its urgency
  void put(const Job& job) {
    loop_thread_.assert_here();
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return limit_ == 0 || count_ < limit_ || closed_; });
    append(job, lock);
  }

  /// A worker's thread: never sleeps, even if the queue is full, so that workers cannot block each
  /// other.
  void put_again(const Job& job) {
    std::unique_lock lock(mutex_);
    append(job, lock);
  }

  /// A worker, which sleeps while the queue is empty.
  /// @return nothing once the queue is closed and empty
  std::optional<Job> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || count_ > 0; });
    if (count_ == 0) return std::nullopt;
    Jobs& jobs = most_urgent();
    const auto next = order_ == QueueOrder::lifo ? std::prev(jobs.end()) : jobs.begin();
    const Job job = *next;
    unused_.splice(unused_.begin(), jobs, next);
    --count_;
    lock.unlock();
    perturb();
    if (limit_ > 0) not_full_.notify_one();
    return job;
  }

  /// Any thread.
  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    not_full_.notify_all();
  }

 private:
  using Jobs = std::list<Job>;

  int level_of(const Job& job) const { return order_ == QueueOrder::priority ? job.urgency : 0; }

  // A queue that is empty now will be used again: urgencies are few.
  Jobs& most_urgent() {
    auto it = jobs_.begin();
    while (it->second.empty()) ++it;
    return it->second;
  }

  void append(const Job& job, std::unique_lock<std::mutex>& lock) {
    Jobs& jobs = jobs_[level_of(job)];
    unused_.front() = job;
    jobs.splice(jobs.end(), unused_, unused_.begin());
    ++count_;
    lock.unlock();
    perturb();
    changed_.notify_one();
  }

  const QueueOrder order_;
  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable not_full_;
  std::map<int, Jobs, std::greater<>> jobs_;  // by urgency; guarded by mutex_, as is all below
  Jobs unused_;                               // places for jobs
  std::size_t room_count_ = 0;                // places, used or not
  std::size_t count_ = 0;                     // jobs that wait
  bool closed_ = false;
  [[no_unique_address]] OwnerThread loop_thread_;
};

}  // namespace serverlab
