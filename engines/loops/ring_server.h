#pragma once

// One thread, one ring: the model that uring and uring-multishot share. They differ by how a
// submission to accept and to receive is made.
//
//               ┌──────────────────────── one thread ────────────────────────┐
//   clients ══▶ │ submit and wait: one system call for all of a turn         │
//      ║        │   ▲      for each completion: run the session, or note it  │
//      ║        │   └───── prepare sends, receives, accepts ◀────────────────┘
//      ║        │
//      ╚═══════▶│ kernel: does what was submitted when the sockets allow it, receives into
//               │ buffers of the ring, which it picks only when there is something to receive
//               └────────────────────────────────────────────────────────────
//
// A connection is closed only when the kernel has no operation of its left, so that no completion
// can mean a connection that has gone, and no memory is freed that the kernel still reads.

#include "base/reserve.h"
#include "engines/connections/accepting.h"
#include "engines/connections/connections.h"
#include "engines/connections/peer.h"
#include "engines/connections/ring_connection.h"
#include "engines/connections/unanswered.h"
#include "engines/loops/drain.h"
#include "net/ring.h"
#include "net/stop_signal.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <vector>

namespace serverlab {

/// How often a submission completes.
template <class S>
concept Shots = requires(io_uring_sqe* submission, int fd) {
  { S::sends_quietly } -> std::convertible_to<bool>;  // where all goes well, none for a send
  S::prepare_accept(submission, fd);
  S::prepare_receive(submission, fd);  // into a buffer that the kernel picks
};

template <Shots S>
class RingServer {
 public:
  RingServer(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      options_(options),
      service_(service),
      stop_(stop),
      drain_(stop, options.drain_limit),
      listener_(options.listen, options.listening),
      ring_(submissions, options.uring_sqpoll ? Submitter::kernel_thread : Submitter::caller),
      buffers_(ring_, buffer_count(options), buffer_bytes(options)) {
    io_uring_sqe* submission = ring_.next();
    ::io_uring_prep_poll_add(submission, stop.fd(), POLLIN);
    submission->user_data = tag(nullptr, Operation::stop);
    accept();
    options.announce(listener_.address());
  }

  void run() {
    while (drain_.goes_on(connections_.count() == 0 && !accepting_)) {
      const auto take_each = [this](const io_uring_cqe& completion) { take(completion); };
      if (ring_.wait(wait_limit(), take_each)) settle_quiet_sends();
      if (drain_.begins()) end_connections();
      take_turns();
      if (!drain_.has_begun() && !accepting_ && now() >= rest_until_) accept();
    }
  }

 private:
  enum class Operation : std::uint8_t { stop, accept, receive, cancel, send };

  static constexpr unsigned submissions = 1024;

  // A receive that completes many times takes some 32 buffers of a connection in a turn, which may
  // be more than the connection wants: small ones keep that in bounds.
  static constexpr std::size_t buffer_bytes_max = 16 << 10;
  static constexpr std::size_t all_buffers_bytes = 4 << 20;

  static unsigned buffer_bytes(const ServeOptions& options) {
    return static_cast<unsigned>(std::min(options.read_buffer_bytes, buffer_bytes_max));
  }
  static unsigned buffer_count(const ServeOptions& options) {
    constexpr unsigned most = 1024;
    return std::bit_floor(
        std::min(most, static_cast<unsigned>(all_buffers_bytes / buffer_bytes(options))));
  }

  // user_data: the connection, and in the low bits of its address, which are zero, the operation.
  static std::uint64_t tag(RingConnection* connection, Operation operation) {
    return reinterpret_cast<std::uintptr_t>(connection) | static_cast<std::uint64_t>(operation);
  }
  static constexpr std::uint64_t operation_mask = 7;
  static_assert(alignof(RingConnection) > operation_mask);

  void take(const io_uring_cqe& completion) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel carries an integer
    auto* connection = reinterpret_cast<RingConnection*>(completion.user_data & ~operation_mask);
    switch (static_cast<Operation>(completion.user_data & operation_mask)) {
      case Operation::stop: drain_.ask(); break;
      case Operation::accept: take_accepted(completion); break;
      case Operation::receive:
        if (!drain_.is_cut_off()) take_received(*connection, completion);
        break;
      case Operation::cancel: break;  // what was cancelled has its own completion
      case Operation::send: take_sent(*connection, completion.res); break;
    }
  }

  static bool goes_on(const io_uring_cqe& completion) {
    return (completion.flags & IORING_CQE_F_MORE) != 0;
  }

  void take_accepted(const io_uring_cqe& completion) {
    accepting_ = goes_on(completion);
    if (completion.res >= 0) {
      ++counters().accepts;
      guarded(options_, [&] { adopt(OwnedFd(completion.res)); });
    } else if (lacks_descriptors(-completion.res)) {
      rest_until_ = now() + accept_rest;
    }
  }

  void adopt(OwnedFd socket) {
    for (auto* of_all : {&dirty_, &round_, &quiet_})
      reserve_room(*of_all, connections_.count() + 1);
    AnySession session = service_.open(peer_of(socket.get()));
    const auto watch = [this](RingConnection& connection) {
      if (drain_.has_begun()) end_receiving(connection.fd());
      mark_dirty(connection);
    };
    connections_.open(std::move(socket), watch, std::move(session), options_, stop_);
  }

  void take_received(RingConnection& connection, const io_uring_cqe& completion) {
    connection.under_way().receive = goes_on(completion);
    if (completion.res > 0) {
      connection.on_received(buffers_.content(completion));
    } else if (completion.res == 0) {
      connection.on_ended();
    } else if (completion.res != -ENOBUFS && completion.res != -ECANCELED) {
      connection.on_failed();
    }
    if ((completion.flags & IORING_CQE_F_BUFFER) != 0) buffers_.give_back(completion);
    mark_dirty(connection);
  }

