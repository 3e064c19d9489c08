#pragma once

// The queue between a loop and a pool: connections that are ready, in the order of their turn.

#include "engines/connections/connection.h"
#include "engines/serve_options.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace serverlab {

struct Job {
  Connection* connection;
  bool readable;
  bool writable;
  int urgency = 0;
};

/// The loop puts, the workers take; a worker that finds it empty sleeps, and the loop when it is
/// full: then nothing is read, and who speaks on is stopped by his own socket.
class JobQueue {
 public:
  /// @param limit of jobs that wait; 0: none
  JobQueue(QueueOrder order, std::size_t limit) : order_(order), limit_(limit) {}

  /// Sleeps while it is full.
  void put(const Job& job) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return limit_ == 0 || count_ < limit_ || closed_; });
    append(job, lock);
  }

  /// Of a worker, on which nobody waits in vain: full or not.
  void put_again(const Job& job) {
    std::unique_lock lock(mutex_);
    append(job, lock);
  }

  /// @return nothing once the queue is closed and empty
  std::optional<Job> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || count_ > 0; });
    if (count_ == 0) return std::nullopt;
    std::deque<Job>& jobs = most_urgent();
    const bool newest = order_ == QueueOrder::lifo;
    const Job job = newest ? jobs.back() : jobs.front();
    newest ? jobs.pop_back() : jobs.pop_front();
    --count_;
    lock.unlock();
    if (limit_ > 0) room_.notify_one();
    return job;
  }

  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    room_.notify_all();
  }

 private:
  // A queue that is empty now will be used again: urgencies are few.
  std::deque<Job>& most_urgent() {
    auto it = jobs_.begin();
    while (it->second.empty()) ++it;
    return it->second;
  }

  void append(const Job& job, std::unique_lock<std::mutex>& lock) {
    jobs_[order_ == QueueOrder::priority ? job.urgency : 0].push_back(job);
    ++count_;
    lock.unlock();
    changed_.notify_one();
  }

  const QueueOrder order_;
  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable room_;
  std::map<int, std::deque<Job>, std::greater<>> jobs_;  // by urgency; guarded by mutex_,
  std::size_t count_ = 0;                                // as are the next two
  bool closed_ = false;
};

}  // namespace serverlab
