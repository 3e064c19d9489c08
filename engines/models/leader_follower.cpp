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
// An event is handled by the thread that got it, while its data are in that CPU's cache: nothing is
// handed over but the leadership, which is a lock: the leader gives it up with the event in hand,
// and whoever waits for it leads next. What happens to a descriptor is in one_shot.h: it is not
// armed while it is handled, or the next leader would be told of it at once.
//
// Schmidt, O'Ryan, Kircher, Pyarali, Buschmann: Leader/Followers, PLoP 2000.

#include "engines/workers/crew.h"
#include "engines/engine.h"
#include "engines/loops/shared_epoll.h"

#include <mutex>

namespace serverlab {

void serve_leader_follower(const ServeOptions& options, const Service& service,
                           const StopSignal& stop) {
  OneShot shared(options, service, stop);
  std::mutex leadership;
  const auto lead = [&] {
    const std::scoped_lock leading(leadership);
    return shared.epoll().wait_for_one();
  };
  Crew crew(stop);
  for (int i = 0; i < options.threads; ++i) {
    crew.start([&] {
      Scratch scratch(options.read_buffer_bytes);
      while (shared.handle(lead(), scratch)) {
      }
    });
  }
  crew.join();
}

}  // namespace serverlab
