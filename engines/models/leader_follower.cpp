// leader-follower: one of N threads waits in epoll(7); told of something, it makes another the
// leader and handles it itself.
//
//    ┌─ followers ──────┐ promoted ┌─ leader ──────────┐ event  ┌─ processing ─────────┐
//    │ wait for their   │─────────▶│ waits in epoll    │───────▶│ promote a follower,  │
//    │ turn to lead     │          │ for one event     │        │ receive, session,    │
//    └──────▲───────────┘          └───────────────────┘        │ send, arm            │
//           │                                                   └──────────┬───────────┘
//           └──────────────────────────────────────────────────────────────┘
//
// An event is handled by the thread that got it, while its data are in that CPU's cache. Nothing is
// handed over but the leadership, which is a lock: the leader gives it up with the event in hand,
// and a thread that waits for it leads next. What happens to a descriptor is in shared_epoll.h: it
// is not armed while it is handled, or the next leader would be told of it at once.
//
// Schmidt, O'Ryan, Kircher, Pyarali, Buschmann: Leader/Followers, PLoP 2000.

#include "engines/engine.h"
#include "engines/loops/shared_epoll.h"
#include "engines/workers/crew.h"

#include <mutex>

namespace serverlab {

void serve_leader_follower(const ServeOptions& options, const Service& service,
                           const StopSignal& stop) {
  SharedEpoll shared(options, service, stop);
  std::mutex leadership;
  const auto lead = [&] {
    const std::scoped_lock leading(leadership);
    return shared.epoll().wait_for_one();
  };
  Crew crew(stop);
  crew.start(options.threads, [&] {
    return [&, scratch = Scratch(options.read_buffer_bytes)]() mutable {
      while (shared.handle(lead(), scratch)) {
      }
    };
  });
  shared.announce();
  crew.join();
}

}  // namespace serverlab
