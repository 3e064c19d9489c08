#pragma once

// One thread and conversations that suspend themselves: the loop that coroutines and fibers share.
// They differ by what a conversation is made of.
//
//               ┌───────────────────── one thread ─────────────────────┐
//   clients ══▶ │ wait in epoll ─▶ accept a batch                      │
//               │   ▲              resume who waits for this socket ─┐ │
//               │   │              ┌───────────────────────────────┐ │ │
//               │   └── suspends ──│ receive ─▶ session ─▶ send …  │◀┘ │
//               │                  └───────────────────────────────┘   │
//               └──────────────────────────────────────────────────────┘
//
// A conversation is closed only after its batch of events, so that no later event of the same batch
// can mean a descriptor that has been given to somebody else.

#include "engines/connections/accepting.h"
#include "engines/connections/connections.h"
#include "net/epoll.h"
#include "net/stop_signal.h"

#include <algorithm>
#include <new>
#include <vector>

namespace serverlab {

/// A conversation that waits for its socket by suspending itself.
template <class C>
concept Suspending = requires(C conversation) {
  { conversation.interest() } -> std::same_as<Interest>;  // what it waits for
  conversation.resume();                                  // what it waited for may have come
  { conversation.finished() } -> std::same_as<bool>;
};

template <Suspending C>
class SuspendingLoop {
 public:
  SuspendingLoop(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      options_(options),
      service_(service),
      stop_(stop),
      acceptor_(options, epoll_),
      scratch_(options.read_buffer_bytes) {
    epoll_.add(stop_.fd(), {.read = true});
  }

  void run() {
    while (!stop_asked_) turn(acceptor_.wait_limit());
    acceptor_.close([this](OwnedFd socket) { start(std::move(socket)); });
    epoll_.remove(stop_.fd());
    conversations_.end_receiving_all();
    const Instant deadline = now() + options_.drain_limit;
    while (conversations_.count() > 0 && now() < deadline)
      turn(std::max(Duration::zero(), deadline - now()));
  }

 private:
  void turn(Duration limit) {
    epoll_.wait(ready_, limit);
    for (const Ready& event : ready_) {
      if (event.fd == stop_.fd()) {
        stop_asked_ = true;
      } else if (event.fd == acceptor_.fd()) {
        acceptor_.accept([this](OwnedFd socket) { start(std::move(socket)); });
      } else {
        resume(conversations_.at(event.fd));
      }
    }
    for (const int fd : finished_) {
      epoll_.remove(fd);
      conversations_.close(fd);
    }
    finished_.clear();
    if (!stop_asked_) acceptor_.resume_if_rested();
  }

  // A client for whom there is no memory is hung up on.
  void start(OwnedFd socket) try {
    const int fd = socket.get();
    C& conversation = conversations_.open(std::move(socket), service_.open(fd), scratch_);
    epoll_.add(fd, conversation.interest());
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the socket is closed by now
  }

  void resume(C& conversation) {
    const Interest before = conversation.interest();
    conversation.resume();
    if (conversation.finished()) {
      finished_.push_back(conversation.fd());
    } else if (conversation.interest() != before) {
      epoll_.change(conversation.fd(), conversation.interest());
    }
  }

  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  Epoll epoll_;
  Acceptor<Epoll> acceptor_;
  Scratch scratch_;  // of whoever is running: nobody keeps anything in it while suspended
  ConnectionsOf<C> conversations_;
  std::vector<Ready> ready_;
  std::vector<int> finished_;  // in this batch
  bool stop_asked_ = false;    // acted upon after the batch, in which the listener may still come
};

}  // namespace serverlab
