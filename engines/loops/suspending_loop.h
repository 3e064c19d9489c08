#pragma once

// One thread and conversations that suspend themselves: the loop that coroutines and fibers share.
// They differ by what a conversation is made of.
//
//               ┌───────────────────── one thread ─────────────────────┐
//   clients ══▶ │ wait in epoll ─▶ accept a batch                      │
//               │   ▲              resume what waits for the socket ─┐ │
//               │   │              ┌───────────────────────────────┐ │ │
//               │   └── suspends ──│ receive ─▶ session ─▶ send …  │◀┘ │
//               │                  └───────────────────────────────┘   │
//               └──────────────────────────────────────────────────────┘
//
// A conversation is closed only after its batch of events, so that no later event of the same batch
// can mean a descriptor that now belongs to another connection.

#include "base/reserve.h"
#include "engines/connections/accepting.h"
#include "engines/connections/connections.h"
#include "engines/connections/peer.h"
#include "engines/loops/drain.h"
#include "net/epoll.h"
#include "net/stop_signal.h"

#include <algorithm>
#include <vector>

namespace serverlab {

/// A conversation that waits for its socket by suspending itself.
template <class C>
concept Suspending = requires(C conversation) {
  { conversation.interest() } -> std::same_as<Interest>;  // what it waits for
  conversation.resume();  // what it waited for may have come; one that throws is finished
  { conversation.finished() } -> std::same_as<bool>;
};

template <Suspending C>
class SuspendingLoop {
 public:
  SuspendingLoop(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      options_(options),
      service_(service),
      stop_(stop),
      drain_(stop, options.drain_limit),
      acceptor_(options, epoll_),
      scratch_(options.read_buffer_bytes) {
    epoll_.add(stop_.fd(), {.read = true});
    acceptor_.announce();
  }

  void run() {
    while (drain_.goes_on(conversations_.count() == 0)) {
      turn(drain_.wait_limit(acceptor_.wait_limit()));
      if (drain_.begins()) end_conversations();
    }
  }

 private:
  void end_conversations() {
    acceptor_.close([this](OwnedFd socket) { start(std::move(socket)); });
    epoll_.remove(stop_.fd());
    conversations_.end_receiving_all();
  }

  void turn(Duration limit) {
    for (const Ready& event : epoll_.wait(limit)) {
      if (drain_.is_cut_off()) return;
      if (event.fd == stop_.fd()) {
        drain_.ask();
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
    acceptor_.resume_if_rested();
  }

  void start(OwnedFd socket) {
    reserve_room(finished_, conversations_.count() + 1);
    AnySession session = service_.open(peer_of(socket.get()));
    const auto watch = [this](const C& conversation) {
      epoll_.add(conversation.fd(), conversation.interest());
    };
    conversations_.open(std::move(socket), watch, std::move(session), stop_, scratch_);
  }

  void resume(C& conversation) {
    const Interest before = conversation.interest();
    guarded(options_, [&] { conversation.resume(); });
    if (conversation.finished()) {
      finished_.push_back(conversation.fd());
    } else if (conversation.interest() != before) {
      epoll_.change(conversation.fd(), conversation.interest());
    }
  }

  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  Drain drain_;
  Epoll epoll_;
  Acceptor<Epoll> acceptor_;
  Scratch scratch_;  // of the conversation that runs: a suspended one keeps nothing in it
  ConnectionsOf<C> conversations_;
  std::vector<int> finished_;  // in this batch; there is room for all conversations
};

}  // namespace serverlab
