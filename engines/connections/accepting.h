#pragma once

// Accepting, as every engine does it: a batch per wake-up, a rest when descriptors have run out,
// and at the end every connection that is in the accept queue.

#include "base/thread_contract.h"
#include "engines/connections/conversation_record.h"
#include "engines/connections/guarded.h"
#include "engines/serve_options.h"
#include "net/readiness.h"

#include <mutex>

namespace serverlab {

/// How long accepting rests when descriptors have run out, or when there are as many connections as
/// there may be, so that a full server does not spin on its listener.
constexpr Duration accept_rest = std::chrono::milliseconds(50);

enum class Accepting { goes_on, must_rest };

/// Accepts until the accept queue is empty or `limit` connections are accepted. Gives each socket
/// to `adopt`, which throws if there is no memory or no thread for it; that closes the connection.
template <class Adopt>
Accepting accept_batch(const ServeOptions& options, const Listener& listener, AcceptMode mode,
                       int limit, Adopt adopt) {
  for (int i = 0; i < limit; ++i) {
    Accepted accepted = listener.accept(mode);
    if (accepted.status == Accepted::Status::nothing) break;
    if (accepted.status == Accepted::Status::no_descriptors) return Accepting::must_rest;
    if (accepted.status == Accepted::Status::connection)
      guarded(options, [&] { adopt(std::move(accepted.socket)); });
  }
  return Accepting::goes_on;
}

/// With --max-connections: hold it from the look at how many connections there are until the
/// accepted ones are counted, or several threads that accept all fill the same room.
inline std::unique_lock<std::mutex> admitting(const ServeOptions& options) {
  if (options.max_connections == 0) return {};
  return std::unique_lock(open_conversations().admitting);
}

/// How many connections of this process have a conversation.
inline int conversing() { return open_conversations().count; }

/// Accepts a batch, as far as --max-connections allows.
/// @param open asked how many connections there are
template <class Adopt, class Open>
Accepting accept_up_to(const ServeOptions& options, const Listener& listener, AcceptMode mode,
                       Open open, Adopt adopt) {
  const auto alone = admitting(options);
  const int room = options.room_beside(open());
  if (room == 0) return Accepting::must_rest;
  return accept_batch(options, listener, mode, std::min(room, options.accept_batch), adopt);
}

/// Accepts the connections that are in the accept queue now, before a stop: their clients may have
/// sent requests already. Later ones are left, or a stop would not end while clients connect faster
/// than the server accepts.
template <class Adopt>
void accept_waiting(const ServeOptions& options, const Listener& listener, AcceptMode mode,
                    Adopt adopt) {
  accept_batch(options, listener, mode, waiting_at(listener.fd()), adopt);
}

/// Accepts one connection on the calling thread, which sleeps until a client connects.
/// @param rest called if descriptors have run out; returns whether there is a stop
/// @return none after a stop
template <class Rest>
OwnedFd accept_one(const Listener& listener, Rest rest) {
  while (true) {
    Accepted accepted = listener.accept(AcceptMode::blocking);
    switch (accepted.status) {
      case Accepted::Status::connection: return std::move(accepted.socket);
      case Accepted::Status::no_descriptors:
        if (rest()) return {};
        break;
      case Accepted::Status::failed: break;
      case Accepted::Status::nothing:
      case Accepted::Status::ended: return {};
    }
  }
}

/// A listener among the descriptors of a loop, to whose thread it belongs.
template <Poller P>
class Acceptor {
 public:
  Acceptor(const ServeOptions& options, P& poller) :
      options_(options), listener_(options.listen, options.listening), poller_(poller) {
    poller_.add(fd(), {.read = true});
  }

  int fd() const { return listener_.fd(); }

  /// Reports that the server accepts connections. Call it when all that serves them exists.
  void announce() const { options_.announce(listener_.address()); }

  /// @param open asked how many connections there are, where not all have a conversation yet
  template <class Adopt, class Open = int (*)()>
  void accept(Adopt adopt, Open open = conversing) {
    owner_.assert_here();
    if (accept_up_to(options_, listener_, AcceptMode::nonblocking, open, adopt) ==
        Accepting::must_rest)
      rest(true);
  }

  /// How long the loop may wait, as far as the acceptor is concerned.
  Duration wait_limit() const { return resting_ ? accept_rest : wait_forever; }

  /// Call it after each wait.
  void resume_if_rested() {
    owner_.assert_here();
    if (resting_ && now() >= rest_until_) rest(false);
  }

  template <class Adopt>
  void close(Adopt adopt) {
    owner_.assert_here();
    accept_waiting(options_, listener_, AcceptMode::nonblocking, adopt);
    poller_.remove(fd());
    listener_.close();
    resting_ = false;
  }

 private:
  void rest(bool resting) {
    poller_.change(fd(), {.read = !resting});
    resting_ = resting;
    rest_until_ = now() + accept_rest;
  }

  const ServeOptions& options_;
  Listener listener_;
  P& poller_;
  bool resting_ = false;
  Instant rest_until_;
  [[no_unique_address]] OwnerThread owner_;
};

}  // namespace serverlab
