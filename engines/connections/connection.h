#pragma once

// One connection of an engine that is told when sockets are ready: socket, conversation, and what
// could not be sent yet. It never waits: each verb makes at most one receive and one send, and
// `interest` says what to wait for next.
//
//   open ──peer half-closes──▶ ended ───────all sent──────▶ finished
//     │                                                         ▲
//     └──session closes──▶ closing ──all sent, FIN──▶ lingering ┘ peer has ended too

#include "base/owned_fd.h"
#include "engines/connections/conversation.h"
#include "engines/connections/cost.h"
#include "net/readiness.h"
#include "net/stream.h"

namespace serverlab {

/// The buffers a thread lends to the connection it is serving, so that idle connections own none.
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
  /// @param high_water_bytes of unsent output, above which the connection does not want to be read
  Connection(OwnedFd socket, AnySession session, std::size_t high_water_bytes) :
      socket_(std::move(socket)),
      conversation_(std::move(session)),
      high_water_bytes_(high_water_bytes) {}

  int fd() const { return socket_.get(); }

  /// Receives once, advances the session, keeps its replies: `on_writable` sends them.
  void receive_only(Scratch& scratch);

  /// Receives once, advances the session, sends its replies.
  /// @return whether more may wait to be received: as much came as there was room for
  bool on_readable(Scratch& scratch);

  /// Sends what is waiting; if the session has more to say, lets it.
  void on_writable(Scratch& scratch);

  /// After a stop: a few more receives that take all there is, then no more. A peer that asks again
  /// as soon as it is answered, of a server that is slower than itself, would else never be done
  /// with. A few, since what was sent before the stop may still be on its way through the kernel.
  void take_last() {
    if (receives_left_ == unlimited) receives_left_ = 3;
  }

  /// What to wait for. Never empty before the connection is finished.
  Interest interest() const;

  /// There is output that the socket has not taken.
  bool has_unsent() const { return !unsent_.empty(); }

  /// What its turns have cost, for engines that measure it.
  Cost& cost() { return cost_; }

  /// Nothing more will happen on it: to be destroyed, which closes it.
  bool finished() const { return state_ == State::finished; }

 private:
  enum class State : std::uint8_t { open, ended, closing, lingering, finished };

  bool receive_into(Scratch& scratch, Bytes& output);
  void advance(ByteView arrived, Bytes& output);
  void send_from(Bytes& output);
  void all_sent();

  OwnedFd socket_;
  State state_ = State::open;
  bool has_more_to_say_ = false;  // the session asked for Next::flush
  static constexpr std::int8_t unlimited = -1;
  std::int8_t receives_left_ = unlimited;
  Conversation conversation_;
  Bytes unsent_;  // no memory while the peer keeps up
  std::size_t high_water_bytes_;
  Cost cost_;
};

}  // namespace serverlab
