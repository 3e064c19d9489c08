// threads: a thread for each connection blocks in receive and runs its session.
//
//   main thread:    wait for a client ─▶ accept ─▶ start a thread
//   thread 1:       receive (sleeps) ─▶ session ─▶ send (sleeps) ─▶ receive …
//   thread 2:       receive (sleeps) ─▶ session ─▶ send (sleeps) ─▶ receive …
//     ⋮                   as many threads as connections
//
// The kernel's scheduler is the event loop. Back-pressure needs no mark: who sends is not
// receiving.

#include "engines/connections/accepting.h"
#include "engines/connections/blocking.h"
#include "engines/engine.h"
#include "net/poll_set.h"
#include "net/thread.h"

#include <condition_variable>
#include <list>
#include <mutex>
#include <sys/socket.h>
#include <system_error>

namespace serverlab {
namespace {

/// The threads and the sockets they serve, so that a stop can reach them and wait for their end.
class ServingThreads {
 public:
  explicit ServingThreads(std::size_t read_buffer_bytes) : read_buffer_bytes_(read_buffer_bytes) {}

  /// A client for whom no thread can be made is hung up on.
  void start(OwnedFd socket, AnySession session) {
    reap();
    const std::scoped_lock lock(mutex_);
    const auto self = running_.emplace(running_.end(), std::move(socket));
    try {
      self->thread =
          make_thread([this, self, conversation = Conversation(std::move(session))]() mutable {
            serve(self->socket.get(), conversation);
            end(self);
          });
    } catch (const std::exception&) {  // of the thread, or of the memory for what it begins with
      running_.erase(self);
    }
  }

  void drain(Duration limit) {
    std::unique_lock lock(mutex_);
    const auto none_left = [this] { return running_.empty(); };
    for (const Serving& serving : running_) end_receiving(serving.socket.get());
    if (!ended_one_.wait_for(lock, limit, none_left)) {
      for (const Serving& serving : running_) ::shutdown(serving.socket.get(), SHUT_RDWR);
      ended_one_.wait(lock, none_left);
    }
  }

 private:
  struct Serving {
    explicit Serving(OwnedFd served) : socket(std::move(served)) {}
    OwnedFd socket;
    std::jthread thread;
  };

  // A client for whom there is no memory is hung up on.
  void serve(int fd, Conversation& conversation) const try {
    Scratch scratch(read_buffer_bytes_);
    converse(fd, conversation, scratch);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the caller closes the socket
  }

  // Called by the thread itself: the connection ends now, the thread is joined by and by.
  void end(std::list<Serving>::iterator self) {
    const std::scoped_lock lock(mutex_);
    self->socket.close();
    ended_.splice(ended_.end(), running_, self);
    ended_one_.notify_all();
  }

  void reap() {
    std::list<Serving> joined_here;
    const std::scoped_lock lock(mutex_);
    joined_here.swap(ended_);
  }

  std::size_t read_buffer_bytes_;
  std::mutex mutex_;
  std::condition_variable ended_one_;
  std::list<Serving> running_;  // guarded by mutex_, as is ended_
  std::list<Serving> ended_;
};

}  // namespace

void serve_threads(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  set_stack_size();
  Listener listener(options.listen, options.listening);
  ServingThreads threads(options.read_buffer_bytes);
  options.announce(listener.address());

  PollSet waiting;
  waiting.add(stop.fd(), {.read = true});
  waiting.add(listener.fd(), {.read = true});
  std::vector<Ready> ready;
  const auto start_thread = [&](OwnedFd socket) {
    AnySession session = service.open(socket.get());
    threads.start(std::move(socket), std::move(session));
  };
  while (!stop.raised()) {
    waiting.wait(ready, wait_forever);
    if (accept_batch(listener, AcceptMode::blocking, options.accept_batch, start_thread) ==
        Accepting::must_rest) {
      stop.wait(accept_rest);
    }
  }
  accept_waiting(listener, AcceptMode::blocking, start_thread);
  listener.close();
  threads.drain(options.drain_limit);
}

}  // namespace serverlab
