#pragma once

// A loop that waits and others that work: the model that poll-offload, epoll-offload and their kind
// share. They differ by the poller and by the workforce: who works.
//
//            ┌─ one thread ─┐  ready   ┌─── queue ────┐  takes   ┌───── workforce ─────┐
//  clients ═▶│ accept, wait │─────────▶│ jobs to do   │─────────▶│ receive, session,   │
//            └──────▲───────┘          └──────────────┘          │ send                │
//                   │            ┌──────────────────┐            └──────────┬──────────┘
//                   └────────────│ returned, wakes  │◀──────────────────────┘
//                                └──────────────────┘
//
// A connection in the queue or at a worker is not waited for: one worker at a time has it, so its
// replies stay in order by construction. Only the loop opens and closes connections.
//
// poll's array is the loop's own: it takes the connection out, and is woken to put it back. Of
// epoll a connection is asked for once (EPOLLONESHOT): the kernel takes it out as it reports it,
// and the worker puts it back with the one call that it costs; only what has finished is returned.

#include "engines/connections/accepting.h"
#include "engines/connections/connections.h"
#include "engines/workers/inbox.h"
#include "engines/workers/pool.h"
#include "net/epoll.h"
#include "net/stop_signal.h"

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

namespace serverlab {

template <Poller P, class Workforce = Pool>
class Offload {
 public:
  Offload(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      options_(options),
      service_(service),
      stop_(stop),
      acceptor_(options, poller_),
      workforce_(options, [this](const Job& job, Scratch& scratch) { serve(job, scratch); }) {
    poller_.add(stop.fd(), {.read = true});
    poller_.add(returned_.fd(), {.read = true});
  }

  void run() {
    workforce_.start();
    while (!draining_ || (connections_.count() > 0 && now() < drain_deadline_)) {
      poller_.wait(ready_, returned_.may_sleep() ? wait_limit() : Duration::zero());
      for (const Ready& event : ready_) dispatch(event);
      acceptor_.resume_if_rested();
      take_back();
      if (stop_asked_ && !draining_) drain();
    }
  }

 private:
  static constexpr bool one_shot = std::same_as<P, Epoll>;
  static constexpr std::size_t urgency_bytes = 64;  // of a request, to tell how urgent it is

  void dispatch(const Ready& event) {
    if (event.fd == acceptor_.fd()) {
      acceptor_.accept([this](OwnedFd socket) { adopt(std::move(socket)); });
    } else if (event.fd == stop_.fd()) {
      stop_asked_ = true;
    } else if (event.fd == returned_.fd()) {
      returned_.clear_wake();
    } else {
      if constexpr (one_shot) {
        const std::scoped_lock lock(arming(event.fd));
      } else {
        poller_.change(event.fd, {});
      }
      workforce_.put({&connections_.at(event.fd), event.readable, event.writable, urgency(event)});
    }
  }

  void adopt(OwnedFd socket) {
    AnySession session = service_.open(socket.get());
    const Connection& connection =
        connections_.open(std::move(socket), std::move(session), options_.high_water_bytes);
    if constexpr (one_shot) {
      poller_.add(connection.fd(), connection.interest(), Trigger::one_shot);
    } else {
      poller_.add(connection.fd(), connection.interest());
    }
  }

  /// Of what has arrived, where that makes a difference.
  int urgency(const Ready& event) const {
    if (options_.queue != QueueOrder::priority || !service_.urgency || !event.readable) return 0;
    std::byte begin[urgency_bytes];
    return service_.urgency(std::span(begin).first(peek(event.fd, begin)));
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

  // A worker's thread.
  void serve(const Job& job, Scratch& scratch) {
    Connection& connection = *job.connection;
    const bool stays = Workforce::measures && !connection.cost().dear();
    const Interest before = connection.interest();
    const Instant began = Workforce::measures ? now() : Instant();
    if (draining_) connection.take_last();
    const bool again = options_.jobs_per_request == 2 && job.readable;
    if (again) {
      connection.receive_only(scratch);
    } else {
      if (job.readable) connection.on_readable(scratch);
      if (job.writable && !connection.finished()) connection.on_writable(scratch);
    }
    if constexpr (Workforce::measures) connection.cost().add(now() - began);
    if (again && !connection.finished()) {
      workforce_.put_again({&connection, false, true, job.urgency});
    } else if (one_shot && !connection.finished()) {
      arm(connection, stays, before);
    } else {
      returned_.put(&connection, options_.poll_timeout == Duration::zero());
    }
  }

  /// The last that a thread does with a connection that another may have next. One of which every
  /// turn is the loop's own is asked for all the time, which saves this call.
  void arm(Connection& connection, bool stayed, Interest before) {
    if constexpr (one_shot) {
      const Interest interest = connection.interest();
      const bool stays = Workforce::measures && !connection.cost().dear();
      if (stayed && stays && interest == before) return;
      const std::scoped_lock lock(arming(connection.fd()));
      poller_.change(connection.fd(), interest, stays ? Trigger::level : Trigger::one_shot);
    }
  }

  /// Held while a connection is armed, so that the loop, which may be told of it before that call
  /// has returned, sees all that has been done to it, and does not close it meanwhile.
  std::mutex& arming(int fd) { return arming_[static_cast<std::size_t>(fd) % arming_.size()]; }

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
  std::atomic<bool> draining_ = false;
  Instant drain_deadline_;
  Inbox<Connection*> returned_;  // what the workers have done with
  std::vector<Connection*> taken_;
  std::array<std::mutex, one_shot ? 64 : 1> arming_;
  Workforce workforce_;  // last, so that it has ended before what it uses is gone
};

}  // namespace serverlab
