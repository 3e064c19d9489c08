#pragma once

// A loop that waits and a pool that works: the model that poll-offload and its kind share. They
// differ by the poller alone.
//
//            ┌─ one thread ─┐  ready   ┌─── queue ────┐  takes   ┌───── N workers ─────┐
//  clients ═▶│ accept, wait │─────────▶│ jobs to do   │─────────▶│ receive, session,   │
//            └──────▲───────┘          └──────────────┘          │ send                │
//                   │            ┌──────────────────┐            └──────────┬──────────┘
//                   └────────────│ returned, wakes  │◀──────────────────────┘
//                                └──────────────────┘
//
// A connection in the queue or at a worker is not waited for: one worker at a time has it, so its
// replies stay in order by construction. Only the loop opens and closes connections.

#include "engines/accepting.h"
#include "engines/connections.h"
#include "engines/inbox.h"
#include "engines/making_threads.h"
#include "net/stop_signal.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace serverlab {

struct Job {
  Connection* connection;
  bool readable;
  bool writable;
};

/// The loop puts, the workers take; a worker that finds it empty sleeps.
class JobQueue {
 public:
  explicit JobQueue(QueueOrder order) : order_(order) {}

  void put(Job job) {
    {
      const std::scoped_lock lock(mutex_);
      jobs_.push_back(job);
    }
    changed_.notify_one();
  }

  /// @return nothing once the queue is closed and empty
  std::optional<Job> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
    if (jobs_.empty()) return std::nullopt;
    const bool newest = order_ == QueueOrder::lifo;
    const Job job = newest ? jobs_.back() : jobs_.front();
    newest ? jobs_.pop_back() : jobs_.pop_front();
    return job;
  }

  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

 private:
  const QueueOrder order_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;  // guarded by mutex_
  bool closed_ = false;   // guarded by mutex_
};

template <Poller P>
class Offload {
 public:
  Offload(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      options_(options),
      service_(service),
      stop_(stop),
      acceptor_(options, poller_),
      queue_(options.queue) {
    poller_.add(stop.fd(), {.read = true});
    poller_.add(returned_.fd(), {.read = true});
  }
  Offload(const Offload&) = delete;
  Offload& operator=(const Offload&) = delete;
  ~Offload() { queue_.close(); }

  void run() {
    make_threads(options_.threads, workers_,
                 [this](auto& workers) { workers.emplace_back([this] { work(); }); });
    while (!draining_ || (connections_.count() > 0 && now() < drain_deadline_)) {
      poller_.wait(ready_, returned_.may_sleep() ? wait_limit() : Duration::zero());
      for (const Ready& event : ready_) dispatch(event);
      acceptor_.resume_if_rested();
      take_back();
      if (stop_asked_ && !draining_) drain();
    }
  }

 private:
  void dispatch(const Ready& event) {
    if (event.fd == acceptor_.fd()) {
      acceptor_.accept([this](OwnedFd socket) { adopt(std::move(socket)); });
    } else if (event.fd == stop_.fd()) {
      stop_asked_ = true;
    } else if (event.fd == returned_.fd()) {
      returned_.clear_wake();
    } else {
      poller_.change(event.fd, {});
      queue_.put({&connections_.at(event.fd), event.readable, event.writable});
    }
  }

  void adopt(OwnedFd socket) {
    AnySession session = service_.open(socket.get());
    const Connection& connection =
        connections_.open(std::move(socket), std::move(session), options_.high_water_bytes);
    poller_.add(connection.fd(), connection.interest());
  }

  void take_back() {
    returned_.take(taken_);
    for (const Connection* connection : taken_) {
      const int fd = connection->fd();
      if (connection->finished()) {
        poller_.remove(fd);
        connections_.close(fd);
      } else {
        poller_.change(fd, connection->interest());
      }
    }
  }

  // Each worker's thread.
  void work() {
    Scratch scratch(options_.read_buffer_bytes);
    while (const std::optional<Job> job = queue_.take()) {
      Connection& connection = *job->connection;
      if (options_.jobs_per_request == 2 && job->readable) {
        connection.receive_only(scratch);
        if (!connection.finished()) {
          queue_.put({&connection, false, true});
          continue;
        }
      } else {
        if (job->readable) connection.on_readable(scratch);
        if (job->writable && !connection.finished()) connection.on_writable(scratch);
      }
      returned_.put(&connection, options_.poll_timeout == Duration::zero());
    }
  }

  void drain() {
    acceptor_.close([this](OwnedFd socket) { adopt(std::move(socket)); });
    poller_.remove(stop_.fd());
    connections_.end_receiving_all();
    draining_ = true;
    drain_deadline_ = now() + options_.drain_limit;
  }

  Duration wait_limit() const {
    if (options_.poll_timeout > Duration::zero()) return options_.poll_timeout;
    return draining_ ? std::max(Duration::zero(), drain_deadline_ - now()) : acceptor_.wait_limit();
  }

  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  P poller_;
  Acceptor<P> acceptor_;
  Connections connections_;
  std::vector<Ready> ready_;
  bool stop_asked_ = false;  // acted upon after the batch, in which the listener may still come
  bool draining_ = false;
  Instant drain_deadline_;
  JobQueue queue_;
  Inbox<Connection*> returned_;  // what the workers have done with
  std::vector<Connection*> taken_;
  std::vector<std::jthread> workers_;  // last, so that they have ended before what they use is gone
};

}  // namespace serverlab
