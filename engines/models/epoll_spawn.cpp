// epoll-spawn: one thread waits in epoll(7); a new thread for each ready connection receives, runs
// the session, sends, arms the connection again, and ends. The loop is that of offload.h.
//
//            ┌─ one thread ─┐  ready    ┌ a thread ┐ receive, session, send, arm; ends
//  clients ═▶│ accept, wait │──────────▶└──────────┘
//            └──────────────┘  ready    ┌ a thread ┐ receive, session, send, arm; ends
//              joins those  ──────────▶ └──────────┘
//              that have ended            ⋮        at most --threads at a time: then it sleeps
//
// Nothing is kept ready, and no connection waits in a queue: what a thread costs is paid for each
// turn.

#include "base/perturb.h"
#include "base/thread_contract.h"
#include "engines/connections/blocking.h"
#include "engines/engine.h"
#include "engines/loops/offload.h"
#include "net/thread.h"

#include <list>

namespace serverlab {
namespace {

/// Belongs to the thread of the loop.
class Spawned {
 public:
  static constexpr bool measures = false;

  Spawned(const ServeOptions& options, const StopSignal&, ServeJob serve) :
      options_(options), serve_(std::move(serve)), own_scratch_(options.read_buffer_bytes) {}
  Spawned(const Spawned&) = delete;
  Spawned& operator=(const Spawned&) = delete;
  ~Spawned() { join(); }

  void start() {}
  void join() { await_fewer_than(1); }

  void reserve(std::size_t) {}

  /// Sleeps while there are as many threads as there may be. If none can be created, the calling
  /// thread serves the job itself.
  void put(const Job& job) {
    await_fewer_than(static_cast<std::size_t>(options_.threads));
    if (!spawn(job)) serve_(job, own_scratch_);
  }

 private:
  using Threads = std::list<std::jthread>;

  /// @return whether there is a thread for the job; not without memory, or where threads have a
  ///   limit
  bool spawn(const Job& job) {
    Threads one;
    try {
      const auto self = one.emplace(one.end());
      const std::scoped_lock lock(mutex_);  // the thread ends no sooner than it stands in the list
      *self =
          make_thread([this, self, job, scratch = Scratch(options_.read_buffer_bytes)]() mutable {
            guarded(options_, [&] { serve_(job, scratch); });
            end(self);
          });
      running_.splice(running_.end(), one);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  // Called by the thread itself, which is joined later, by the loop.
  void end(Threads::iterator self) {
    perturb();
    const std::scoped_lock lock(mutex_);
    ended_.splice(ended_.end(), running_, self);
    ended_one_.notify_one();
  }

  void await_fewer_than(std::size_t limit) {
    loop_thread_.assert_here();
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
  [[no_unique_address]] OwnerThread loop_thread_;
};

}  // namespace

void serve_epoll_spawn(const ServeOptions& options, const Service& service,
                       const StopSignal& stop) {
  set_stack_size();
  Offload<Epoll, Spawned>(options, service, stop).run();
}

}  // namespace serverlab
