// threads: a thread for each connection blocks in receive and runs its session.
//
//   main thread:    wait for a client ─▶ accept ─▶ start a thread
//   thread 1:       receive (sleeps) ─▶ session ─▶ send (sleeps) ─▶ receive …
//   thread 2:       receive (sleeps) ─▶ session ─▶ send (sleeps) ─▶ receive …
//     ⋮                   as many threads as connections
//
// The kernel's scheduler is the event loop. Back-pressure needs no mark: a thread that
// sends does not receive.

#include "base/perturb.h"
#include "engines/connections/accepting.h"
#include "engines/connections/blocking.h"
#include "engines/connections/drain_deadline.h"
#include "engines/connections/peer.h"
#include "engines/connections/unanswered.h"
#include "engines/engine.h"
#include "net/poll_set.h"
#include "net/thread.h"

#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>

namespace serverlab {
namespace {

/// The threads and the sockets they serve, so that a stop can reach them and wait for their end.
class ServingThreads {
 public:
  ServingThreads(const ServeOptions& options, const StopSignal& stop) :
      options_(options), stop_(stop) {}

  /// @throws std::exception if no thread can be created; the socket is closed
  void start(OwnedFd socket, AnySession session) {
    reap();
    const std::scoped_lock lock(mutex_);
    const auto self = running_.emplace(running_.end(), std::move(socket));
    try {
      self->thread = make_thread([this, self, session = std::move(session)]() mutable {
        serve(*self, std::move(session));
        end(self);
      });
    } catch (...) {
      running_.erase(self);
      throw;
    }
  }

  /// How many connections are served.
  int count() {
    const std::scoped_lock lock(mutex_);
    return static_cast<int>(running_.size());
  }

  void drain(const DrainDeadline& deadline) {
    std::unique_lock lock(mutex_);
    const auto none_left = [this] { return running_.empty(); };
    for (const Serving& serving : running_) end_receiving(serving.socket.get());
    if (!ended_one_.wait_for(lock, deadline.left(), none_left) && deadline.passed()) {
      for (const Serving& serving : running_) end_both_ways(serving.socket.get());
      ended_one_.wait(lock, none_left);
    }
  }

 private:
  struct Serving {
    explicit Serving(OwnedFd served) : socket(std::move(served)) {}
    OwnedFd socket;
    std::optional<Conversation> conversation;
    std::jthread thread;
  };

  void serve(Serving& self, AnySession session) const {
    const int fd = self.socket.get();
    guarded(options_, [&] {
      self.conversation.emplace(fd, std::move(session), stop_);
      Scratch scratch(options_.read_buffer_bytes);
      converse(fd, *self.conversation, scratch);
    });
  }

  // Called by the thread itself: the connection ends now, the thread is joined at the next start.
  // The connection ends as late, too, if the main thread is to close it.
  void end(std::list<Serving>::iterator self) {
    perturb();
    const bool closes = options_.close_by == CloseBy::thread;
    if (closes) self->conversation.reset();
    const std::scoped_lock lock(mutex_);
    if (closes) self->socket.close();
    ended_.splice(ended_.end(), running_, self);
    ended_one_.notify_all();
  }

  void reap() {
    std::list<Serving> joined_here;
    const std::scoped_lock lock(mutex_);
    joined_here.swap(ended_);
  }

  const ServeOptions& options_;
  const StopSignal& stop_;
  std::mutex mutex_;
  std::condition_variable ended_one_;
  std::list<Serving> running_;  // guarded by mutex_, as is ended_
  std::list<Serving> ended_;
};

}  // namespace

void serve_threads(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  set_stack_size();
  Listener listener(options.listen, options.listening);
  ServingThreads threads(options, stop);
  PollSet waiting;
  waiting.add(stop.fd(), {.read = true});
  waiting.add(listener.fd(), {.read = true});
  options.announce(listener.address());

  const auto start_thread = [&](OwnedFd socket) {
    AnySession session = service.open(peer_of(socket.get()));
    threads.start(std::move(socket), std::move(session));
  };
  const auto open = [&] { return threads.count(); };
  while (!stop.raised()) {
    waiting.wait(wait_forever);
    if (accept_up_to(options, listener, AcceptMode::blocking, open, start_thread) ==
        Accepting::must_rest) {
      stop.wait(accept_rest);
    }
  }
  accept_waiting(options, listener, AcceptMode::blocking, start_thread);
  listener.close();
  threads.drain(DrainDeadline(stop, options.drain_limit));
}

}  // namespace serverlab
