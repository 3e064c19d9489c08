#pragma once

// A loop that waits and others that work: the model that poll-offload, epoll-offload and their kind
// share. They differ by the poller and by the workforce, which runs the sessions.
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

#include "base/perturb.h"
#include "engines/connections/accepting.h"
#include "engines/connections/connections.h"
#include "engines/connections/peer.h"
#include "engines/loops/drain.h"
#include "engines/workers/inbox.h"
#include "engines/workers/pool.h"
#include "net/epoll.h"
#include "net/stop_signal.h"

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

namespace serverlab {

/// What runs the sessions of a loop.
template <class W>
concept Workforce = requires(W workforce, const Job& job, std::size_t connections) {
  { W::measures } -> std::convertible_to<bool>;  // whether it needs to know what a turn costs
  workforce.start();                             // creates its threads, before clients are accepted
  workforce.reserve(connections);  // so that to put a job of each cannot fail; the loop's
  workforce.put(job);              // serves it, now or later; the loop's
  workforce.join();                // waits for the end of its threads
};

/// A workforce to which a worker, too, can give a job to serve later.
template <class W>
concept TakesJobsAgain =
    Workforce<W> && requires(W workforce, const Job& job) { workforce.put_again(job); };

template <Poller P, Workforce W = Pool>
class Offload {
 public:
  Offload(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      options_(options),
      service_(service),
      stop_(stop),
      drain_(stop, options.drain_limit),
      acceptor_(options, poller_),
      workforce_(options, stop, [this](const Job& job, Scratch& scratch) { serve(job, scratch); }) {
    poller_.add(stop.fd(), {.read = true});
    poller_.add(returned_.fd(), {.read = true});
  }

  void run() {
    workforce_.start();
    acceptor_.announce();
    while (drain_.goes_on(connections_.count() == 0)) {
      const Duration limit = returned_.may_sleep() ? wait_limit() : Duration::zero();
      for (const Ready& event : poller_.wait(limit)) {
        if (drain_.is_cut_off()) return;
        dispatch(event);
      }
      acceptor_.resume_if_rested();
      take_back();
      if (drain_.begins()) end_connections();
    }
    workforce_.join();
  }

 private:
  static constexpr bool one_shot = std::same_as<P, Epoll>;
  static constexpr std::size_t urgency_bytes = 64;  // of a request, to tell how urgent it is

  void dispatch(const Ready& event) {
    if (event.fd == acceptor_.fd()) {
      acceptor_.accept([this](OwnedFd socket) { adopt(std::move(socket)); });
    } else if (event.fd == stop_.fd()) {
      drain_.ask();
    } else if (event.fd == returned_.fd()) {
      returned_.clear_wake();
    } else {
      if constexpr (one_shot) {
        const std::scoped_lock lock(arming(event.fd));
      } else {
        poller_.change(event.fd, {});
      }
      const Job job = {&connections_.at(event.fd), event.readable, event.writable, urgency(event)};
      if (!guarded(options_, [&] { workforce_.put(job); })) close(event.fd);
    }
  }

  void adopt(OwnedFd socket) {
    workforce_.reserve(connections_.count() + 1);
    returned_.reserve(connections_.count() + 1);
    AnySession session = service_.open(peer_of(socket.get()));
    const auto watch = [this](const Connection& connection) {
      if constexpr (one_shot) {
        poller_.add(connection.fd(), connection.interest(), Trigger::one_shot);
      } else {
        poller_.add(connection.fd(), connection.interest());
      }
    };
    connections_.open(std::move(socket), watch, std::move(session), options_, stop_);
  }

  void close(int fd) {
    poller_.remove(fd);
    connections_.close(fd);
  }

  /// How urgent the request that has arrived is; 0 if the queue is not ordered by urgency.
  int urgency(const Ready& event) const {
    if (options_.queue != QueueOrder::priority || !service_.urgency || !event.readable) return 0;
    std::byte begin[urgency_bytes];
    return service_.urgency(std::span(begin).first(peek(event.fd, begin)));
  }

  void take_back() {
    for (const Connection* connection : returned_.take()) {
      const int fd = connection->fd();
      if (connection->finished()) {
        close(fd);
      } else {
        poller_.change(fd, connection->interest());
      }
    }
  }

  // A worker's thread.
  void serve(const Job& job, Scratch& scratch) {
    if (drain_.is_cut_off()) return;
    Connection& connection = *job.connection;
    const bool stays = W::measures && !connection.cost().is_expensive();
    const Interest before = connection.interest();
    const Instant began = W::measures ? now() : Instant();
    const bool again = TakesJobsAgain<W> && options_.jobs_per_request == 2 && job.readable;
    if (again) {
      connection.receive_only(scratch);
    } else {
      if (job.readable) connection.on_readable(scratch);
      if (job.writable && !connection.finished()) connection.on_writable(scratch);
    }
    if constexpr (W::measures) connection.cost().add(now() - began);
    if (again && !connection.finished()) {
      if constexpr (TakesJobsAgain<W>)
        workforce_.put_again({&connection, false, true, job.urgency});
    } else if (one_shot && !connection.finished()) {
      arm(connection, stays, before);
    } else {
      returned_.put(&connection, options_.poll_timeout == Duration::zero());
    }
  }

  /// The last thing that a thread does with a connection, because another thread may have it next.
  /// A connection whose turns the loop runs itself stays armed, which saves this call.
  void arm(Connection& connection, bool stayed, Interest before) {
    perturb();
    if constexpr (one_shot) {
      const Interest interest = connection.interest();
      const bool stays = W::measures && !connection.cost().is_expensive();
      if (stayed && stays && interest == before) return;
      const std::scoped_lock lock(arming(connection.fd()));
      poller_.change(connection.fd(), interest, stays ? Trigger::level : Trigger::one_shot);
    }
  }

  /// Held while a connection is armed. The kernel may report the connection to the loop before that
  /// call has returned; the lock makes the loop see all that was done, and not close it meanwhile.
  std::mutex& arming(int fd) { return arming_[static_cast<std::size_t>(fd) % arming_.size()]; }

  void end_connections() {
    acceptor_.close([this](OwnedFd socket) { adopt(std::move(socket)); });
    poller_.remove(stop_.fd());
    connections_.end_receiving_all();
  }

  Duration wait_limit() const {
    if (options_.poll_timeout > Duration::zero()) return options_.poll_timeout;
    return drain_.wait_limit(acceptor_.wait_limit());
  }

  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  Drain drain_;
  P poller_;
  Acceptor<P> acceptor_;
  Connections connections_;
  Inbox<Connection*> returned_;  // what the workers have done with
  std::array<std::mutex, one_shot ? 64 : 1> arming_;
  W workforce_;  // last, so that it has ended before what it uses is gone
};

}  // namespace serverlab