  void take_sent(RingConnection& connection, int result) {
    connection.under_way().send = false;
    if (result == -EAGAIN) {  // of a quiet one
      ++counters().would_block;
      result = 0;
    }
    result < 0 ? connection.on_failed() : connection.on_sent(static_cast<std::size_t>(result));
    mark_dirty(connection);
  }

  // They have been done within the wait that submitted them; of those that could not send all, the
  // completions have been taken.
  void settle_quiet_sends() {
    for (RingConnection* connection : quiet_) {
      if (!std::exchange(connection->under_way().send, false)) continue;
      connection->on_sent(connection->to_be_sent().size());
      if (connection->finished() || !connection->to_be_sent().empty()) mark_dirty(*connection);
    }
    quiet_.clear();
  }

  // After the batch: what it has brought for a connection is answered together.
  void mark_dirty(RingConnection& connection) {
    if (!connection.set_listed(true)) dirty_.push_back(&connection);
  }

  // One that goes on without output has its next turn after what others send meanwhile.
  void take_turns() {
    round_.swap(dirty_);
    for (RingConnection* connection : round_) submit_next(*connection);
    round_.clear();
  }

  void submit_next(RingConnection& connection) {
    connection.set_listed(false);
    connection.go_on();
    const RingConnection::UnderWay& under_way = connection.under_way();
    if (connection.finished()) return end(connection);
    if (!under_way.send) send(connection);
    if (!under_way.receive && connection.receives()) receive(connection);
    if (under_way.receive && connection.has_too_much()) cancel_receive(connection);
    if (connection.goes_on()) mark_dirty(connection);
  }

  void end(const RingConnection& connection) {
    if (connection.under_way().receive || connection.under_way().send) {
      end_both_ways(connection.fd());  // completes them
    } else {
      connections_.close(connection.fd());
    }
  }

  // One that completes many times could go on beyond the limit.
  void accept() {
    const int room = options_.room_beside(static_cast<int>(connections_.count()));
    if (room == 0) {
      rest_until_ = now() + accept_rest;
      return;
    }
    io_uring_sqe* submission = ring_.next();
    if (options_.max_connections > 0) {
      ::io_uring_prep_accept(submission, listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    } else {
      S::prepare_accept(submission, listener_.fd());
    }
    submission->user_data = tag(nullptr, Operation::accept);
    accepting_ = true;
  }

  void receive(RingConnection& connection) {
    io_uring_sqe* submission = ring_.next();
    S::prepare_receive(submission, connection.fd());
    submission->flags |= IOSQE_BUFFER_SELECT;
    submission->buf_group = ProvidedBuffers::group;
    submission->user_data = tag(&connection, Operation::receive);
    connection.under_way().receive = true;
    connection.under_way().receive_cancelled = false;
  }

  void cancel_receive(RingConnection& connection) {
    if (std::exchange(connection.under_way().receive_cancelled, true)) return;
    io_uring_sqe* submission = ring_.next();
    ::io_uring_prep_cancel64(submission, tag(&connection, Operation::receive), 0);
    submission->user_data = tag(nullptr, Operation::cancel);
  }

  // A send that nothing depends on is quiet: it sends what the socket takes at once, and completes
  // only if that is not all. Then another, which waits until all is sent, completes in any case.
  void send(RingConnection& connection) {
    const bool is_quiet = sends_quietly_ && connection.receives() && !connection.is_partly_sent();
    const ByteView bytes = connection.to_be_sent();
    if (bytes.empty()) return;
    io_uring_sqe* submission = ring_.next();
    ::io_uring_prep_send(submission, connection.fd(), bytes.data(), bytes.size(),
                         MSG_NOSIGNAL | MSG_WAITALL | (is_quiet ? MSG_DONTWAIT : 0));
    if (is_quiet) {
      submission->flags |= IOSQE_CQE_SKIP_SUCCESS;
      quiet_.push_back(&connection);
    }
    submission->user_data = tag(&connection, Operation::send);
    connection.under_way().send = true;
  }

  // An armed receive may have seen the socket's last event already and would wait for ever; one
  // that is armed anew looks again.
  void end_connections() {
    accept_waiting(options_, listener_, AcceptMode::blocking,
                   [this](OwnedFd socket) { adopt(std::move(socket)); });
    end_receiving(listener_.fd());  // ends an accept under way, which close would not
    listener_.close();
    connections_.each([this](RingConnection& connection) {
      end_receiving(connection.fd());
      if (connection.under_way().receive) cancel_receive(connection);
    });
  }

  Duration wait_limit() const {
    if (!dirty_.empty()) return Duration::zero();
    return drain_.wait_limit(accepting_ ? wait_forever : accept_rest);
  }

  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  Drain drain_;
  Listener listener_;
  ConnectionsOf<RingConnection> connections_;
  std::vector<RingConnection*> round_;
  std::vector<RingConnection*> dirty_;  // of this turn; here and below is room for all connections
  std::vector<RingConnection*> quiet_;  // whose sends will say nothing
  // A thread of the kernel does what is submitted at its own time.
  const bool sends_quietly_ = S::sends_quietly && !options_.uring_sqpoll;
  bool accepting_ = false;  // the kernel has an accept
  Instant rest_until_;      // for want of descriptors, or as there are enough connections
  Ring ring_;  // behind the connections, so that it ends what is under way before they go
  ProvidedBuffers buffers_;
};

}  // namespace serverlab
