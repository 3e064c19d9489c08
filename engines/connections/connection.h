#pragma once

// One connection of an engine that is told when sockets are ready: socket, conversation, and what
// could not be sent yet. It never waits: each verb makes at most one receive and one send, and
// `interest` says what to wait for next. If memory runs out in one of them, or the session throws,
// the connection is finished. Its life is in life.h.
//
// One thread at a time has a connection, and may hand it to another: it calls all that is here.

#include "base/owned_fd.h"
#include "base/thread_contract.h"
#include "engines/connections/conversation.h"
#include "engines/connections/cost.h"
#include "engines/connections/life.h"
#include "engines/serve_options.h"
#include "net/readiness.h"
#include "net/stream.h"

namespace serverlab {

/// The buffers a thread lends to the connection it is serving, so that idle connections own none.
/// No other thread uses them.
struct Scratch {
  explicit Scratch(std::size_t read_buffer_bytes) :
      memory(std::make_unique_for_overwrite<std::byte[]>(read_buffer_bytes)),
      input(memory.get(), read_buffer_bytes) {}

  std::unique_ptr<std::byte[]> memory;
  std::span<std::byte> input;
  Bytes output;
};

class Connection {
 public:
  Connection(OwnedFd socket, AnySession session, const ServeOptions& options,
             const StopSignal& stop) :
      socket_(std::move(socket)),
      conversation_(fd(), std::move(session), stop),
      options_(options) {}

  int fd() const { return socket_.get(); }

  /// Receives once, advances the session, keeps its replies: `on_writable` sends them.
  void receive_only(Scratch& scratch) noexcept;

  /// Receives once, advances the session, sends its replies.
  /// @return whether more may wait to be received: as much came as there was room for
  bool on_readable(Scratch& scratch) noexcept;

  /// Sends the unsent output; if the session has more output, asks it to go on.
  void on_writable(Scratch& scratch) noexcept;

  /// What to wait for. Never empty before the connection is finished.
  Interest interest() const;

  /// There is output that the socket has not taken.
  bool has_unsent() const { return !unsent_.empty(); }

  /// What its turns have cost, for engines that measure it.
  Cost& cost() { return cost_; }

  /// Nothing more will happen on it. Destroy it, which closes the socket.
  bool finished() const { return life_ == Life::finished; }

 private:
  bool receive_into(Scratch& scratch, Bytes& output);
  void advance(ByteView arrived, Bytes& output);
  void send_from(Bytes& output);
  void all_sent();
  void fail(Scratch& scratch) noexcept;

  OwnedFd socket_;
  Life life_ = Life::open;
  bool has_more_to_say_ = false;  // the session asked for Next::flush
  Conversation conversation_;
  Bytes unsent_;  // no memory while the peer keeps up
  const ServeOptions& options_;
  Cost cost_;
  [[no_unique_address]] OneAtATime one_at_a_time_;
};

}  // namespace serverlab
