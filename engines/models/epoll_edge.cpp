// epoll-edge: one thread waits in epoll(7), edge-triggered, and remembers who is ready.
//
//            ┌──────────────────────── one thread ─────────────────────────┐
// clients ══▶│ wait ─▶ accept a batch, note what has become ready          │
//            │  ▲                         │                                │
//            │  │                  ┌──────▼──────┐                         │
//            │  │                  │ those with  │─▶ a turn each: receive, │
//            │  │                  │ something   │   run session, send     │
//            │  │                  │ to do       │◀─┐     │                │
//            │  │                  └─────────────┘  └─────┤ can go on      │
//            │  └───────── close what has finished ◀──────┘                │
//
// The kernel tells of each change once, so whoever is told has to remember it until a receive or a
// send finds the socket exhausted: less than there was room for, or not all that was given. In
// return nothing is registered again: not when output waits, not when a connection is not read for
// its unsent output, though it is readable all that time. One turn is one receive and one send, and
// then the others have theirs: a fast sender has always something to do, and starves nobody.

#include "engines/connections/accepting.h"
#include "engines/connections/connections.h"
#include "engines/engine.h"
#include "net/epoll.h"

#include <vector>

namespace serverlab {
namespace {

/// What is known of a connection's socket.
struct Known {
  bool readable = false;
  bool writable = true;  // until a send finds that it is not
  bool ended = false;
  bool has_turn = false;
};

class EdgeLoop {
 public:
  EdgeLoop(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      options_(options),
      service_(service),
      stop_(stop),
      acceptor_(options, epoll_),
      scratch_(options.read_buffer_bytes) {
    epoll_.add(stop.fd(), {.read = true});
  }

  void run() {
    while (!draining_ || (connections_.count() > 0 && now() < drain_deadline_)) {
      epoll_.wait(events_, turns_.empty() ? wait_limit() : Duration::zero());
      for (const Ready& event : events_) dispatch(event);
      take_turns();
      acceptor_.resume_if_rested();
      if (stop_asked_ && !draining_) drain();
    }
  }

 private:
  void dispatch(const Ready& event) {
    if (event.fd == acceptor_.fd()) {
      acceptor_.accept([this](OwnedFd socket) { adopt(std::move(socket)); });
    } else if (event.fd == stop_.fd()) {
      stop_asked_ = true;
    } else {
      Known& known = known_[static_cast<std::size_t>(event.fd)];
      known.readable |= event.readable;
      known.writable |= event.writable;
      known.ended |= event.ended;
      give_turn(connections_.at(event.fd), known);
    }
  }

  void adopt(OwnedFd socket) {
    const auto slot = static_cast<std::size_t>(socket.get());
    if (known_.size() <= slot) known_.resize(slot + 1);
    known_[slot] = {};
    AnySession session = service_.open(socket.get());
    const int fd =
        connections_.open(std::move(socket), std::move(session), options_.high_water_bytes).fd();
    epoll_.add(fd, {.read = true, .write = true}, Trigger::edge);
  }

  void give_turn(const Connection& connection, Known& known) {
    const Interest wants = connection.interest();
    const bool can_go_on = (wants.read && known.readable) || (wants.write && known.writable);
    if (!can_go_on || known.has_turn) return;
    known.has_turn = true;
    turns_.push_back(connection.fd());
  }

  // Whoever can go on has the next turn after all others, and after those who become ready by then.
  // Who has finished is closed at once: all events of the batch are noted by now. Closing takes the
  // socket out of the kernel's set.
  void take_turns() {
    round_.swap(turns_);
    for (const int fd : round_) {
      Connection& connection = connections_.at(fd);
      Known& known = known_[static_cast<std::size_t>(fd)];
      known.has_turn = false;
      take_turn(connection, known);
      connection.finished() ? connections_.close(fd) : give_turn(connection, known);
    }
    round_.clear();
  }

  void take_turn(Connection& connection, Known& known) {
    const bool reads = connection.interest().read && known.readable;
    if (reads) {
      known.readable = connection.on_readable(scratch_) || known.ended;
    } else {
      connection.on_writable(scratch_);
    }
    known.writable = !connection.has_unsent();
  }

  void drain() {
    epoll_.remove(stop_.fd());
    acceptor_.close([this](OwnedFd socket) { adopt(std::move(socket)); });
    connections_.end_receiving_all();
    drain_deadline_ = now() + options_.drain_limit;
    draining_ = true;
  }

  Duration wait_limit() const {
    if (!draining_) return acceptor_.wait_limit();
    return std::max(Duration::zero(), drain_deadline_ - now());
  }

  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  Epoll epoll_;
  Acceptor<Epoll> acceptor_;
  Connections connections_;
  std::vector<Known> known_;  // by descriptor
  Scratch scratch_;
  std::vector<Ready> events_;
  std::vector<int> turns_;  // who has something to do, in the order in which it became so
  std::vector<int> round_;
  bool stop_asked_ = false;  // acted upon after the batch, in which the listener may still come
  bool draining_ = false;
  Instant drain_deadline_;
};

}  // namespace

void serve_epoll_edge(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  EdgeLoop(options, service, stop).run();
}

}  // namespace serverlab
