// epoll-spawn: one thread waits in epoll(7); a new thread for each ready connection receives, runs
// the session, sends, arms the connection again, and ends. The loop is that of offload.h.
//
//            ┌─ one thread ─┐  ready    ┌ a thread ┐ receive, session, send, arm; ends
//  clients ═▶│ accept, wait │──────────▶└──────────┘
//            └──────────────┘  ready    ┌ a thread ┐ receive, session, send, arm; ends
//              joins those  ──────────▶ └──────────┘
//              that have ended            ⋮        at most --threads at a time: then it sleeps
//
// Nothing is kept ready, and nobody waits in a queue: what a thread costs is paid for each turn.

#include "engines/connections/blocking.h"
#include "engines/engine.h"
#include "engines/loops/offload.h"
#include "net/thread.h"

#include <list>

namespace serverlab {
namespace {

class Spawned {
 public:
  static constexpr bool measures = false;

  Spawned(const ServeOptions& options, ServeJob serve) :
      options_(options), serve_(std::move(serve)), own_scratch_(options.read_buffer_bytes) {}
  Spawned(const Spawned&) = delete;
  Spawned& operator=(const Spawned&) = delete;
  ~Spawned() { await_fewer_than(1); }

  void start() {}

  /// Sleeps while there are as many threads as there may be. Works itself if none can be made.
  void put(const Job& job) {
    await_fewer_than(static_cast<std::size_t>(options_.threads));
    std::unique_lock lock(mutex_);
    const auto self = running_.emplace(running_.end());
    try {
      *self = make_thread([this, self, job] {
        Scratch scratch(options_.read_buffer_bytes);
        serve_(job, scratch);
        end(self);
      });
    } catch (const std::system_error&) {
      running_.erase(self);
      lock.unlock();
      serve_(job, own_scratch_);
    }
  }
  void put_again(const Job& job) { serve_(job, own_scratch_); }

 private:
  using Threads = std::list<std::jthread>;

  // Called by the thread itself, which is joined by and by.
  void end(Threads::iterator self) {
    const std::scoped_lock lock(mutex_);
    ended_.splice(ended_.end(), running_, self);
    ended_one_.notify_one();
  }

  void await_fewer_than(std::size_t limit) {
    Threads joined_here;  // without the lock
    std::unique_lock lock(mutex_);
    ended_one_.wait(lock, [&] { return running_.size() < limit; });
    joined_here.swap(ended_);
  }

  const ServeOptions& options_;
  const ServeJob serve_;
  Scratch own_scratch_;
  std::mutex mutex_;
  std::condition_variable ended_one_;
  Threads running_;  // guarded by mutex_, as is ended_
  Threads ended_;
};

}  // namespace

void serve_epoll_spawn(const ServeOptions& options, const Service& service,
                       const StopSignal& stop) {
  set_stack_size();
  Offload<Epoll, Spawned>(options, service, stop).run();
}

}  // namespace serverlab
