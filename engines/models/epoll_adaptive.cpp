// epoll-adaptive: one thread waits in epoll(7) and runs what is cheap itself; what is dear it gives
// to a pool. What a connection's turns have cost decides, by the rule in cost.h.
//
//            ┌──────── one thread ────────┐
//  clients ═▶│ accept, wait ─▶ is it dear?│ yes  ┌─ queue ─┐     ┌───── N workers ─────┐
//            │     ▲             │ no     │─────▶│         │────▶│ receive, session,   │
//            │     │             ▼        │      └─────────┘     │ send, arm, measure  │
//            │     └── receive, session,  │                      └─────────────────────┘
//            │         send, measure      │
//            └────────────────────────────┘
//
// A cheap connection is asked for all the time, and costs what it costs in epoll-level and two
// looks at the clock; a dear one is asked for once and armed again, as in epoll-offload. A new one
// is dear until its first turn has been measured.

#include "engines/engine.h"
#include "engines/loops/offload.h"

namespace serverlab {
namespace {

class Adaptive {
 public:
  static constexpr bool measures = true;

  Adaptive(const ServeOptions& options, const ServeJob& serve) :
      serve_(serve), scratch_(options.read_buffer_bytes), pool_(options, serve) {}

  void start() { pool_.start(); }

  void put(const Job& job) {
    if (job.connection->cost().dear()) return pool_.put(job);
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
