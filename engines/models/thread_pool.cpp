// thread-pool: N threads block in accept on one listener; each serves its connection to the end.
//
//              ┌─ accept queue ─┐    thread 1:  accept (sleeps) ─▶ receive ⇄ session ⇄ send ─┐
//   clients ══▶│ has no thread  │═══▶             ▲─────────────── its connection ends ◀─────┘
//              │ yet            │    thread 2:  accept (sleeps) ─▶ …
//              └────────────────┘      ⋮        as many as --threads says
//
//   main thread:  wait for the stop ─▶ accept what is in the accept queue ─▶ end what goes on
//
// A connection wakes one sleeper, the one that slept longest: no thundering herd, and no queue of
// our own. One more than there are threads waits in the kernel's queue until a connection ends,
// however idle the others are.

#include "base/perturb.h"
#include "engines/connections/accepting.h"
#include "engines/connections/blocking.h"
#include "engines/connections/drain_deadline.h"
#include "engines/connections/peer.h"
#include "engines/connections/unanswered.h"
#include "engines/engine.h"
#include "engines/workers/crew.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <sys/socket.h>

namespace serverlab {
namespace {

class ThreadPool {
 public:
  ThreadPool(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      options_(options),
      service_(service),
      stop_(stop),
      deadline_(stop, options.drain_limit),
      listener_(options.listen, options.listening),
      at_work_(options.threads),
      crew_(stop) {
    listener_.set_blocking(true);
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() {
    if (ending_) return;
    const std::scoped_lock lock(mutex_);  // the engine has failed while threads sleep in accept
    listener_.shut_down();
    end_all(SHUT_RDWR);
  }

  void run() {
    crew_.start(options_.threads, [this] {
      return [this, scratch = Scratch(options_.read_buffer_bytes)]() mutable { work(scratch); };
    });
    options_.announce(listener_.address());
    while (!stop_.wait(wait_forever)) {
    }
    drain();
    crew_.join();
  }

 private:
  // Each thread.
  void work(Scratch& scratch) {
    for (OwnedFd socket = next(); socket; socket = next()) {
      guarded(options_, [&] { serve(socket.get(), scratch); });
      leave(std::move(socket));
    }
    const std::scoped_lock lock(mutex_);
    --at_work_;
    changed_.notify_all();
  }

  void serve(int fd, Scratch& scratch) {
    Conversation conversation(fd, service_.open(peer_of(fd)), stop_);
    enter(fd);
    converse(fd, conversation, scratch);
  }

  /// @return none once all are served
  OwnedFd next() {
    OwnedFd socket = accept_one(listener_, [this] { return rest(); });
    return socket ? std::move(socket) : taken_in();
  }

  /// One thread at a time looks for a descriptor: those that have one accept again by themselves.
  /// @return whether there is a stop
  bool rest() {
    const std::scoped_lock lock(resting_);
    return stop_.wait(accept_rest);
  }

  /// A connection that was in the accept queue at the stop.
  OwnedFd taken_in() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ending_.has_value(); });
    if (taken_in_.empty()) return {};
    OwnedFd socket = std::move(taken_in_.front());
    taken_in_.pop_front();
    return socket;
  }

  void enter(int fd) {
    const std::scoped_lock lock(mutex_);
    served_.insert(fd);
    if (ending_) ::shutdown(fd, *ending_);
  }

  void leave(OwnedFd socket) {
    perturb();
    const std::scoped_lock lock(mutex_);
    served_.erase(socket.get());
    socket.close();
  }

  void drain() {
    std::unique_lock lock(mutex_);
    listener_.set_blocking(false);
    accept_waiting(options_, listener_, AcceptMode::blocking,
                   [this](OwnedFd socket) { taken_in_.push_back(std::move(socket)); });
    listener_.shut_down();
    end_all(SHUT_RD);
    const auto have_ended = [this] { return at_work_ == 0; };
    if (!changed_.wait_for(lock, deadline_.left(), have_ended) && deadline_.passed()) {
      for (const OwnedFd& socket : taken_in_) count_if_unanswered(socket.get());
      taken_in_.clear();
      for (const int fd : served_) end_both_ways(fd);
      end_all(SHUT_RDWR);
    }
  }

  void end_all(int how) {
    ending_ = how;
    for (const int fd : served_) ::shutdown(fd, how);
    changed_.notify_all();
  }

  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  const DrainDeadline deadline_;
  Listener listener_;
  std::mutex resting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int at_work_;                   // threads; guarded by mutex_, as are the next three
  std::set<int> served_;          // the sockets that a stop has to reach
  std::deque<OwnedFd> taken_in_;  // at the stop, and not served yet
  std::optional<int> ending_;     // since the stop: how sockets are shut down
  Crew crew_;  // last, so that its threads have ended before what they use is gone
};

}  // namespace

void serve_thread_pool(const ServeOptions& options, const Service& service,
                       const StopSignal& stop) {
  set_stack_size();
  ThreadPool(options, service, stop).run();
}

}  // namespace serverlab
