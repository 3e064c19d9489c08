#pragma once

// One connection of an engine that is told when operations have been completed: socket,
// conversation, and what is being sent. It makes no receive and no send; `receives` and
// `to_be_sent` say which to submit next. Its life is in life.h. Belongs to its ring's thread.

#include "base/owned_fd.h"
#include "base/thread_contract.h"
#include "engines/connections/conversation.h"
#include "engines/connections/life.h"
#include "engines/serve_options.h"

#include <utility>

namespace serverlab {

class RingConnection {
 public:
  RingConnection(OwnedFd socket, AnySession session, const ServeOptions& options,
                 const StopSignal& stop) :
      socket_(std::move(socket)),
      conversation_(fd(), std::move(session), stop),
      options_(options) {}

  int fd() const { return socket_.get(); }

  /// Where memory runs out in one of these, or the session throws, the connection is finished.
  void on_received(ByteView arrived) noexcept;
  void on_sent(std::size_t bytes) noexcept;
  void on_ended() noexcept;
  void on_failed() noexcept;

  /// Whether its session has more to do, though nothing of it is to be sent.
  bool goes_on() const { return has_more_to_say_ && unsent_bytes() == 0; }
  /// Gives the session another turn, if it goes on.
  void go_on() noexcept;

  /// Whether to receive.
  bool receives() const { return (life_ == Life::open && has_room()) || life_ == Life::lingering; }

  /// More has come than the session takes now: receiving should stop.
  bool has_too_much() const { return !held_.empty(); }

  /// What to send; it stays where it is until it has been sent.
  ByteView to_be_sent();

  /// The socket has taken only a part of what was to be sent.
  bool is_partly_sent() const { return partly_sent_; }

  /// Nothing more will happen on it: to be destroyed, which closes it, once nothing is under way.
  bool finished() const { return life_ == Life::finished; }

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
  std::size_t unsent_bytes() const { return sending_.size() + replies_.size(); }
  /// For more output, so that the session may have input.
  bool has_room() const { return !has_more_to_say_ && unsent_bytes() < options_.high_water_bytes; }
  void advance(ByteView arrived);
  void proceed();
  void fail() noexcept;

  OwnedFd socket_;
  Life life_ = Life::open;
  bool has_more_to_say_ = false;  // the session asked for Next::flush
  bool partly_sent_ = false;
  Conversation conversation_;
  UnderWay under_way_;
  bool listed_ = false;
  Bytes sending_;  // the kernel may be reading it; no memory while nothing is sent
  Bytes replies_;  // to be sent after that
  Bytes held_;     // arrived when there was no room; empty once the session has closed
  const ServeOptions& options_;
  [[no_unique_address]] OwnerThread owner_;
};

}  // namespace serverlab
