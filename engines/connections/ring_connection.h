#pragma once

// One connection of an engine that is told when operations have been completed: socket,
// conversation, and what is being sent. It makes no receive and no send; `receives` and
// `to_be_sent` say which to submit next.
//
//   open ──session closes──▶ closing ──all sent, FIN──▶ lingering
//     │ peer has ended, all sent                            │ peer has ended
//     └──────────────────▶ finished ◀───────────────────────┘

#include "base/owned_fd.h"
#include "engines/connections/conversation.h"

#include <utility>

namespace serverlab {

class RingConnection {
 public:
  /// @param high_water_bytes of unsent output, above which the session is given no input
  RingConnection(OwnedFd socket, AnySession session, std::size_t high_water_bytes) :
      socket_(std::move(socket)),
      conversation_(std::move(session)),
      high_water_bytes_(high_water_bytes) {}

  int fd() const { return socket_.get(); }

  void on_received(ByteView arrived);
  void on_sent(std::size_t bytes);
  void on_ended();
  void on_failed() { state_ = State::finished; }

  /// Whether to receive.
  bool receives() const { return !peer_has_ended_ && (takes_input() || is_lingering()); }

  /// More has come than the session takes now: receiving should stop.
  bool has_too_much() const { return !held_.empty(); }

  /// What to send; it stays where it is until it has been sent.
  ByteView to_be_sent();

  /// The socket has taken only a part of what was to be sent.
  bool is_partly_sent() const { return partly_sent_; }

  /// Nothing more will happen on it: to be destroyed, which closes it, once nothing is under way.
  bool finished() const { return state_ == State::finished; }

  /// The operations that the kernel has.
  struct UnderWay {
    bool receive = false;
    bool receive_cancelled = false;  // or about to be
    bool send = false;
  };
  UnderWay& under_way() { return under_way_; }
  const UnderWay& under_way() const { return under_way_; }

  /// Whether it stands in the loop's list of those to be looked at.
  /// @return whether it did before
  bool set_listed(bool listed) { return std::exchange(listed_, listed); }

 private:
  enum class State : std::uint8_t { open, closing, lingering, finished };

  bool is_lingering() const { return state_ == State::lingering; }
  std::size_t unsent_bytes() const { return sending_.size() + replies_.size(); }
  bool takes_input() const {
    return state_ == State::open && !has_more_to_say_ && unsent_bytes() < high_water_bytes_;
  }
  void advance(ByteView arrived);
  void proceed();

  OwnedFd socket_;
  State state_ = State::open;
  bool has_more_to_say_ = false;  // the session asked for Next::flush
  bool peer_has_ended_ = false;
  bool partly_sent_ = false;
  Conversation conversation_;
  UnderWay under_way_;
  bool listed_ = false;
  Bytes sending_;  // the kernel may be reading it; no memory while nothing is sent
  Bytes replies_;  // to be sent after that
  Bytes held_;     // arrived when the session took no input
  std::size_t high_water_bytes_;
};

}  // namespace serverlab
