#pragma once

// Accepting, as every engine does it: a batch per wake-up, a rest when descriptors have run out,
// and at the end everyone who has already connected.

#include "engines/serve_options.h"
#include "net/readiness.h"

namespace serverlab {

/// How long accepting rests when descriptors have run out, so that a full server does not spin
/// on its listener.
constexpr Duration accept_rest = std::chrono::milliseconds(50);

enum class Accepting { goes_on, must_rest };

/// Accepts until nobody waits or `limit` connections are open, and gives each socket to `adopt`.
template <class Adopt>
Accepting accept_batch(const Listener& listener, AcceptMode mode, int limit, Adopt adopt) {
  for (int i = 0; i < limit; ++i) {
    Accepted accepted = listener.accept(mode);
    if (accepted.status == Accepted::Status::nothing) break;
    if (accepted.status == Accepted::Status::no_descriptors) return Accepting::must_rest;
    if (accepted.status == Accepted::Status::connection) adopt(std::move(accepted.socket));
  }
  return Accepting::goes_on;
}

/// Takes in those who wait now, before a stop: they are connected, and may have asked already. Not
/// those who come meanwhile, or a stop would have no end while they come faster than they are
/// taken.
template <class Adopt>
void accept_waiting(const Listener& listener, AcceptMode mode, Adopt adopt) {
  accept_batch(listener, mode, waiting_at(listener.fd()), adopt);
}

/// A listener among the descriptors of a loop.
template <Poller P>
class Acceptor {
 public:
  Acceptor(const ServeOptions& options, P& poller) :
      listener_(options.listen, options.listening), batch_(options.accept_batch), poller_(poller) {
    poller_.add(fd(), {.read = true});
    options.announce(listener_.address());
  }

  int fd() const { return listener_.fd(); }

  template <class Adopt>
  void accept(Adopt adopt) {
    if (accept_batch(listener_, AcceptMode::nonblocking, batch_, adopt) == Accepting::must_rest)
      rest(true);
  }

  /// How long the loop may wait, on the acceptor's account.
  Duration wait_limit() const { return resting_ ? accept_rest : wait_forever; }

  /// To be called after each wait.
  void resume_if_rested() {
    if (resting_ && now() >= rest_until_) rest(false);
  }

  template <class Adopt>
  void close(Adopt adopt) {
    accept_waiting(listener_, AcceptMode::nonblocking, adopt);
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

  Listener listener_;
  const int batch_;
  P& poller_;
  bool resting_ = false;
  Instant rest_until_;
};

}  // namespace serverlab
