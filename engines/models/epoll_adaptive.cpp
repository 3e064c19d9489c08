// epoll-adaptive: one thread waits in epoll(7) and runs what is cheap itself; what is
// expensive it gives to a pool. What a connection's turns have cost decides, by the rule in cost.h.
//
//            ┌──────── one thread ────────┐
//  clients ═▶│ accept, wait ─▶ expensive? │ yes  ┌─ queue ─┐     ┌───── N workers ─────┐
//            │     ▲             │ no     │─────▶│         │────▶│ receive, session,   │
//            │     │             ▼        │      └─────────┘     │ send, arm, measure  │
//            │     └── receive, session,  │                      └─────────────────────┘
//            │         send, measure      │
//            └────────────────────────────┘
//
// A cheap connection stays registered, and costs what it costs in epoll-level and two looks at the
// clock; an expensive one is registered for one event and armed again, as in epoll-offload. A new
// connection counts as expensive until its first turn has been measured.
//
// The price: the first expensive turn of a connection that was cheap so far runs on the loop, and
// all other connections wait for its end. docs/engines.md has the figure.

#include "engines/engine.h"
#include "engines/loops/offload.h"

namespace serverlab {
namespace {

class Adaptive {
 public:
  static constexpr bool measures = true;

  Adaptive(const ServeOptions& options, const StopSignal& stop, const ServeJob& serve) :
      serve_(serve), scratch_(options.read_buffer_bytes), pool_(options, stop, serve) {}

  void start() { pool_.start(); }
  void join() { pool_.join(); }

  void reserve(std::size_t connections) { pool_.reserve(connections); }
  void put(const Job& job) {
    if (job.connection->cost().is_expensive()) return pool_.put(job);
    serve_(job, scratch_);
  }
  void put_again(const Job& job) { pool_.put_again(job); }

 private:
  const ServeJob serve_;
  Scratch scratch_;
  Pool pool_;
};

}  // namespace

void serve_epoll_adaptive(const ServeOptions& options, const Service& service,
                          const StopSignal& stop) {
  Offload<Epoll, Adaptive>(options, service, stop).run();
}

}  // namespace serverlab
