// epoll-edge: one thread waits in epoll(7), edge-triggered, and remembers which
// connections are ready.
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
// The kernel reports each change once, so the loop remembers it until a receive or a send finds the
// socket exhausted: less than there was room for, or not all that was given. In
// return nothing is registered again: not when output waits, not when a connection is not read for
// its unsent output, though it is readable all that time. One turn is one receive and one send, and
// then the others have theirs: a fast sender is always ready, and starves no connection.

#include "base/reserve.h"
#include "engines/connections/accepting.h"
#include "engines/connections/connections.h"
#include "engines/connections/peer.h"
#include "engines/engine.h"
#include "engines/loops/drain.h"
#include "net/epoll.h"

#include <utility>
#include <vector>

namespace serverlab {
namespace {

/// What is known of a connection's socket.
struct Known {
  bool readable = false;
  bool writable = true;  // until a send finds that it is not
  bool ended = false;
  bool urgent = false;  // the next receive may stop before an urgent byte
  bool has_turn = false;
};

class EdgeLoop {
 public:
  EdgeLoop(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      options_(options),
      service_(service),
      stop_(stop),
      drain_(stop, options.drain_limit),
      acceptor_(options, epoll_),
      scratch_(options.read_buffer_bytes) {
    epoll_.add(stop.fd(), {.read = true});
    acceptor_.announce();
  }

  void run() {
    while (drain_.goes_on(connections_.count() == 0)) {
      for (const Ready& event : epoll_.wait(wait_limit())) dispatch(event);
      take_turns();
      acceptor_.resume_if_rested();
      if (drain_.begins()) end_connections();
    }
  }

 private:
  void dispatch(const Ready& event) {
    if (event.fd == acceptor_.fd()) {
      acceptor_.accept([this](OwnedFd socket) { adopt(std::move(socket)); });
    } else if (event.fd == stop_.fd()) {
      drain_.ask();
    } else {
      Known& known = known_[static_cast<std::size_t>(event.fd)];
      known.readable |= event.readable;
      known.writable |= event.writable;
      known.ended |= event.ended;
      known.urgent |= event.urgent;
      give_turn(connections_.at(event.fd), known);
    }
  }

  void adopt(OwnedFd socket) {
    const auto slot = static_cast<std::size_t>(socket.get());
    if (known_.size() <= slot) known_.resize(slot + 1);
    known_[slot] = {};
    for (auto* of_all : {&turns_, &round_}) reserve_room(*of_all, connections_.count() + 1);
    AnySession session = service_.open(peer_of(socket.get()));
    const auto watch = [this](const Connection& connection) {
      epoll_.add(connection.fd(), {.read = true, .write = true}, Trigger::edge);
    };
    connections_.open(std::move(socket), watch, std::move(session), options_, stop_);
  }

  void give_turn(const Connection& connection, Known& known) {
    const Interest wants = connection.interest();
    const bool can_go_on = (wants.read && known.readable) || (wants.write && known.writable);
    if (!can_go_on || known.has_turn) return;
    known.has_turn = true;
    turns_.push_back(connection.fd());
  }

  // A connection that can go on has its next turn after all others, and after those that become
  // ready by then. A finished one is closed at once: all events of the batch are noted by now, and
  // closing takes the socket out of the kernel's set.
  void take_turns() {
    round_.swap(turns_);
    for (const int fd : round_) {
      if (drain_.is_cut_off()) return;
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
      const bool stopped_before_all = std::exchange(known.urgent, false);
      known.readable = connection.on_readable(scratch_) || stopped_before_all || known.ended;
    } else {
      connection.on_writable(scratch_);
    }
    known.writable = !connection.has_unsent();
  }

  void end_connections() {
    epoll_.remove(stop_.fd());
    acceptor_.close([this](OwnedFd socket) { adopt(std::move(socket)); });
    connections_.end_receiving_all();
  }

  Duration wait_limit() const {
    return turns_.empty() ? drain_.wait_limit(acceptor_.wait_limit()) : Duration::zero();
  }

  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  Drain drain_;
  Epoll epoll_;
  Acceptor<Epoll> acceptor_;
  Connections connections_;
  std::vector<Known> known_;  // by descriptor
  Scratch scratch_;
  std::vector<int> turns_;  // connections with something to do, the first to become so first
  std::vector<int> round_;
};

}  // namespace

void serve_epoll_edge(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  EdgeLoop(options, service, stop).run();
}

}  // namespace serverlab
